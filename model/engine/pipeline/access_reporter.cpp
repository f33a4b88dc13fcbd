// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/access_reporter.h"

#include "isa/table/table.h"

namespace tahoma::model {

using base::Time;

check::Step AccessReporter::step_of(const isa::Instruction& i, Time t) const {
  const bool waits = i.wait.kind != isa::Wait::Kind::kNone;
  return {core_, queue_, static_cast<std::uint32_t>(sequencer_.pc()),
          &i,    t,      waits ? sequencer_.wait_value(i.wait) : 0};
}

void AccessReporter::start(const isa::Instruction& i, const CoreMemories& memories, Time t) {
  const check::Step step = step_of(i, t);
  if (isa::row_of(i.op).cost == isa::CostClass::kRegisterMemory) {
    const isa::OperandAccess word = sequencer_.word_access(i);
    return checker_->start(step, {&word, 1});
  }
  if (i.dst_reg == isa::kNone && i.src_reg == isa::kNone) return checker_->start(step);
  const isa::AccessList accesses = isa::accesses_of(sequencer_.resolve(i, memories));
  checker_->start(step, accesses.all());
}

// An indirect transfer accesses its rows one by one. A register may have selected them instead of a column.
void AccessReporter::list_rows(const TransferRequest& request, const isa::Instruction& i) {
  if (i.result.present) accesses_.push_back(isa::row_number_access(i.result, request.descriptor().count[0]));
  for (const isa::IndirectRow& row : request.rows) {
    isa::Descriptor one = request.descriptor();
    one.count[0] = 1;
    const bool gathers = request.indirect == isa::Indirection::kGather;
    isa::DmaSide& tile = gathers ? one.dst : one.src;
    const isa::DmaSide& side = gathers ? one.src : one.dst;
    tile.partition = static_cast<std::uint16_t>(tile.partition + row.index);
    const std::int64_t step =
        std::int64_t{side.stride[0]} * static_cast<std::int64_t>(isa::size_of(side.dtype));
    const auto offset = static_cast<std::uint64_t>(step * row.number);
    accesses_.push_back(isa::source_access(one, request.src + (gathers ? offset : 0)));
    accesses_.push_back(isa::destination_access(one, request.dst + (gathers ? 0 : offset)));
  }
}

std::uint64_t AccessReporter::ring(const isa::Instruction& i, const TransferRequest& request, Time t) {
  accesses_.clear();
  if (request.indirect != isa::Indirection::kNone) {
    list_rows(request, i);
  } else {
    for (std::size_t s = 0; s < request.sources.size(); ++s)
      accesses_.push_back(isa::source_access(request.sources[s], request.source(s)));
    accesses_.push_back(isa::destination_access(request.descriptor(), request.dst));
  }
  const bool remote = request.descriptor().dst.space == isa::Space::kHbm &&
                      isa::GlobalAddress::from(request.dst).chip != chip_;
  const auto told = [&](const std::optional<sim::Notify>& n) { return n ? n->core : core_; };
  return checker_->ring(step_of(i, t), {accesses_, told(request.notify), told(request.notify_read), remote,
                                        request.descriptor().accumulate});
}

}  // namespace tahoma::model
