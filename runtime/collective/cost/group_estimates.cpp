// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/cost/group_estimates.h"

#include <bit>
#include <string>

namespace tahoma::runtime::collective {

namespace {

using Key = std::vector<std::uint64_t>;

void add(Key& key, const std::string& text) {
  key.push_back(text.size());
  key.insert(key.end(), text.begin(), text.end());
}

void add(Key& key, const Problem& problem) {
  key.insert(key.end(), {static_cast<std::uint64_t>(problem.operation), problem.ranks, problem.root,
                         static_cast<std::uint64_t>(problem.inputs)});
  key.insert(key.end(), problem.to.begin(), problem.to.end());
}

void add(Key& key, const Grid& grid) {
  for (const GridAxis& axis : grid.axes) {
    add(key, axis.name);
    key.insert(key.end(), {axis.size, axis.stride, axis.chips, axis.closed, axis.cores,
                           std::bit_cast<std::uint64_t>(axis.rate)});
  }
}

// Numbers things in the order in which they are first asked for.
class Numbers {
 public:
  std::uint64_t operator()(std::uint32_t thing) {
    return numbers_.try_emplace(thing, numbers_.size()).first->second;
  }

 private:
  std::map<std::uint32_t, std::uint64_t> numbers_;
};

// The links of each route, by their order of appearance, with all that distinguishes one link from another.
void add_routes(Key& key, const model::FabricWays& ways, const std::vector<std::uint32_t>& chips) {
  Numbers links;
  for (const std::uint32_t from : chips)
    for (const std::uint32_t to : chips) {
      key.push_back(ways.hops(from, to));
      ways.along(from, to, [&](std::uint32_t number) {
        const model::FabricWays::Link& link = ways.links()[number];
        key.insert(key.end(), {links(number), std::bit_cast<std::uint64_t>(link.rate),
                               static_cast<std::uint64_t>(link.hop.fs)});
        add(key, link.name);
      });
    }
}

// The place of a group on the machine, up to the numbers of chips and links.
void add(Key& key, const model::MachineParams& machine, const model::FabricWays& ways, const Group& group) {
  const std::uint64_t cores = machine.chip.cores;
  Numbers numbers;
  std::vector<std::uint32_t> chips;
  for (const auto& of_rank : group.cores) {
    const auto chip = static_cast<std::uint32_t>(of_rank.front() / cores);
    const std::uint64_t number = numbers(chip);
    if (number == chips.size()) chips.push_back(chip);
    key.insert(key.end(), {number, of_rank.size()});
    for (const std::uint32_t core : of_rank) key.push_back(core % cores);
  }
  key.push_back(group.sharers);
  add_routes(key, ways, chips);
}

}  // namespace

Estimates::Key Estimates::key_of(Algorithm algorithm, const Problem& problem, const Group& group,
                                 std::uint64_t bytes, std::uint64_t channels) const {
  Key key{static_cast<std::uint64_t>(algorithm), bytes, channels};
  add(key, problem);
  add(key, group.grid);
  add(key, machine_, ways_, group);
  return key;
}

const Choice& Estimates::choose(Algorithm algorithm, const Problem& problem, const Group& group,
                                std::uint64_t bytes, std::uint32_t channels, std::uint32_t signals) {
  Key key = key_of(algorithm, problem, group, bytes, channels);
  key.push_back(signals);
  if (const auto known = choices_.find(key); known != choices_.end()) return known->second;
  const Choice choice =
      collective::choose(algorithm, problem, bytes, channels, CostModel(machine_, group), signals);
  if (choice.channels > 0)
    costs_.emplace(key_of(choice.algorithm->id, problem, group, bytes, choice.channels), choice.cost);
  return choices_.emplace(std::move(key), choice).first->second;
}

const Cost& Estimates::cost(const AlgorithmRow& algorithm, const Problem& problem, const Group& group,
                            const MovedBytes& moved, const std::vector<ChannelPlan>& plan) {
  Key key = key_of(algorithm.id, problem, group, moved.bytes, plan.size());
  key.insert(key.end(), moved.of_chunks.begin(), moved.of_chunks.end());
  if (const auto known = costs_.find(key); known != costs_.end()) return known->second;
  const Cost cost = CostModel(machine_, group).of(plan, moved);
  return costs_.emplace(std::move(key), cost).first->second;
}

}  // namespace tahoma::runtime::collective
