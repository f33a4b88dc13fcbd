# SPDX-License-Identifier: Apache-2.0
"""The commands of the program as functions; `tahoma` has their names."""
