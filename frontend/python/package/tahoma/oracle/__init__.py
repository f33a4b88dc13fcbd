# SPDX-License-Identifier: Apache-2.0
"""Verdicts about kernels: tahoma.verify, `tahoma nki --verify` and `tahoma nki --serve`."""
