// SPDX-License-Identifier: Apache-2.0
// Files in YAML: cases, machines, sweeps, suites, price lists, cards, servers and clusters. Law: what is
// resolved, written and read again is the same text.
#include <memory>

#include "model/base/error.h"
#include "report/cost/price_list.h"
#include "runtime/config/config.h"
#include "studies/cards/card.h"
#include "studies/cluster/input/cluster_case.h"
#include "studies/serving/serving_case.h"
#include "studies/sweep/spec/spec.h"
#include "studies/validation/accuracy/suite.h"
#include "studies/validation/regression/case_file.h"
#include "tests/fuzz/parsers/parsers.h"

namespace tahoma::fuzz {

// Without the checks between values, some of which plan whole kernels: random workloads reach those.
void read_case(std::string_view bytes) {
  runtime::ConfigRequest request;
  request.workload = "input.yaml";
  request.text = bytes.empty() ? "\n" : std::string(bytes);
  const std::string resolved = runtime::resolve_values(request)->to_yaml();
  request.text = resolved;
  if (runtime::resolve_values(request)->to_yaml() != resolved)
    throw Contradiction("case -> resolved -> case");
}

void read_machine(std::string_view bytes) {
  write_input("machine.yaml", bytes);
  static_cast<void>(runtime::resolve_machine_params("./machine.yaml", {}));
}

void read_sweep(std::string_view bytes) {
  write_input("sweep.yaml", bytes);
  if (!runtime::is_sweep("sweep.yaml")) return;
  const std::string written = runtime::load_sweep("sweep.yaml").to_yaml();
  write_input("again.yaml", written);
  if (runtime::load_sweep("again.yaml").to_yaml() != written) throw Contradiction("sweep -> text -> sweep");
}

void read_expression(std::string_view bytes) {
  const runtime::Expression expression(std::string(bytes), "input");
  const runtime::Names names{
      [](const std::string& name) { return std::optional<double>(static_cast<double>(name.size()) + 0.5); },
      [] {
        return std::vector<std::string>{"a", "workload.m"};
      }};
  expression.require(names);
  static_cast<void>(expression.value(names));
}

void read_suite(std::string_view bytes) {
  write_input("suite.yaml", bytes);
  if (runtime::is_suite("suite.yaml")) static_cast<void>(runtime::load_suite("suite.yaml"));
}

// One table as each kind of family.
void read_table(std::string_view bytes) {
  write_input("table.csv", bytes);
  const char* const kinds[] = {"table", "traffic", "fabric", "collectives", "peaks"};
  std::unique_ptr<base::UserError> refused;
  bool accepted = false;
  for (const char* kind : kinds) {
    write_input("suite.yaml",
                "accuracy:\n  title: t\n  machine: trainium2_chip\n  families:\n    f: {doc: d, " +
                    std::string(kind) + ": table.csv}\n");
    try {
      static_cast<void>(runtime::load_suite("suite.yaml"));
      accepted = true;
    } catch (const base::UserError& error) {
      refused = std::make_unique<base::UserError>(error);
    }
  }
  if (!accepted) throw base::UserError(*refused);
}

void read_regression_cases(std::string_view bytes) {
  write_input("cases.yaml", bytes);
  if (runtime::is_case_file("cases.yaml")) static_cast<void>(runtime::load_case_file("cases.yaml"));
}

void read_prices(std::string_view bytes) {
  write_input("prices.yaml", bytes);
  static_cast<void>(runtime::read_price_list("./prices.yaml"));
}

void read_accelerator_card(std::string_view bytes) {
  write_input("card.yaml", bytes);
  static_cast<void>(runtime::read_card("./card.yaml"));
}

void read_serving(std::string_view bytes) {
  write_input("serving.yaml", bytes);
  const auto the_case = runtime::serving::load_serving_case("serving.yaml", {});
  const std::string written = the_case->to_yaml({});
  write_input("again.yaml", written);
  if (runtime::serving::load_serving_case("again.yaml", {})->to_yaml({}) != written)
    throw Contradiction("server -> text -> server");
}

void read_cluster(std::string_view bytes) {
  write_input(
      "model.json",
      R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 512, "num_hidden_layers": 16,
                  "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 1024, "vocab_size": 1000,
                  "rms_norm_eps": 1e-5, "max_position_embeddings": 8192, "hidden_act": "silu", "rope_theta": 500000.0})");
  write_input("cluster.yaml", bytes);
  static_cast<void>(runtime::cluster::load_cluster_case("cluster.yaml", {}));
}

}  // namespace tahoma::fuzz
