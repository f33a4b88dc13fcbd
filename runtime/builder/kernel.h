// SPDX-License-Identifier: Apache-2.0
// Kernels are written in program order on tiles; finish() finds the dependencies between the engines, places
// the semaphores and returns the per-engine streams. Double buffering is a pool with two copies: taking the
// third tile waits until the first one's readers are done.
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

// A view of an on-chip buffer: partitions x up to 4 free dimensions. Made by Kernel::take, narrowed by its
// own methods.
struct TileView {
  std::uint32_t buffer = 0;  // identity for dependency tracking
  isa::Tile tile;
  isa::Shape shape;
  TileView partitions(unsigned first, unsigned count) const;  // rows [first, first + count)
  TileView columns(unsigned first, unsigned count) const;     // of the innermost dimension
  TileView broadcast_columns(unsigned count) const;           // a [P,1] column seen as [P,count], stride 0
  TileView every(unsigned first, unsigned step) const;        // columns first, first + step, ...
  // Columns first + r * pitch + c as `rows` x `width`: a box of an image that lies in the columns.
  TileView grid(unsigned first, unsigned rows, unsigned pitch, unsigned width) const;
  TileView as(isa::DType dtype) const;  // the same bytes; of a tile without gaps
  // Runs of columns that lie one behind the other as `count` slices of [P, columns / count] each: operands of
  // matmuls with several rows of the contraction in a partition.
  TileView slices(unsigned count) const;
  TileView slice(unsigned number) const;  // one of them: [P, columns of a slice]
};

// A 2-D window of an HBM argument: rows x columns of a matrix, row-major unless the strides say otherwise.
struct HbmView {
  std::uint8_t arg = isa::kNone;
  isa::DType dtype = isa::DType::kFp32;
  std::uint64_t offset = 0;  // bytes from the argument's address
  std::uint64_t rows = 0, columns = 0;
  std::int64_t row_stride = 0, column_stride = 1;  // elements
  std::int64_t distance = 0;  // bytes to the same place of a peer's tensor; 0: the argument's own
  // The rows again and again, outermost first: `count` times, `stride` elements apart.
  struct Repeat {
    std::uint64_t count = 1;
    std::int64_t stride = 0;
  };
  std::array<Repeat, 2> repeats{};
  bool repeated() const { return repeats[0].count > 1 || repeats[1].count > 1; }
  std::int64_t origin = 0;   // bytes from the argument's address to the tensor, of beside()
  std::uint32_t buffer = 0;  // identity for dependency tracking: an argument's number, or that of beside()
  HbmView window(std::uint64_t row, std::uint64_t column, std::uint64_t rows, std::uint64_t columns) const;
  // Row count * p + s as slice s of row p, to be loaded into TileView::slices; the rows are a multiple.
  HbmView slices(unsigned count) const;
  // The same with rows / count neighbours in each slice: row s * (rows / count) + p as slice s of row p.
  HbmView stacked(unsigned count) const;
  // The same window of a peer's tensor, so far away in the global address space (isa/core/program.h), either way.
  HbmView of_peer(std::int64_t bytes) const;
};

// What a transfer brings to one window: another one, or up to 16 folded element by element in their order, as
// dma_compute does it.
struct Folded {
  std::vector<HbmView> sources;
  isa::AluOp op = isa::AluOp::kAdd;             // add, max or min
  Folded(const HbmView& one) : sources{one} {}  // NOLINT(google-explicit-constructor): a plain copy
  Folded(std::vector<HbmView> several, isa::AluOp how) : sources(std::move(several)), op(how) {}
};

// A semaphore shared by name with other cores' programs: the n-th signal of every program has the same
// number.
struct Signal {
  std::uint8_t semaphore = 0;
};

// To raise a signal by 16, once per DMA engine, at the core whose number is the argument's plus `peer`.
struct Delivery {
  std::uint8_t core = isa::kNone;  // of core_argument() or own_core()
  Signal signal;
  int peer = 0;
};

struct Pool {
  std::uint32_t id = 0;
};

// The stationary operand of a matmul. In double_row a partition has two slices of it; a sparse one is
// compressed, and `tags` are the positions of what was kept (uint16 [P, columns / 4]): isa/table/table_tensor.h.
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
  // Kernels that do alike, those of the ranks of a group, take less of the host's memory when they share
  // `kinds` (runtime/builder/operations.h).
  Kernel(std::string name, const model::MachineParams& machine,
         std::shared_ptr<OperationKinds> kinds = nullptr);
  ~Kernel();

  HbmView argument(const std::string& name, isa::DType dtype, std::uint64_t rows, std::uint64_t columns);
  // The argument keeps its values when nothing is computed: page tables, routing, counts.
  void control(const HbmView& argument);
  // Another tensor of this core, so many bytes from the argument's address; a dependency of its own.
  HbmView beside(const HbmView& argument, std::int64_t bytes, isa::DType dtype, std::uint64_t rows,
                 std::uint64_t columns);
  std::uint8_t core_argument(const std::string& name);  // an argument that holds a core number, for Delivery
  std::uint8_t own_core(const std::string& name);       // the one that holds this core's
  Signal signal();

  // What follows belongs to this part of the work, until the next call: reports give each its time and bound.
  void region(const std::string& name);

  // On-chip memory: `copies` rotating buffers of 128 partitions x `columns` elements. Throws UserError
  // E-RUN-020 when SBUF or PSUM is exhausted, naming the pool and what is left.
  Pool sbuf(const std::string& name, isa::DType dtype, unsigned columns, unsigned copies = 1);
  Pool psum(const std::string& name, isa::DType dtype, unsigned columns,
            unsigned copies = 1);                                   // bank-aligned
  TileView take(Pool pool, unsigned partitions, unsigned columns);  // the next copy
  // Pools made during a scope are given back at its end, so that the next part of the work has their room:
  // whatever it brings there waits for those that still use it, tile by tile. Tiles of them are not to be
  // used any more.
  class Scope {
   public:
    explicit Scope(Kernel& kernel);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Kernel& kernel_;
    std::uint32_t sbuf_, psum_;  // in use when it began
  };

  // Data movement; `on` rings the doorbell.
  void load(const TileView& dst, const HbmView& src, isa::Queue on = isa::Queue::kSync);
  // dst [C,R] = src [R,C] through the transposing path of the DMA engines: 2- or 4-byte elements, R a
  // multiple of 16, C at most 128 in one piece.
  void load_transposed(const TileView& dst, const HbmView& src, isa::Queue on = isa::Queue::kSync);
  void store(const HbmView& dst, const TileView& src, isa::Queue on = isa::Queue::kSync,
             bool accumulate = false);
  void move(const HbmView& dst, const HbmView& src, isa::Queue on);
  void move(const TileView& dst, const TileView& src, isa::Queue on);  // inside SBUF, by DMA
  // dst[p] = src[rows[p]], src[rows[p]] -> dst: rows of the window by number, from a [P,1] column of int32 or
  // uint32 in SBUF. GpSimd's software writes the descriptors and rings, because no other generator follows
  // row numbers; a number beyond the window's rows ends the run (E-RUN-043). In timing mode the numbers have
  // to come from a control argument.
  void gather(const TileView& dst, const HbmView& src, const TileView& rows);
  void scatter(const HbmView& dst, const TileView& src, const TileView& rows);
  // dst = what. `read` is delivered, counted from own_core(), when the sources have been read: whoever filled
  // them may do it again.
  void fold(const HbmView& dst, const Folded& what, isa::Queue on, const std::optional<Delivery>& read = {});
  // The same into another core's HBM, where `landed` is delivered (to any core) when it is there. This kernel
  // never learns when: writing the sources afterwards is refused (E-RUN-022). `read` starts from the same
  // argument as `landed`.
  void send(const HbmView& dst, const Folded& what, isa::Queue on, const Delivery& landed,
            const std::optional<Delivery>& read = {});
  void wait(isa::Queue on, Signal signal,
            std::uint32_t value);  // later instructions of `on` see what was sent
  // Later instructions of `on` find everything that this kernel has written to the window so far.
  void wait(isa::Queue on, const HbmView& written);
  // What other cores send to the window is there when the signal has reached the value: whoever uses the
  // window later waits for that. Holds `on` until then.
  void landed(isa::Queue on, const HbmView& window, Signal signal, std::uint32_t value);
  // The same where `on` has waited for all that by itself.
  void landed(isa::Queue on, const HbmView& window);
  // Both cores of a logical core come here, each with what it has written to its windows so far; what uses
  // `theirs` later finds what the other one wrote. Holds `on`, an engine's queue. Of a pipe (0..15) the n-th
  // meeting of one core is the n-th of the other.
  void meet(isa::Queue on, unsigned pipe, const std::vector<HbmView>& own,
            const std::vector<HbmView>& theirs);

  // Tensor engine. dst: PSUM [columns of stationary, moving columns]; loads the weights when they are not
  // loaded yet. `moving` has as many slices a partition as the stationary operand's mode asks for.
  void matmul(const TileView& dst, const Stationary& stationary, const TileView& moving, bool accumulate);
  void transpose(const TileView& dst, const TileView& src,
                 const TileView& identity);  // dst [F,P] = src [P,F]

  // Element-wise; dst and sources have the same shape (broadcast by stride 0), partitions may start
  // elsewhere.
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

  // Any other instruction, with tiles of this kernel's pools in its slots (`i.dst = y.tile; i.shape =
  // y.shape`): what it reads and writes, and with it its dependencies, follows from the instruction table.
  void emit(isa::Queue on, const isa::Instruction& instruction);

  isa::Program finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tahoma::runtime
