// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step/update.h"

#include <algorithm>

#include "workloads/transformer/layer/parts.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using isa::DType;
using runtime::HbmView, runtime::HostTensor;

Update::Update(Fleet& fleet, const AdamSettings& adam, Trained trained)
    : fleet_(fleet), adam_(adam), trained_(std::move(trained)) {
  if (trained_.on_all_ranks && fleet.ranks() > 1) chain_.push_back(Across::kRanks);
  if (fleet.replicas() > 1) chain_.push_back(Across::kReplicas);
  const std::size_t all = chain_.size();
  if (shared()) gradient_ = make("gradient_shard", DType::kFp32, all);
  master_ = make("master_weights", DType::kFp32, all);
  first_ = make("first_moment", DType::kFp32, all);
  second_ = make("second_moment", DType::kFp32, all);
  if (shared()) copy_ = dtype() == DType::kFp32 ? master_ : make("new_weights", dtype(), all);
  for (const Pieces* state : {&master_, &first_, &second_})
    fleet.each([&](const Cell& c) { fleet_.replica(c).declare_input((*state)[fleet_.number(c)].tensor); });
}

std::uint64_t Update::elements(std::size_t exchanges) const {
  std::uint64_t count = rows() * columns() / fleet_.physical_cores();
  for (std::size_t i = 0; i < exchanges; ++i) count /= fleet_.members(chain_[i]);
  return count;
}

std::uint64_t Update::first_element(const Cell& c) const {
  std::uint64_t first = c.physical_core * elements(0);
  for (std::size_t i = 0; i < chain_.size(); ++i)
    first += (chain_[i] == Across::kRanks ? c.rank : c.replica) * elements(i + 1);
  return first;
}

Update::Pieces Update::make(const char* name, DType dtype, std::size_t exchanges) const {
  const std::uint64_t count = elements(exchanges),
                      width = shared() ? shard_columns(fleet_.machine().params(), count) : columns();
  Pieces pieces;
  fleet_.each([&](const Cell& c) {
    pieces.push_back(fleet_.replica(c).own(c.rank, c.physical_core, name, dtype, count / width, width));
  });
  return pieces;
}

End Update::end_of(const Pieces& pieces, const Cell& c, std::uint64_t places) const {
  const Matrix& piece = pieces[fleet_.number(c)];
  return {piece.of(c.physical_core), piece.tensor.address, places};
}

HbmView Update::core_view(const std::vector<Matrix>& matrices, const Cell& c) const {
  const std::uint64_t own = rows() / fleet_.physical_cores();
  return rows_of(matrices[fleet_.rank_number(c)].of(c.physical_core), c.physical_core * own, own);
}

End Update::core_end(const std::vector<Matrix>& matrices, const Cell& c, std::uint64_t places) const {
  const HbmView view = core_view(matrices, c);
  return {view, matrices[fleet_.rank_number(c)].tensor.address + view.offset, places};
}

void Update::sum() {
  const std::string region = "gradient reduce_scatter";
  Pieces before;
  for (std::size_t i = 0; i < chain_.size(); ++i) {
    const std::uint64_t places = fleet_.members(chain_[i]);
    const Pieces after = i + 1 == chain_.size() ? gradient_ : make("gradient_sum", DType::kFp32, i + 1);
    fleet_.exchange(
        {chain_[i], region, Operation::kReduceScatter, DType::kFp32, elements(i)},
        [&](const Cell& c) {
          return i == 0 ? core_end(trained_.gradient, c, places) : end_of(before, c, places);
        },
        [&](const Cell& c) { return end_of(after, c, 1); });
    before = after;
  }
}

void Update::step() {
  fleet_.region("optimizer");
  fleet_.each([&](const Cell& c) {
    const auto view = [&](const Pieces& pieces) { return pieces[fleet_.number(c)].of(c.physical_core); };
    const HbmView p = view(master_), m = view(first_), v = view(second_);
    AdamShape shape{p.rows, p.columns, DType::kFp32, dtype() != DType::kFp32};
    AdamViews views{p, shared() ? view(gradient_) : core_view(trained_.gradient, c), m, v, p, m, v, {}};
    if (shape.copy) views.copy = shared() ? view(copy_) : core_view(trained_.weight, c);
    runtime::Kernel& kernel = fleet_.kernel(c);
    const runtime::Kernel::Scope scope(kernel);
    emit_adam(kernel, fleet_.machine().params(), shape, adam_, views);
    if (!shared() && !shape.copy) kernel.move(core_view(trained_.weight, c), p, isa::Queue::kSync);
  });
}

void Update::spread() {
  const std::string region = "weight all_gather";
  Pieces before = copy_;
  for (std::size_t i = chain_.size(); i-- > 0;) {
    const std::uint64_t places = fleet_.members(chain_[i]);
    const Pieces after = i == 0 ? Pieces{} : make("weight_part", dtype(), i);
    fleet_.exchange(
        {chain_[i], region, Operation::kAllGather, dtype(), elements(i)},
        [&](const Cell& c) { return end_of(before, c, 1); },
        [&](const Cell& c) {
          return i == 0 ? core_end(trained_.weight, c, places) : end_of(after, c, places);
        });
    before = after;
  }
}

void Update::fill() {
  runtime::Machine& machine = fleet_.machine();
  fleet_.each([&](const Cell& c) {
    const runtime::Tensor& weight = trained_.weight[fleet_.rank_number(c)].tensor;
    const runtime::Tensor& master = master_[fleet_.number(c)].tensor;
    const std::byte* from = machine.bytes(weight) + first_element(c) * isa::size_of(weight.dtype);
    auto* to = reinterpret_cast<float*>(machine.bytes(master));
    for (std::uint64_t i = 0; i < master.elements(); ++i)
      to[i] = isa::load_as_fp32(from + i * isa::size_of(weight.dtype), weight.dtype);
  });
}

HostTensor Update::together(std::size_t rank, const Pieces& shards) const {
  HostTensor whole = runtime::make_tensor(trained_.name, DType::kFp32, {rows(), columns()});
  fleet_.each([&](const Cell& c) {
    if (c.rank != rank && !trained_.on_all_ranks) return;
    const runtime::Tensor& shard = shards[fleet_.number(c)].tensor;
    std::copy_n(fleet_.machine().bytes(shard), shard.bytes(), whole.values.data() + first_element(c) * 4);
  });
  return whole;
}

HostTensor Update::gradient(std::size_t rank) const {
  if (shared()) return together(rank, gradient_);
  const runtime::Tensor& all = trained_.gradient[rank].tensor;
  HostTensor whole = runtime::make_tensor(trained_.name, DType::kFp32, {rows(), columns()});
  std::copy_n(fleet_.machine().bytes(all), all.bytes(), whole.values.data());
  return whole;
}

}  // namespace tahoma::workloads
