// SPDX-License-Identifier: Apache-2.0
// The head of a list in the order of a key.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tahoma::runtime {

// Sorts with the largest key first and keeps at most that many; equal keys stay in order.
template <class T, class Key>
void keep_largest(std::vector<T>& list, std::size_t most, Key key) {
  std::stable_sort(list.begin(), list.end(), [&](const T& a, const T& b) { return key(a) > key(b); });
  if (list.size() > most) list.resize(most);
}

}  // namespace tahoma::runtime
