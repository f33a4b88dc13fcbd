# SPDX-License-Identifier: Apache-2.0
"""Parts of nki.language that take several instructions, or none."""
