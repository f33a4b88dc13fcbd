// SPDX-License-Identifier: Apache-2.0
// Random traces of NKI kernels for the laws of lowering: memsets, copies, sums, matmuls and transfers on
// parts of tensors in SBUF, PSUM and HBM, as Trace accepts them. All elements have four bytes. Entry n has
// line n of the trace, so it can be found again in another order. PSUM has four banks of 256 bytes, so that
// memory is short.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "frontend/nki/record/trace.h"

namespace tahoma::tests {

struct TraceRules {
  std::size_t entries = 60;
  unsigned tensors = 4;            // of each memory that are in use at a time
  unsigned renewed = 10;           // per cent of the entries before which one of them is declared anew
  std::uint32_t usable = 4096;     // bytes of each SBUF partition
  std::int64_t most_columns = 32;  // of a tensor in SBUF
  bool boxes = true;    // parts are rows by columns, or every second column; else they have several gaps
  bool whole = false;   // parts are whole tensors
  bool fences = false;  // barriers
  bool after = false;   // entries that the kernel orders by hand
  bool matmuls = true;
  unsigned placed = 0;  // per cent of the tensors in SBUF that have a hand-given address
};

class TraceGenerator {
 public:
  TraceGenerator(std::uint64_t seed, const TraceRules& rules) : rules_(rules), random_(seed) {}
  runtime::nki::Trace trace();

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  using Trace = runtime::nki::Trace;
  using View = runtime::nki::View;
  struct Tensor {
    std::shared_ptr<const runtime::nki::Storage> storage;
    bool stepped = false;  // its parts are every second column
  };
  using Tensors = std::vector<Tensor>;

  Tensor declare(Trace& trace, runtime::nki::Buffer buffer);
  void renew(Trace& trace);
  void step(Trace& trace);
  void compute(Trace& trace);
  void matmul(Trace& trace);
  void transfer(Trace& trace);
  const Tensor& pick(const Tensors& tensors) { return tensors[below(tensors.size())]; }
  const Tensor& on_chip() { return pick(chance(75) ? sbuf_ : psum_); }
  // `rows` partitions or rows by `columns`.
  View part(const Tensor& tensor, std::int64_t rows, std::int64_t columns);

  TraceRules rules_;
  std::mt19937_64 random_;
  Tensors sbuf_, psum_, hbm_;
};

}  // namespace tahoma::tests
