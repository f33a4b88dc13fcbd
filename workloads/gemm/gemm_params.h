// SPDX-License-Identifier: Apache-2.0
// The parameters of the workload `gemm`: sizes, dtypes and mode, epilogue, sharding and input files.
#pragma once

#include <optional>
#include <string>

#include "model/base/params.h"
#include "runtime/collective/algorithm/algorithm.h"
#include "runtime/run/placement.h"
#include "workloads/gemm/kernel/blocking.h"
#include "workloads/gemm/kernel/gemm_nests.h"

namespace tahoma::workloads {

// The layout of A in HBM.
enum class ALayout : std::uint8_t { kColumns, kRows };

class GemmParams {
 public:
  void declare(base::ParamTree& t);
  // Throws UserError E-RUN-091 for a dtype that the mode does not support, and E-RUN-092 for settings that a
  // nest or a sharded contraction does not support.
  void check() const;

  GemmShape shape() const;
  runtime::Shard shard() const { return {shard_.m, shard_.n, shard_.k}; }
  GemmNest nest() const { return kernel_; }
  runtime::collective::Algorithm algorithm() const { return algorithm_; }
  std::string describe() const;

  // .npy files; empty: from the seed.
  struct Inputs {
    std::string a, b, bias, residual;
    void declare(base::ParamTree& t);
  };
  const Inputs& inputs() const { return inputs_; }

 private:
  struct Parts {
    std::uint64_t m, n, k;
    void declare(base::ParamTree& t);
  };
  struct Behind {
    BiasOf bias;
    std::optional<isa::ActFn> activation;
    bool residual;
    void declare(base::ParamTree& t);
  };

  std::uint64_t m_ = 0, n_ = 0, k_ = 0;
  isa::DType dtype_{};
  std::optional<isa::DType> out_;
  isa::MatmulMode mode_{};
  ALayout a_layout_{};
  GemmNest kernel_{};
  runtime::collective::Algorithm algorithm_{};
  Parts shard_{};
  Behind behind_{};
  Inputs inputs_;
};

}  // namespace tahoma::workloads
