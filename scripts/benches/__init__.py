# SPDX-License-Identifier: Apache-2.0
"""The modules of `scripts/bench` that run whole commands."""
