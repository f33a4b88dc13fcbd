# SPDX-License-Identifier: Apache-2.0
"""The error of a user: an invalid marker or declaration. The scripts print it and exit with status 2."""


class Problem(Exception):
    pass
