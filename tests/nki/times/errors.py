# SPDX-License-Identifier: Apache-2.0
"""Statistics of errors, each by its definition. An error is 100 (model / reference - 1) percent."""
import statistics

import scipy.stats


def percent(model, reference):
    return 100 * (model / reference - 1)


def ranks(values):
    """Ranks from 1; equal values get their mean rank."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    found, start = [0.0] * len(values), 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for position in range(start, end + 1):
            found[order[position]] = (start + end) / 2 + 1
        start = end + 1
    return found


def rank_correlation(first, second):
    """Spearman's: the correlation of the ranks. None with fewer than two values, or if all of a side are equal."""
    if len(first) < 2 or len(set(first)) == 1 or len(set(second)) == 1:
        return None
    return statistics.correlation(ranks(first), ranks(second))


def kendall_tau(pairs):
    """Kendall's tau-b of (model, reference) pairs. None if all of a side are equal, or with fewer than two pairs."""
    if len({model for model, _ in pairs}) < 2 or len({reference for _, reference in pairs}) < 2:
        return None
    return scipy.stats.kendalltau(*zip(*pairs))[0]


def regret(pairs):
    """By how many percent the choice that the model calls fastest is slower than the fastest one."""
    return percent(min(pairs)[1], min(reference for _, reference in pairs)) if pairs else None


def share_within(errors, most):
    return 100 * sum(abs(e) <= most for e in errors) / len(errors)


def summary(pairs):
    """Of (model, reference) pairs: count, mean and median of the absolute errors, the worst error, shares, rank correlation."""
    errors = [percent(m, r) for m, r in pairs]
    absolute = [abs(e) for e in errors]
    return {"cases": len(pairs), "mean": statistics.mean(absolute), "median": statistics.median(absolute), "bias": statistics.median(errors),
            "worst": max(errors, key=abs), "within_10": share_within(errors, 10), "within_25": share_within(errors, 25),
            "rank": rank_correlation([m for m, _ in pairs], [r for _, r in pairs])}
