# SPDX-License-Identifier: Apache-2.0
"""What `scripts/figures` and `scripts/results` share: figures in Markdown and the runs that they come from."""
