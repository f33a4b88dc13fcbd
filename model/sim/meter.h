// SPDX-License-Identifier: Apache-2.0
// Counters of a part of the netlist: activations of components, retired instructions, the time of the last
// effect. Every chip has a meter, and its modules hold a reference; the meters of a machine share the history
// of activations and the first failure. A meter calls a progress hook every few thousand activations.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

#include "model/base/activity.h"
#include "model/base/measurements.h"
#include "model/sim/time.h"

namespace tahoma::sim {

struct Meter : base::RunCounts {
  base::Time last_effect{0};
  std::function<void()> hook;
  base::Observer* observer = nullptr;  // null: no observer, as for the others
  base::ProbeObserver* probes = nullptr;
  base::TimelineObserver* timeline = nullptr;
  base::ResultObserver* results = nullptr;  // functional mode only

  // Returns a meter of another part of the same machine, with the same observers, hook and history, and its
  // own counts.
  Meter part() const {
    Meter other = *this;
    static_cast<base::RunCounts&>(other) = {};
    other.last_effect = base::Time{0};
    return other;
  }

  // Uses the observers of another meter from now on.
  void observe_as(const Meter& other) {
    observer = other.observer;
    probes = other.probes;
    timeline = other.timeline;
    results = other.results;
  }
  // From now on, `one` receives what any of its three kinds of observers would have received.
  template <class One>
  void redirect(One& one) {
    if (observer != nullptr) observer = &one;
    if (probes != nullptr) probes = &one;
    if (timeline != nullptr) timeline = &one;
  }

  // Runs the body of a process. SystemC would convert an exception that leaves a process into its own report.
  // Instead the exception is stored, the simulation stops, and rethrow() passes it to the caller of run().
  // `who` names the instance.
  template <class Body>
  void guard(const char* who, Body&& body) {
    history_->last[history_->activations++ % kLast] = {now(), who};
    try {
      body();
    } catch (...) {
      fail();
    }
  }
  // Internal errors are rethrown with the time and the last activations added.
  void rethrow() const;
  // Stores the exception that is being handled, if it is the first one, and stops the simulation.
  void fail();
  bool failed() const { return history_->failure != nullptr; }

  void effect_at(base::Time t) { last_effect = std::max(last_effect, t); }
  void engine_activated() {
    if ((++engine_activations & 0x3fff) == 0 && hook) hook();
  }
  void dma_activated() {
    if ((++dma_activations & 0x3fff) == 0 && hook) hook();
  }

 private:
  static constexpr std::size_t kLast = 32;
  struct Activation {
    base::Time when{0};
    const char* who = nullptr;
  };
  struct History {
    std::array<Activation, kLast> last{};
    std::uint64_t activations = 0;
    std::exception_ptr failure;
  };
  std::shared_ptr<History> history_ = std::make_shared<History>();
};

}  // namespace tahoma::sim
