// SPDX-License-Identifier: Apache-2.0
// A Verilator-generated class with a separate context and its waveforms.
#pragma once

#include <verilated.h>
#include <verilated_fst_c.h>

#include <memory>
#include <string>

namespace tahoma::rtl {

template <class Top>
class VerilatedBlock {
 public:
  explicit VerilatedBlock(const std::string& name) : top_(tracing(context_), name.c_str()) {}
  // Verilator's scopes deregister from the context that the thread used last, which may belong to another
  // block that no longer exists.
  ~VerilatedBlock() {
    Verilated::threadContextp(&context_);
    top_.final();
    if (waves_) waves_->close();
  }
  VerilatedBlock(const VerilatedBlock&) = delete;
  VerilatedBlock& operator=(const VerilatedBlock&) = delete;

  Top* operator->() { return &top_; }
  VerilatedContext& context() { return context_; }

  bool open_waves(const std::string& file) {
    waves_ = std::make_unique<VerilatedFstC>();
    top_.trace(waves_.get(), kLevels);
    waves_->open(file.c_str());
    return waves_->isOpen();
  }
  void show_waves(bool on) { shown_ = on; }

  // Evaluates the effects of the inputs until half a cycle is over.
  void half_cycle() {
    top_.eval();
    if (waves_ && shown_) waves_->dump(context_.time());
    context_.timeInc(1);
  }

 private:
  static constexpr int kLevels = 99;  // hierarchy levels: all
  static VerilatedContext* tracing(VerilatedContext& context) {
    context.traceEverOn(true);
    return &context;
  }

  VerilatedContext context_;
  Top top_;
  std::unique_ptr<VerilatedFstC> waves_;
  bool shown_ = false;
};

}  // namespace tahoma::rtl
