// SPDX-License-Identifier: Apache-2.0
#include "report/files/engine_windows.h"

#include <array>

namespace tahoma::runtime {

base::EngineKind engine_of_queue(std::uint8_t queue) {
  using base::EngineKind;
  static constexpr std::array<EngineKind, isa::kQueueCount> kKinds{
      EngineKind::kTensor, EngineKind::kVector,     EngineKind::kScalar,    EngineKind::kGpSimd,
      EngineKind::kSync,   EngineKind::kCollective, EngineKind::kCollective};
  return kKinds.at(queue);
}

std::vector<EngineRecorder::Engine> EngineRecorder::engines() const {
  std::vector<Engine> all;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    base::Series series = series_[i].series();
    if (!series.busy.empty())
      all.push_back({static_cast<std::uint32_t>(i / isa::kQueueCount),
                     static_cast<std::uint8_t>(i % isa::kQueueCount), std::move(series)});
  }
  return all;
}

}  // namespace tahoma::runtime
