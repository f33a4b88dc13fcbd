# SPDX-License-Identifier: Apache-2.0
"""The error of a user: a marker or a declaration that cannot be served. The scripts print it and exit with status 2."""


class Problem(Exception):
    pass
