// SPDX-License-Identifier: Apache-2.0
// The `links` object of summary.json. Its keys:
//   count, bytes, wire_bytes   directions of links, and the sums of what they carried
//   busiest_link    the first of `busiest` without its flows; null if nothing was carried
//   busiest         [{name, busy_percent, payload_bytes, goodput (bytes per second), blocked_percent: a
//                   packet was ready, but the next buffer had no credit, queue_high_water (packets), flows:
//                   all of [{from, to, payload_bytes, percent}], of the link's payload, most bytes first}]
//   saturated       count, names, and links: as in `busiest`, but only the largest few flows; more_flows is
//                   the number of the others
//   busy_histogram  links by busy percent: below 10, below 20, ...
//   axes            links, bytes, wire_bytes, mean_busy_percent, mean_blocked_percent of each
//   traffic         between chips: pairs that exchanged data, packets, bytes, mean_bytes of a pair,
//                   largest {from, to, payload_bytes}, chips: their names, matrix of bytes by sender, then
//                   receiver (null on more than 64 chips: traffic.csv has it); null if there was no traffic
//   faults          as configured: [{link, rate, dead}]
#pragma once

#include <nlohmann/json.hpp>

#include "report/links/link_summary.h"

namespace tahoma::runtime {

nlohmann::ordered_json links_json(const LinkSummary& links);

}  // namespace tahoma::runtime
