// SPDX-License-Identifier: Apache-2.0
// Hamiltonian cycles over a grid of ranks: closed walks that visit every rank once, along links.
//
// On a torus whose axes have at least three ranks each, as many cycles as there are axes, no two of which
// share a link: every link belongs to exactly one. They are found by switching squares. At first cycle a is
// all the links of axis a, which is a bundle of small rings. A square of the torus whose opposite sides
// belong to two different bundles may exchange them; every rank keeps two links of each bundle, and rings
// merge or split. Exchanges that do not raise the number of rings are taken, in the order of a fixed
// pseudo-random sequence, until each bundle is one ring. (That such decompositions exist for all these tori
// is known; that this search finds them is what a test shows, for the sizes it lists.)
//
// Where an axis has two ranks or its ends do not meet: one cycle, a comb over an axis with an even number of
// ranks; without such an axis, and over the cores of a chip, to and fro in reflected order, whose ends need
// not be neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/collective/schedule/grid.h"

namespace tahoma::runtime::collective {

using Cycle = std::vector<std::uint32_t>;  // ranks in order; the last is followed by the first

// At least one. Cores of a chip follow each other, so that the links between chips are those of a cycle of
// chips.
std::vector<Cycle> hamiltonian_cycles(const Grid& grid);

}  // namespace tahoma::runtime::collective
