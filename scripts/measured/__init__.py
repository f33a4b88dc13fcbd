# SPDX-License-Identifier: Apache-2.0
"""The common part of `scripts/figures` and `scripts/results`: figures in Markdown and their runs."""
