// SPDX-License-Identifier: Apache-2.0
// Hamiltonian cycles over a grid of ranks: closed walks along links that visit every rank once.
//
// On a torus whose axes have at least three ranks each, there are as many cycles as axes, and no two share a
// link: every link belongs to exactly one cycle. They are found by switching squares. Initially, cycle a
// consists of all links of axis a, a bundle of small rings. A square of the torus whose opposite sides belong
// to two different bundles may exchange them; every rank keeps two links of each bundle, and rings merge or
// split. Exchanges that do not increase the number of rings are accepted, in the order of a fixed
// pseudo-random sequence, until each bundle is one ring. (Such decompositions are known to exist for all
// these tori; a test shows that this search finds them for the sizes that it lists.)
//
// If an axis has two ranks or its ends are not connected, there is one cycle, a comb over an axis with an
// even number of ranks. Without such an axis, and over the cores of a chip, it is a back-and-forth walk in
// reflected order, whose ends need not be neighbours.
//
// Where ranks are apart (Grid::apart), parts of a cycle are reversed until its neighbours reach each other,
// in both directions; if no reversal brings that nearer, some do not.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/collective/schedule/grid.h"

namespace tahoma::runtime::collective {

using Cycle = std::vector<std::uint32_t>;  // ranks in order; the last is followed by the first

// Returns at least one cycle. The cores of a chip are consecutive, so the links between chips are those of a
// cycle of chips.
std::vector<Cycle> hamiltonian_cycles(const Grid& grid);

}  // namespace tahoma::runtime::collective
