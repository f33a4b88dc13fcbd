// SPDX-License-Identifier: Apache-2.0
// A kernel synchronises with the programs of other cores: transfers that raise signals, waits for signals,
// and the rendezvous of the two cores of a logical core.
#pragma once

#include <string>

#include "runtime/builder/kernel_views.h"

namespace tahoma::runtime {

class KernelRecord;

class KernelSignals {
 public:
  explicit KernelSignals(KernelRecord& record) : record_(record) {}

  std::uint8_t core_argument(const std::string& name);  // an argument that holds a core number, for Delivery
  std::uint8_t own_core(const std::string& name);       // the argument that holds this core's number
  Signal signal();

  // dst = what. `read`, whose core is relative to own_core(), is delivered when the sources have been read:
  // from then on they may be overwritten.
  void fold(const HbmView& dst, const Folded& what, isa::Queue on, const std::optional<Delivery>& read = {});
  // Like fold(), into another core's HBM. `landed` is delivered (to any core) when the data are there. This
  // kernel never learns when that happens, so later writes to the sources are refused (E-RUN-022). `read`
  // uses the same argument as `landed`.
  void send(const HbmView& dst, const Folded& what, isa::Queue on, const Delivery& landed,
            const std::optional<Delivery>& read = {});
  void wait(isa::Queue on, Signal signal,
            std::uint32_t value);  // later instructions of `on` see the sent data
  // Later instructions of `on` see everything that this kernel has written to the window so far.
  void wait(isa::Queue on, const HbmView& written);
  // The data that other cores send to the window are complete when the signal has reached the value; later
  // uses of the window wait for that. Blocks `on` until then.
  void landed(isa::Queue on, const HbmView& window, Signal signal, std::uint32_t value);
  // As above, if `on` has already waited for all of the data.
  void landed(isa::Queue on, const HbmView& window);
  // Rendezvous of both cores of a logical core. Each arrives with what it has written to its windows so far;
  // later uses of `theirs` see the other core's writes. Blocks `on`, the queue of an engine. On one pipe
  // (0..15), the n-th rendezvous of one core matches the n-th of the other.
  void rendezvous(isa::Queue on, unsigned pipe, const std::vector<HbmView>& own,
                  const std::vector<HbmView>& theirs);

 protected:
  // Semaphores from this one on are signals.
  unsigned first_signal() const { return next_signal_; }

 private:
  KernelRecord& record_;
  unsigned next_signal_ = isa::kSemaphores;
  std::uint8_t own_core_ = isa::kNone;  // argument number
};

}  // namespace tahoma::runtime
