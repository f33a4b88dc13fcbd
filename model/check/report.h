// SPDX-License-Identifier: Apache-2.0
// Formats findings as text.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "isa/core/program.h"
#include "model/check/byte_sets.h"
#include "model/check/disputed_writes.h"
#include "model/check/findings.h"
#include "model/check/semaphore_order.h"

namespace tahoma::model::check {

class Report : public SemaphoreWitness {
 public:
  // `name` returns the name of a core. `findings` must outlive the report.
  Report(std::function<std::string(std::uint32_t)> name, Findings& findings)
      : name_(std::move(name)), findings_(findings) {}

  // Findings name the source lines of the instructions of these programs, which must outlive the report.
  void program(std::uint32_t core, const isa::Program& program) { programs_[core] = &program; }

  void race(const Race& race, isa::Space space);
  // Two transfers that write the same values, or a read of their bytes: no finding, but counted.
  void redundant(const Race& race);
  void unwritten(const Origin& reader, isa::Space space, const Footprint& tile, const Footprint& gap);
  void unwritten(const Origin& reader, isa::Space space, const Footprint& tile, const Stripe& gap);
  void open_group(const Origin& reader, const Footprint& tile, const Stripe& open);
  void no_group(const Origin& matmul, const Footprint& tile, const Stripe& gap);

  // the semaphore that the next two calls concern
  void about_semaphore(unsigned number) { semaphore_ = number; }
  void ambiguous(const Origin& waiter, const Origin& counted, const Origin& also) override;
  void unordered_set(const Origin& first, const Origin& second) override;

 private:
  std::string text_of(const Origin& origin) const;
  std::string source_of(const Origin& origin) const;  // "" without a source
  std::string place_of(const Origin& origin) const;
  void add(Kind kind, const Origin& a, const Origin& b, const std::function<std::string()>& text);

  std::function<std::string(std::uint32_t)> name_;
  std::unordered_map<std::uint32_t, const isa::Program*> programs_;  // by core
  Findings& findings_;
  unsigned semaphore_ = 0;
};

}  // namespace tahoma::model::check
