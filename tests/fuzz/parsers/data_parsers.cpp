// SPDX-License-Identifier: Apache-2.0
// Files of data: tensors, models, traces, tables of times and statistics. Law: a trace that was read is the
// same after it is written.
#include <optional>

#include "report/execution_trace/execution_trace.h"
#include "report/execution_trace/trace_graph.h"
#include "runtime/host/npy.h"
#include "runtime/host/safetensors.h"
#include "studies/model/config/model_config.h"
#include "studies/model/model_weights.h"
#include "studies/serving/input/request_trace.h"
#include "studies/serving/steps/step_table.h"
#include "studies/validation/regression/golden_statistics.h"
#include "tests/fuzz/parsers/parsers.h"

namespace tahoma::fuzz {

void read_requests(std::string_view bytes) {
  write_input("requests.csv", bytes);
  static_cast<void>(runtime::serving::read_trace("requests.csv"));
}

void read_step_table(std::string_view bytes) {
  write_input("steps.csv", bytes);
  const runtime::serving::StepTable table("steps.csv");
  runtime::serving::StepPoint middle;
  if (table.contains(runtime::serving::StepPhase::kDecode, middle))
    static_cast<void>(table.cost_at(runtime::serving::StepPhase::kDecode, middle));
}

void read_array(std::string_view bytes) {
  write_input("input.npy", bytes);
  const runtime::NpyArray array = runtime::read_npy("input.npy");
  if (array.bytes.size() != array.elements() * runtime::element_size(array.descr))
    throw Contradiction("elements and bytes");
  runtime::write_npy("again.npy", array);
  const runtime::NpyArray again = runtime::read_npy("again.npy");
  if (again.bytes != array.bytes || again.shape != array.shape || again.descr != array.descr)
    throw Contradiction("array -> file -> array");
}

void read_tensors(std::string_view bytes) {
  write_input("input.safetensors", bytes);
  const auto values = runtime::read_safetensors("input.safetensors#a", "a", isa::DType::kFp32, {2, 3});
  if (values.size() != 24) throw Contradiction("bytes of a tensor");
}

void read_shards(std::string_view bytes) {
  static const runtime::ModelConfig config = [] {
    write_input(
        "config.json",
        R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 1,
                    "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 64, "vocab_size": 64,
                    "rms_norm_eps": 1e-5, "max_position_embeddings": 64, "hidden_act": "silu", "rope_theta": 500000.0})");
    return runtime::read_model_config("config.json", {});
  }();
  write_input("model.safetensors.index.json", bytes);
  static_cast<void>(runtime::convert_weights(config, ".", "."));
}

void read_huggingface_config(std::string_view bytes) {
  write_input("config.json", bytes);
  const runtime::ModelConfig config = runtime::read_model_config("config.json", {});
  if (config.family == nullptr || config.layers == 0 || config.heads == 0)
    throw Contradiction("a model without layers");
}

void read_execution_trace(std::string_view bytes) {
  const runtime::chakra::RankTrace trace = runtime::chakra::parse_trace(bytes, "input.0.et");
  const std::string written = runtime::chakra::trace_bytes(trace, 0);
  if (runtime::chakra::trace_bytes(runtime::chakra::parse_trace(written, "again.0.et"), 0) != written)
    throw Contradiction("trace -> file -> trace");
  static_cast<void>(runtime::chakra::graph_of({trace}, {}, "input"));
}

void read_rank_groups(std::string_view bytes) {
  write_input("groups.json", bytes);
  const runtime::chakra::Groups groups = runtime::chakra::read_groups("groups.json");
  write_input("again.json", runtime::chakra::groups_json(groups));
  if (runtime::chakra::read_groups("again.json") != groups) throw Contradiction("groups -> file -> groups");
}

void read_statistics(std::string_view bytes) {
  write_input("statistics.csv", bytes);
  static_cast<void>(runtime::read_golden_statistics("statistics.csv"));
}

}  // namespace tahoma::fuzz
