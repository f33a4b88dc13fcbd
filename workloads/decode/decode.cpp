// SPDX-License-Identifier: Apache-2.0
#include "workloads/decode/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "model/base/error.h"
#include "workloads/common/kernel_case.h"
#include "workloads/common/row_numbers.h"
#include "workloads/decode/decode_definition.h"
#include "workloads/decode/decode_kernel.h"

namespace tahoma::workloads {

namespace {

using runtime::HostTensor;

constexpr std::uint64_t kMostElements = 256;  // of a head with keys and values of their own

// Pages in an order from the seed, like those of a cache that has been in use for a while.
void scatter_pages(HostTensor& table, std::uint64_t seed) {
  std::vector<std::int32_t> pages(table.elements());
  std::iota(pages.begin(), pages.end(), 0);
  const runtime::GeneratedValues drawn(seed, table.name);
  for (std::uint64_t left = pages.size(); left > 1; --left) {
    const double place = (1.0 + drawn[left]) / 2;  // [0, 1)
    std::swap(pages[left - 1],
              pages[std::min(left - 1, static_cast<std::uint64_t>(place * static_cast<double>(left)))]);
  }
  std::memcpy(table.values.data(), pages.data(), table.values.size());
}

class Decode final : public KernelCase {
 public:
  Decode() : KernelCase({"q", "k", "v", "table"}) {}

  // 2 for each element of a key, for a score, and of a value, for its contribution to the output.
  double useful_flops() const override {
    const std::vector<std::uint64_t> all = lengths();
    const auto tokens = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
    return 2.0 * static_cast<double>((d_ + shape(1).values()) * group_ * kv_heads_ * tokens);
  }
  isa::DType compute_dtype() const override { return dtype_; }
  std::string describe() const override {
    return fmt::format("decode {} sequences of {} tokens, {} x {} heads of {}, {} cache, {} on {} cores",
                       batch_, context_, kv_heads_, group_, d_,
                       page_size_ == 0 ? "contiguous" : fmt::format("paged ({})", page_size_),
                       isa::name_of(dtype_), cores());
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    t.add("batch", batch_, std::uint64_t{16}, {1, 1024}, "sequences, with one query token each",
          base::chosen());
    t.add("context", context_, std::uint64_t{8192}, {1, 1 << 20},
          "tokens of the first sequence in the cache, and capacity of each", base::chosen());
    t.add("shorter_by", shorter_by_, std::uint64_t{0}, {0, 1 << 20},
          "tokens by which each sequence is shorter than the previous one, down to 1", base::chosen());
    t.add("kv_heads", kv_heads_, std::uint64_t{1}, {1, 4096}, "heads of keys and values", base::chosen());
    t.add("group", group_, std::uint64_t{8}, {1, 128}, "query heads per head of keys and values",
          base::chosen());
    t.add("d", d_, std::uint64_t{128}, {1, 1024},
          "elements of a query, key or value, at most 256 without latent", base::chosen());
    t.add("latent", latent_, std::uint64_t{0}, {0, 512},
          "multi-head latent attention: the first so many elements of a key are its value, too; 0: keys and "
          "values are separate",
          base::chosen());
    t.add("page_size", page_size_, std::uint64_t{0}, {0, 1024}, "tokens of a page; 0: a contiguous cache",
          base::chosen());
    t.add("dtype", dtype_, isa::DType::kBf16, {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32},
          "element type of all tensors and of the probabilities; sums are fp32", base::chosen());
  }

  void check_sizes(const model::MachineParams& machine) const override {
    if (d_ > kMostElements && latent_ == 0)
      throw base::UserError(
          "E-RUN-098", "workload.d",
          fmt::format("expected at most {} without workload.latent, got {}", kMostElements, d_));
    if (latent_ > d_)
      throw base::UserError("E-RUN-098", "workload.latent",
                            fmt::format("expected at most the {} elements of a key, got {}", d_, latent_));
    const std::uint64_t most = most_decode_group(machine, shape(1).values(), dtype_);
    if (most == 0)
      throw base::UserError("E-RUN-098", "workload.d",
                            fmt::format("{} elements of {} do not fit into a bank of PSUM, {} B", d_,
                                        isa::name_of(dtype_), machine.chip.core.psum.bank.count));
    if (group_ > most)
      throw base::UserError(
          "E-RUN-098", "workload.group",
          fmt::format(
              "expected at most {}, the columns of the machine's array and of its PSUM banks for heads of {} "
              "elements; got {}",
              most, d_, group_));
  }

  std::vector<CaseTensor> tensors() const override {
    const isa::DType dtype = compute_dtype();
    const std::vector<std::uint64_t> rows{kv_heads_, batch_, group_, d_};
    std::vector<CaseTensor> all{{"q", dtype, rows}};
    const bool paged = page_size_ != 0;
    const DecodeShape s = shape(1);
    std::vector<std::uint64_t> cache{kv_heads_, batch_, context_, d_};
    if (paged) cache = {kv_heads_, s.pages, page_size_, d_};
    all.push_back({"k", dtype, cache});
    all.back().layout = paged || latent_ > 0 ? HbmLayout::kRowMajor : HbmLayout::kTransposed;
    if (latent_ == 0) all.push_back({"v", dtype, cache});
    if (paged) {
      all.push_back({"table",
                     isa::DType::kInt32,
                     {batch_, s.pages_per_sequence()},
                     Role::kInput,
                     Sharding::kReplicated});
      all.back().control = true;
      all.back().make = scatter_pages;
      all.back().refuse = refuse_rows_beyond(s.pages);
    }
    all.push_back({"o", dtype, {kv_heads_, batch_, group_, s.values()}, Role::kOutput});
    return all;
  }
  std::uint64_t units() const override { return kv_heads_; }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return decode_program(machine, shape(part.count));
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    const auto table = values.find("table");
    return check_decode({values.at("q"), values.at("k"), values.at(latent_ > 0 ? "k" : "v"), values.at("o"),
                         table == values.end() ? nullptr : &table->second, lengths()},
                        maker("o"));
  }

 private:
  std::vector<std::uint64_t> lengths() const {
    std::vector<std::uint64_t> all(batch_);
    for (std::uint64_t b = 0; b < batch_; ++b)
      all[b] = context_ > b * shorter_by_ ? context_ - b * shorter_by_ : 1;
    return all;
  }
  DecodeShape shape(std::uint64_t kv_heads) const {
    DecodeShape s{kv_heads, lengths(), context_, group_, d_, page_size_, 0, compute_dtype()};
    s.pages = batch_ * s.pages_per_sequence();
    s.latent = latent_;
    return s;
  }

  std::uint64_t batch_ = 0, context_ = 0, shorter_by_ = 0, kv_heads_ = 0, group_ = 0, d_ = 0, latent_ = 0,
                page_size_ = 0;
  isa::DType dtype_{};
};

}  // namespace

std::unique_ptr<runtime::Workload> make_decode() { return std::make_unique<Decode>(); }

}  // namespace tahoma::workloads
