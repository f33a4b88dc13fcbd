// SPDX-License-Identifier: Apache-2.0
// A kernel is written in program order on tiles. finish() finds the dependencies between the engines, places
// the semaphores and returns the per-engine streams. Double buffering is a pool with two copies: the third
// take() waits until all readers of the first tile are done.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/core/program.h"
#include "model/system/machine_params.h"

namespace tahoma::runtime {

// A view of an on-chip buffer: partitions x up to 4 free dimensions. Kernel::take creates it;
// its methods narrow it.
struct TileView {
  std::uint32_t buffer = 0;  // identity for dependency tracking
  isa::Tile tile;
  isa::Shape shape;
  TileView partitions(unsigned first, unsigned count) const;  // rows [first, first + count)
  TileView columns(unsigned first, unsigned count) const;     // of the innermost dimension
  TileView broadcast_columns(unsigned count) const;           // a [P,1] column seen as [P,count], stride 0
  TileView every(unsigned first, unsigned step) const;        // columns first, first + step, ...
  // Columns first + r * pitch + c as `rows` x `width`: a box of an image that is stored in the columns.
  TileView grid(unsigned first, unsigned rows, unsigned pitch, unsigned width) const;
  TileView as(isa::DType dtype) const;  // the same bytes; only for a tile without gaps
  // Consecutive runs of columns as `count` slices of [P, columns / count] each: operands of matmuls that hold
  // several rows of the contraction in each partition.
  TileView slices(unsigned count) const;
  TileView slice(unsigned number) const;  // slice `number` of slices(): [P, columns of a slice]
};

// A 2-D window of an HBM argument: rows x columns of a matrix, row-major unless the strides differ.
struct HbmView {
  std::uint8_t arg = isa::kNone;
  isa::DType dtype = isa::DType::kFp32;
  std::uint64_t offset = 0;  // bytes from the argument's address
  std::uint64_t rows = 0, columns = 0;
  std::int64_t row_stride = 0, column_stride = 1;  // elements
  std::int64_t distance = 0;  // bytes to the same address in a peer's tensor; 0: this core's own tensor
  // Repeats the rows `count` times, `stride` elements apart, outermost first.
  struct Repeat {
    std::uint64_t count = 1;
    std::int64_t stride = 0;
  };
  std::array<Repeat, 2> repeats{};
  bool repeated() const { return repeats[0].count > 1 || repeats[1].count > 1; }
  std::int64_t origin = 0;  // of a beside() tensor: bytes from the argument's address to the tensor
  // Identity for dependency tracking: the number of an argument or of a beside() tensor
  std::uint32_t buffer = 0;
  HbmView window(std::uint64_t row, std::uint64_t column, std::uint64_t rows, std::uint64_t columns) const;
  // Row count * p + s as slice s of row p, for loads into TileView::slices. `count` must divide the rows.
  HbmView slices(unsigned count) const;
  // As slices(), but each slice holds rows / count adjacent rows: row
  // s * (rows / count) + p is slice s of row p.
  HbmView stacked(unsigned count) const;
  // The same window of a peer's tensor, `bytes` away in the global address space
  // (isa/core/program.h); may be negative.
  HbmView of_peer(std::int64_t bytes) const;
};

// The source of a transfer to one window: one window, or up to 16 that dma_compute folds element by
// element in the given order.
struct Folded {
  std::vector<HbmView> sources;
  isa::AluOp op = isa::AluOp::kAdd;             // add, max or min
  Folded(const HbmView& one) : sources{one} {}  // NOLINT(google-explicit-constructor): a plain copy
  Folded(std::vector<HbmView> several, isa::AluOp how) : sources(std::move(several)), op(how) {}
};

// A semaphore that the programs of several cores share: the n-th signal of every program has the same number.
struct Signal {
  std::uint8_t semaphore = 0;
};

// Raises a signal by 16 (once per DMA engine) on the core whose number is the argument's value plus `peer`.
struct Delivery {
  std::uint8_t core = isa::kNone;  // argument from core_argument() or own_core()
  Signal signal;
  int peer = 0;
};

struct Pool {
  std::uint32_t id = 0;
};

// The stationary operand of a matmul. In double_row mode each partition holds two slices of it. A sparse
// operand is compressed, and `tags` are the positions of the kept elements (uint16 [P, columns / 4]):
// isa/table/table_tensor.h.
struct Stationary {
  TileView tile;
  isa::MatmulMode mode = isa::MatmulMode::kDense;
  std::optional<TileView> tags;
  Stationary(const TileView& dense) : tile(dense) {}  // NOLINT(google-explicit-constructor): the usual one
  Stationary(const TileView& weights, isa::MatmulMode how, const std::optional<TileView>& kept = {})
      : tile(weights), mode(how), tags(kept) {}
};

struct ScalarOperand {  // an immediate or a [P,1] column of fp32
  float imm = 0;
  const TileView* column = nullptr;
};

class OperationKinds;

class Kernel {
 public:
  // Kernels with the same operations, such as those of the ranks of a group, use less host memory when they
  // share `kinds` (runtime/builder/operations.h).
  Kernel(std::string name, const model::MachineParams& machine,
         std::shared_ptr<OperationKinds> kinds = nullptr);
  ~Kernel();

  HbmView argument(const std::string& name, isa::DType dtype, std::uint64_t rows, std::uint64_t columns);
  // The argument keeps its values in timing mode: page tables, routing, counts.
  void control(const HbmView& argument);
  // Another tensor of this core, `bytes` from the argument's address, with dependencies of its own.
  HbmView beside(const HbmView& argument, std::int64_t bytes, isa::DType dtype, std::uint64_t rows,
                 std::uint64_t columns);
  std::uint8_t core_argument(const std::string& name);  // an argument that holds a core number, for Delivery
  std::uint8_t own_core(const std::string& name);       // the argument that holds this core's number
  Signal signal();

  // Operations that follow belong to this part of the work, until the next call. Reports state the time and
  // the bound of each part.
  void region(const std::string& name);

  // On-chip memory: `copies` rotating buffers of 128 partitions x `columns` elements. Throws UserError
  // E-RUN-020 when SBUF or PSUM is exhausted; the message names the pool and what is left.
  Pool sbuf(const std::string& name, isa::DType dtype, unsigned columns, unsigned copies = 1);
  Pool psum(const std::string& name, isa::DType dtype, unsigned columns,
            unsigned copies = 1);                                   // bank-aligned
  TileView take(Pool pool, unsigned partitions, unsigned columns);  // the next copy
  // Pools created in a scope are released at its end, so that later work can reuse their space. Writes to
  // reused space wait, tile by tile, for operations that still use the old contents. Tiles of released pools
  // must not be used any more.
  class Scope {
   public:
    explicit Scope(Kernel& kernel);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Kernel& kernel_;
    std::uint32_t sbuf_, psum_;  // in use when the scope began
  };

  // Data movement; `on` rings the doorbell.
  void load(const TileView& dst, const HbmView& src, isa::Queue on = isa::Queue::kSync);
  // dst [C,R] = src [R,C] through the transposing path of the DMA engines: 2- or 4-byte elements, R a
  // multiple of 16, C at most 128 per call.
  void load_transposed(const TileView& dst, const HbmView& src, isa::Queue on = isa::Queue::kSync);
  void store(const HbmView& dst, const TileView& src, isa::Queue on = isa::Queue::kSync,
             bool accumulate = false);
  void move(const HbmView& dst, const HbmView& src, isa::Queue on);
  void move(const TileView& dst, const TileView& src, isa::Queue on);  // inside SBUF, by DMA
  // dst[p] = src[rows[p]] and dst[rows[p]] = src[p]: rows of the window are selected by number, from a [P,1]
  // column of int32 or uint32 in SBUF. GpSimd software writes the descriptors and rings the doorbell, because
  // no other descriptor generator supports row numbers. A number beyond the window's rows ends the run
  // (E-RUN-043). In timing mode the numbers must come from a control argument.
  void gather(const TileView& dst, const HbmView& src, const TileView& rows);
  void scatter(const HbmView& dst, const TileView& src, const TileView& rows);
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
  void meet(isa::Queue on, unsigned pipe, const std::vector<HbmView>& own,
            const std::vector<HbmView>& theirs);

  // Tensor engine. dst: PSUM [columns of stationary, moving columns]. Loads the weights unless they are
  // already loaded. `moving` has as many slices per partition as the mode of the stationary operand requires.
  void matmul(const TileView& dst, const Stationary& stationary, const TileView& moving, bool accumulate);
  void transpose(const TileView& dst, const TileView& src,
                 const TileView& identity);  // dst [F,P] = src [P,F]

  // Element-wise. dst and sources have the same shape (broadcast by stride 0); their first
  // partitions may differ.
  void copy(const TileView& dst, const TileView& src, isa::Queue on = isa::Queue::kVector);
  void tensor_tensor(const TileView& dst, const TileView& a, const TileView& b, isa::AluOp op,
                     isa::Queue on = isa::Queue::kVector);
  using Operand = ScalarOperand;
  void tensor_scalar(const TileView& dst, const TileView& src, isa::AluOp op0, Operand s0,
                     isa::AluOp op1 = isa::AluOp::kBypass, Operand s1 = {},
                     isa::Queue on = isa::Queue::kVector);
  void reduce(const TileView& dst, const TileView& src, isa::AluOp op,
              isa::Queue on = isa::Queue::kVector);  // innermost dimension
  // dst = (src0 op0 scalar) op1 src1
  void scalar_tensor_tensor(const TileView& dst, const TileView& src0, isa::AluOp op0, Operand scalar,
                            isa::AluOp op1, const TileView& src1);
  void activation(const TileView& dst, const TileView& src, isa::ActFn fn, Operand scale = {1.0F, nullptr},
                  Operand bias = {});
  void activation_reduce(const TileView& dst, const TileView& sum, const TileView& src, isa::ActFn fn,
                         Operand scale = {1.0F, nullptr}, Operand bias = {});
  void reciprocal(const TileView& dst, const TileView& src);
  void memset(const TileView& dst, float value, isa::Queue on = isa::Queue::kVector);
  // dst = (base + channel_multiplier * p + coefficient * i) `compare` 0 ? src : otherwise
  void affine_select(const TileView& dst, const TileView& src, std::int32_t base,
                     std::int32_t channel_multiplier, std::int16_t coefficient, isa::CompareOp compare,
                     float otherwise);

  // Any other instruction, with tiles of this kernel's pools in its fields (`i.dst = y.tile;
  // i.shape = y.shape`). The instruction table says what it reads and writes, which
  // determines its dependencies.
  void emit(isa::Queue on, const isa::Instruction& instruction);

  isa::Program finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tahoma::runtime
