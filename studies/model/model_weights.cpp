// SPDX-License-Identifier: Apache-2.0
#include "studies/model/model_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/npy_dtype.h"
#include "runtime/host/safetensors.h"
#include "runtime/host/text/whole_file.h"
#include "studies/model/config/families.h"

namespace tahoma::runtime {

using base::UserError;
using isa::DType;

namespace {

// Where a checkpoint has its tensors.
class WeightFiles {
 public:
  explicit WeightFiles(const std::string& folder) : folder_(folder) {
    const std::filesystem::path index = folder_ / "model.safetensors.index.json";
    if (!std::filesystem::exists(index)) {
      if (!std::filesystem::exists(folder_ / kWhole))
        throw UserError("E-HFC-030", folder,
                        fmt::format("contains neither {} nor {}.index.json", kWhole, kWhole));
      return;
    }
    const auto refuse = [&](const std::string& why) -> UserError {
      return {"E-HFC-030", index.string(),
              fmt::format("expected an object weight_map with the file of each tensor: {}", why)};
    };
    try {
      nlohmann::json json;
      if (const auto fault = fault_of_json(read_file(index.string()), json)) throw refuse(*fault);
      for (const auto& [name, file] : json.at("weight_map").items()) files_[name] = file.get<std::string>();
    } catch (const nlohmann::json::exception& error) {
      throw refuse(error.what());
    }
  }

  std::vector<std::byte> read(const std::string& tensor, DType dtype,
                              const std::vector<std::uint64_t>& shape) const {
    std::string file = kWhole;
    if (!files_.empty()) {
      const auto found = files_.find(tensor);
      if (found == files_.end())
        throw UserError("E-HFC-030", (folder_ / "model.safetensors.index.json").string(),
                        fmt::format("names no file for the tensor {}", tensor));
      // A name that leaves the folder is no shard of this checkpoint.
      if (std::filesystem::path(found->second).has_parent_path())
        throw UserError("E-HFC-030", (folder_ / "model.safetensors.index.json").string(),
                        fmt::format("expected a file of the folder for {}, got {}", tensor, found->second));
      file = found->second;
    }
    return read_safetensors((folder_ / file).string() + "#" + tensor, tensor, dtype, shape);
  }

 private:
  static constexpr const char* kWhole = "model.safetensors";
  std::filesystem::path folder_;
  std::map<std::string, std::string> files_;  // by tensor; empty: one file has all
};

// A tensor of each layer, or of the whole model, and the input that it becomes.
struct WeightRow {
  const char* input;
  std::string tensor;  // with {} for the layer
  bool of_layers;
  std::uint64_t outputs, inputs;              // inputs 0: a vector
  std::uint64_t first_row = 0, all_rows = 0;  // of a fused tensor; 0: all of it
  bool transposed = true;
};

std::vector<WeightRow> rows_of(const ModelConfig& c) {
  const std::uint64_t q = c.heads * c.head_dim, kv = c.kv_heads * c.head_dim;
  const std::string layer = "model.layers.{}.", attention = layer + "self_attn.", mlp = layer + "mlp.";
  std::vector<WeightRow> rows{
      {"o", attention + "o_proj.weight", true, c.hidden, q},
      {"down", mlp + (c.family->gated ? "down_proj.weight" : "c_proj.weight"), true, c.hidden, c.ffn},
      {"final_gain", "model.norm.weight", false, c.hidden, 0},
      {"embedding", "model.embed_tokens.weight", false, c.vocabulary, c.hidden, 0, 0, false},
      {"head", c.tied ? "model.embed_tokens.weight" : "lm_head.weight", false, c.vocabulary, c.hidden}};
  const bool biased = c.family->norm == std::string_view("layer_bias");
  const std::string mlp_norm =
      layer + (c.family->post_norm ? "pre_feedforward" : "post_attention") + "_layernorm.";
  if (c.family->pre_norm) {
    rows.push_back({"attention_gain", layer + "input_layernorm.weight", true, c.hidden, 0});
    rows.push_back({"mlp_gain", mlp_norm + "weight", true, c.hidden, 0});
  }
  if (biased) {
    rows.push_back({"attention_norm_bias", layer + "input_layernorm.bias", true, c.hidden, 0});
    rows.push_back({"mlp_norm_bias", mlp_norm + "bias", true, c.hidden, 0});
    rows.push_back({"final_bias", "model.norm.bias", false, c.hidden, 0});
  }
  if (c.family->fused) {
    const std::string heads = attention + "qkv_proj.weight", both = mlp + "gate_up_proj.weight";
    rows.push_back({"q", heads, true, q, c.hidden, 0, q + 2 * kv});
    rows.push_back({"k", heads, true, kv, c.hidden, q, q + 2 * kv});
    rows.push_back({"v", heads, true, kv, c.hidden, q + kv, q + 2 * kv});
    rows.push_back({"gate", both, true, c.ffn, c.hidden, 0, 2 * c.ffn});
    rows.push_back({"up", both, true, c.ffn, c.hidden, c.ffn, 2 * c.ffn});
    return rows;
  }
  rows.push_back({"q", attention + "q_proj.weight", true, q, c.hidden});
  rows.push_back({"k", attention + "k_proj.weight", true, kv, c.hidden});
  rows.push_back({"v", attention + "v_proj.weight", true, kv, c.hidden});
  if (c.family->gated) rows.push_back({"gate", mlp + "gate_proj.weight", true, c.ffn, c.hidden});
  rows.push_back({"up", mlp + (c.family->gated ? "up_proj.weight" : "c_fc.weight"), true, c.ffn, c.hidden});
  if (c.family->mlp_bias) {
    rows.push_back({"up_bias", mlp + "c_fc.bias", true, c.ffn, 0});
    rows.push_back({"down_bias", mlp + "c_proj.bias", true, c.hidden, 0});
  }
  if (c.family->o_bias) rows.push_back({"o_bias", attention + "o_proj.bias", true, c.hidden, 0});
  if (c.family->post_norm) {
    rows.push_back({"attention_post_gain", layer + "post_attention_layernorm.weight", true, c.hidden, 0});
    rows.push_back({"mlp_post_gain", layer + "post_feedforward_layernorm.weight", true, c.hidden, 0});
  }
  if (c.qkv_bias) {
    rows.push_back({"q_bias", attention + "q_proj.bias", true, q, 0});
    rows.push_back({"k_bias", attention + "k_proj.bias", true, kv, 0});
    rows.push_back({"v_bias", attention + "v_proj.bias", true, kv, 0});
  }
  if (c.joint_qk_norm) {
    rows.push_back({"joint_q_norm", attention + "q_norm.weight", true, q, 0});
    rows.push_back({"joint_k_norm", attention + "k_norm.weight", true, kv, 0});
  }
  if (c.qk_norm) {
    rows.push_back({"q_norm", attention + "q_norm.weight", true, c.head_dim, 0});
    rows.push_back({"k_norm", attention + "k_norm.weight", true, c.head_dim, 0});
  }
  return rows;
}

// Appends a tensor's rows, transposed if the row asks for it.
void append(std::vector<std::byte>& all, const WeightRow& row, const std::vector<std::byte>& tensor,
            std::size_t size) {
  const std::uint64_t columns = row.inputs == 0 ? 1 : row.inputs;
  const std::byte* from = tensor.data() + row.first_row * columns * size;
  const std::size_t begin = all.size();
  all.resize(begin + row.outputs * columns * size);
  std::byte* to = all.data() + begin;
  if (row.inputs == 0 || !row.transposed) {
    std::memcpy(to, from, row.outputs * columns * size);
    return;
  }
  for (std::uint64_t o = 0; o < row.outputs; ++o)
    for (std::uint64_t i = 0; i < columns; ++i)
      std::memcpy(to + (i * row.outputs + o) * size, from + (o * columns + i) * size, size);
}

// Constants of a model that its matrices take up.
void multiply(const ModelConfig& c, const WeightRow& row, std::vector<std::byte>& bytes) {
  const std::string_view input = row.input;
  const double factor = input == "embedding"              ? c.factors.embedding
                        : input == "head"                 ? c.factors.logits
                        : input == "o" || input == "down" ? c.factors.sublayer
                                                          : 1;
  if (factor == 1) return;
  for (std::size_t at = 0; at < bytes.size(); at += isa::size_of(DType::kBf16))
    isa::store_from_fp32(&bytes[at], DType::kBf16,
                         static_cast<float>(factor * double{isa::load_as_fp32(&bytes[at], DType::kBf16)}));
}

// Gemma's gains are 1 + weight.
void adapt_to_gemma(const WeightRow& row, std::vector<std::byte>& bytes) {
  if (row.inputs != 0) return;
  for (std::size_t at = 0; at < bytes.size(); at += isa::size_of(DType::kFp32))
    isa::store_from_fp32(&bytes[at], DType::kFp32, 1 + isa::load_as_fp32(&bytes[at], DType::kFp32));
}

NpyArray converted(const ModelConfig& config, const WeightFiles& files, const WeightRow& row) {
  const bool vector = row.inputs == 0;
  const DType dtype = vector ? DType::kFp32 : DType::kBf16;
  const std::uint64_t outputs = row.all_rows == 0 ? row.outputs : row.all_rows,
                      layers = row.of_layers ? config.layers : 1;
  const std::vector<std::uint64_t> shape =
      vector ? std::vector<std::uint64_t>{outputs} : std::vector<std::uint64_t>{outputs, row.inputs};
  NpyArray array;
  array.descr = vector ? "<f4" : "<u2";  // bf16 bit by bit
  for (std::uint64_t l = 0; l < layers; ++l)
    append(array.bytes, row, files.read(fmt::format(fmt::runtime(row.tensor), l), dtype, shape),
           isa::size_of(dtype));
  multiply(config, row, array.bytes);
  if (config.family->gemma) adapt_to_gemma(row, array.bytes);
  if (row.of_layers) array.shape.push_back(layers);
  if (vector)
    array.shape.insert(array.shape.end(), {1, row.outputs});
  else if (row.transposed)
    array.shape.insert(array.shape.end(), {row.inputs, row.outputs});
  else
    array.shape.insert(array.shape.end(), {row.outputs, row.inputs});
  return array;
}

}  // namespace

void require_unscaled(const ModelLayout& layout) {
  if (layout.weights == DType::kBf16) return;
  throw UserError(
      "E-HFC-017", "--dtype",
      fmt::format("weights of a checkpoint need scales to become {}, and the products of the kernels "
                  "apply none; expected bf16",
                  isa::name_of(layout.weights)));
}

std::vector<std::pair<std::string, std::string>> convert_weights(const ModelConfig& config,
                                                                 const std::string& weights,
                                                                 const std::string& folder) {
  if (config.experts > 0)
    throw UserError(
        "E-HFC-030", config.file,
        "weights of a mixture of experts cannot be run: the routing of a run is part of its case");
  if (config.latent.kv_rank > 0)
    throw UserError(
        "E-HFC-030", config.file,
        "weights of multi-head latent attention cannot be run: their rotated features are in another order");
  if (config.delta.value_heads > 0)
    throw UserError("E-HFC-030", config.file,
                    "weights of delta rules cannot be run: a generation keeps keys and values only");
  if (config.family->other_names)
    throw UserError("E-HFC-030", config.file,
                    fmt::format("weights of {} cannot be run: their tensors have other names than Llama's",
                                config.family->architecture));
  if (config.family->parallel)
    throw UserError(
        "E-HFC-030", config.file,
        fmt::format("weights of {} cannot be run: their rotated features are in another order, or "
                    "their logits have a bias",
                    config.family->architecture));
  const WeightFiles files(weights);
  std::vector<std::pair<std::string, std::string>> inputs;
  for (const WeightRow& row : rows_of(config)) {
    const std::string file = (std::filesystem::path(folder) / (std::string(row.input) + ".npy")).string();
    write_npy(file, converted(config, files, row));
    inputs.emplace_back(row.input, file);
  }
  return inputs;
}

}  // namespace tahoma::runtime
