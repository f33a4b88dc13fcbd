// SPDX-License-Identifier: Apache-2.0
// The graphs of all ranks, checked and joined: dependences as positions instead of ids, and the meeting
// points of the ranks. The n-th collective of a group in the file of one of its ranks is the n-th in those of
// the others; the n-th send to a rank with a tag is its n-th receive from there with that tag.
//
// UserError E-ETR-003 (execution_trace.h); E-ETR-004: ranks disagree: about the collectives of a group, a
// group without its members, or a send without its receive.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/execution_trace/execution_trace.h"

namespace tahoma::runtime::chakra {

// Ranks by name. ASTRA-sim's file of communicator groups: {"1": [0, 1, 2, 3], "2": [4, 5, 6, 7]}.
using Groups = std::map<std::string, std::vector<std::uint32_t>>;
// UserError E-ETR-005: not a JSON object of lists of ranks, a group twice, a rank twice in a group.
Groups read_groups(const std::string& file);
std::string groups_json(const Groups& groups);

struct NodeAt {
  std::uint32_t rank = 0, node = 0;
};

// Communication that several nodes perform together.
struct Exchange {
  NodeKind kind = NodeKind::kCollective;  // or kSend: a message
  collective::Operation operation = collective::Operation::kAllReduce;
  std::uint64_t bytes = 0;           // comm_size
  std::vector<std::uint32_t> ranks;  // of a message: from, to
  std::vector<NodeAt> nodes;         // one for each rank
};

struct TraceGraph {
  std::vector<RankTrace> ranks;
  std::vector<std::vector<std::vector<std::uint32_t>>>
      dependents;                                 // by rank and node: those that wait for it
  std::vector<std::vector<std::uint32_t>> waits;  // by rank and node: number of dependences
  std::vector<Exchange> exchanges;
  std::vector<std::vector<std::uint32_t>> exchange_of;  // by rank and node; kNone for other nodes
  static constexpr std::uint32_t kNone = ~0U;
};

// A UserError about a node, with its file, number and name. `prefix`: of the files.
[[noreturn]] void refuse_node(const char* code, const TraceGraph& graph, const NodeAt& n,
                              const std::string& prefix, const std::string& what);

// `prefix` is that of the files, for errors.
TraceGraph graph_of(std::vector<RankTrace> ranks, const Groups& groups, const std::string& prefix);

}  // namespace tahoma::runtime::chakra
