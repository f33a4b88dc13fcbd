# SPDX-License-Identifier: Apache-2.0
"""neuronxcc: the package in which NKI 0.1 was. It has `nki` alone; the vendor's compiler is not here."""
