// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/model/read_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "frontend/graph/model/tensor_data.h"
#include "model/base/error.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::workloads::graph {

std::string text_of(const Node& node) { return fmt::format("node '{}' ({})", node.name, node.op); }

namespace {

constexpr std::int64_t kLeastOpset = 1, kMostOpset = 24;
constexpr int kMostDepth = 16;

class ModelReader {
 public:
  explicit ModelReader(const std::string& path) : path_(path), model_(std::make_shared<wire::Model>()) {
    const std::string bytes = runtime::read_file(path);
    if (!model_->ParseFromString(bytes) || !model_->has_graph())
      refuse("E-ONX-001", fmt::format("is no ONNX model, or is truncated: {} bytes", bytes.size()));
  }

  Graph read() {
    graph_.name = std::filesystem::path(path_).stem().string();
    read_opsets();
    const wire::Graph& graph = model_->graph();
    if (static_cast<std::size_t>(graph.node_size()) > kMostNodes)
      refuse("E-ONX-007", fmt::format("has {} nodes; expected at most {}", graph.node_size(), kMostNodes));
    if (graph.sparse_initializer_size() > 0) refuse("E-ONX-009", "has sparse initialisers");
    read_initialisers(graph);
    read_inputs(graph);
    read_nodes(graph, graph_.nodes);
    for (const wire::ValueInfo& output : graph.output())
      graph_.outputs.push_back(known(output.name(), "the outputs"));
    if (graph_.outputs.empty()) refuse("E-ONX-002", "has no outputs");
    order();
    return std::move(graph_);
  }

 private:
  [[noreturn]] void refuse(const char* code, const std::string& text) const {
    throw base::UserError(code, path_, text);
  }

  void read_opsets() {
    for (const wire::OperatorSet& set : model_->opset_import())
      if (set.domain().empty() || set.domain() == "ai.onnx") graph_.opset = set.version();
    if (graph_.opset < kLeastOpset || graph_.opset > kMostOpset)
      refuse("E-ONX-001", fmt::format("has opset {} of the default domain; expected {} to {}", graph_.opset,
                                      kLeastOpset, kMostOpset));
  }

  ValueId define(const std::string& name, const std::string& by) {
    const auto id = static_cast<ValueId>(graph_.values.size());
    if (!ids_.emplace(name, id).second)
      refuse("E-ONX-002", fmt::format("defines the value '{}' twice, the second time in {}", name, by));
    graph_.values.push_back({name, {}, {}, {}});
    names_.push_back(name);
    return id;
  }

  ValueId known(const std::string& name, const std::string& by) const {
    const auto id = ids_.find(name);
    if (id == ids_.end())
      refuse("E-ONX-002",
             fmt::format("has no node, input or initialiser for the value '{}' of {}", name, by));
    return id->second;
  }

  void read_initialisers(const wire::Graph& graph) {
    for (const wire::Tensor& tensor : graph.initializer()) {
      Value& value = graph_.value(define(tensor.name(), "the initialisers"));
      value.type = type_of(tensor, path_);
      value.constant = values_of(tensor, path_, model_);
    }
  }

  // Old files list initialisers among the inputs.
  void read_inputs(const wire::Graph& graph) {
    for (const wire::ValueInfo& info : graph.input()) {
      if (ids_.contains(info.name())) continue;
      const wire::TensorType& type = info.type().tensor();
      const ElementRow* row = element_row(type.elem_type());
      if (row == nullptr)
        refuse("E-ONX-009", fmt::format("has the input '{}' with element type {}, which is not supported",
                                        info.name(), type.elem_type()));
      GraphInput input{define(info.name(), "the inputs"), row->type, {}};
      for (const wire::Dimension& dim : type.shape().dim())
        input.dims.push_back({dim.has_value() ? dim.value() : -1, dim.name()});
      graph_.inputs.push_back(std::move(input));
    }
  }

  // All outputs are defined first, so that the order of the file does not matter.
  void read_nodes(const wire::Graph& graph, std::vector<Node>& nodes) {
    for (const wire::Node& read : graph.node()) {
      Node& node = nodes.emplace_back();
      node.op = read.op_type();
      node.domain = read.domain() == "ai.onnx" ? "" : read.domain();
      node.name = !read.name().empty()     ? read.name()
                  : read.output_size() > 0 ? fmt::format("{}_{}", node.op, read.output(0))
                                           : fmt::format("{}_{}", node.op, nodes.size() - 1);
      for (const std::string& output : read.output())
        node.outputs.push_back(output.empty() ? kOmitted : define(output, text_of(node)));
    }
    for (int n = 0; n < graph.node_size(); ++n) {
      Node& node = nodes[static_cast<std::size_t>(n)];
      for (const std::string& input : graph.node(n).input())
        node.inputs.push_back(input.empty() ? kOmitted : known(input, text_of(node)));
      for (const wire::Attribute& attribute : graph.node(n).attribute())
        node.attributes[attribute.name()] = read_attribute(attribute, node);
    }
  }

  Attribute read_attribute(const wire::Attribute& read, Node& node) {
    Attribute attribute;
    attribute.i = read.i();
    attribute.f = static_cast<double>(read.f());
    attribute.s = read.s();
    attribute.ints.assign(read.ints().begin(), read.ints().end());
    attribute.floats.assign(read.floats().begin(), read.floats().end());
    if (read.has_t()) {
      attribute.tensor = values_of(read.t(), path_, model_);
      attribute.tensor_type = [&tensor = read.t(), path = path_, owner = model_] {
        return type_of(tensor, path);
      };
    }
    if (read.has_g()) attribute.branch = read_branch(read.g(), node);
    return attribute;
  }

  // The names of a branch are known in it alone.
  std::shared_ptr<const Branch> read_branch(const wire::Graph& graph, Node& node) {
    if (++depth_ > kMostDepth) refuse("E-ONX-007", fmt::format("nests more than {} graphs", kMostDepth));
    const std::size_t outside = names_.size();
    const auto first = static_cast<ValueId>(graph_.values.size());
    auto branch = std::make_shared<Branch>();
    read_initialisers(graph);
    for (const wire::ValueInfo& input : graph.input())
      if (!ids_.contains(input.name())) branch->inputs.push_back(define(input.name(), text_of(node)));
    read_nodes(graph, branch->nodes);
    for (const wire::ValueInfo& output : graph.output())
      branch->outputs.push_back(known(output.name(), text_of(node)));
    const auto read_outside = [&](ValueId id) {
      if (id < first && std::find(node.inputs.begin(), node.inputs.end(), id) == node.inputs.end())
        node.inputs.push_back(id);
    };
    for (const Node& inner : branch->nodes)
      std::for_each(inner.inputs.begin(), inner.inputs.end(), read_outside);
    std::for_each(branch->outputs.begin(), branch->outputs.end(), read_outside);
    for (; names_.size() > outside; names_.pop_back()) ids_.erase(names_.back());
    --depth_;
    return branch;
  }

  // Kahn's algorithm; among nodes that are ready the file's order decides.
  void order() {
    std::vector<std::vector<std::uint32_t>> readers(graph_.values.size());
    std::vector<std::uint32_t> waits(graph_.nodes.size(), 0), maker(graph_.values.size(), UINT32_MAX);
    for (std::uint32_t n = 0; n < graph_.nodes.size(); ++n)
      for (const ValueId id : graph_.nodes[n].outputs)
        if (id != kOmitted) maker[id] = n;
    for (std::uint32_t n = 0; n < graph_.nodes.size(); ++n)
      for (const ValueId id : graph_.nodes[n].inputs)
        if (id != kOmitted && maker[id] != UINT32_MAX) {
          readers[id].push_back(n);
          ++waits[n];
        }
    std::vector<std::uint32_t> ready, ordered;
    for (std::uint32_t n = 0; n < graph_.nodes.size(); ++n)
      if (waits[n] == 0) ready.push_back(n);
    std::make_heap(ready.begin(), ready.end(), std::greater<>());
    while (!ready.empty()) {
      std::pop_heap(ready.begin(), ready.end(), std::greater<>());
      const std::uint32_t n = ready.back();
      ready.pop_back();
      ordered.push_back(n);
      for (const ValueId id : graph_.nodes[n].outputs) {
        if (id == kOmitted) continue;
        for (const std::uint32_t reader : readers[id])
          if (--waits[reader] == 0) {
            ready.push_back(reader);
            std::push_heap(ready.begin(), ready.end(), std::greater<>());
          }
      }
    }
    if (ordered.size() != graph_.nodes.size()) {
      const auto stuck = std::find_if(waits.begin(), waits.end(), [](std::uint32_t w) { return w > 0; });
      refuse("E-ONX-002",
             fmt::format("has a cycle through or before {}",
                         text_of(graph_.nodes[static_cast<std::size_t>(stuck - waits.begin())])));
    }
    std::vector<Node> nodes;
    nodes.reserve(ordered.size());
    for (const std::uint32_t n : ordered) nodes.push_back(std::move(graph_.nodes[n]));
    graph_.nodes = std::move(nodes);
  }

  std::string path_;
  std::shared_ptr<wire::Model> model_;
  Graph graph_;
  std::unordered_map<std::string, ValueId> ids_;
  std::vector<std::string> names_;  // in the order of their definition
  int depth_ = 0;                   // of branches
};

}  // namespace

Graph read_model(const std::string& path) { return ModelReader(path).read(); }

}  // namespace tahoma::workloads::graph
