# SPDX-License-Identifier: Apache-2.0
"""`tahoma optimise`: searches the space of a sweep by Optuna instead of running all of its points."""
