// SPDX-License-Identifier: Apache-2.0
// The requests in progress of a DRAM stack, by number. A number is reused after its request is forgotten.
#pragma once

#include <vector>

#include "model/memory/dram/channel.h"
#include "model/sim/packet.h"

namespace tahoma::model {

struct DramRequest {
  sim::Payload* payload = nullptr;
  int initiator = 0;
  base::Time start{0}, needed{0};
  std::uint32_t left = 0;  // segments not yet complete
  dram::Tick first = dram::kNoTick, last = 0;
  bool corrected = false;
};

class DramRequests {
 public:
  std::uint32_t keep(const DramRequest& request);
  void forget(std::uint32_t number) { free_.push_back(number); }
  DramRequest& operator[](std::uint32_t number) { return requests_[number]; }

  void segment_over(const dram::Done& done);
  // Calls answer(request) for the requests that have completed and forgets them: in the order of what they
  // report, whatever the channel.
  template <class Answer>
  void answer_all(Answer&& answer) {
    sort_over();
    answering_.swap(over_);
    for (const std::uint32_t number : answering_) {
      const DramRequest request = requests_[number];
      forget(number);
      answer(request);
    }
    answering_.clear();
  }

 private:
  void sort_over();

  std::vector<DramRequest> requests_;
  std::vector<std::uint32_t> free_, over_, answering_;  // numbers
};

}  // namespace tahoma::model
