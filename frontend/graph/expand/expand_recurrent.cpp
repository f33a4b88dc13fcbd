// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "frontend/graph/expand/expansion.h"

namespace tahoma::workloads::graph {

namespace {

// One direction of a recurrent operator. x is [steps, batch, inputs]; weights are [gates * hidden, ...].
class Recurrence {
 public:
  Recurrence(Expansion& to, std::int64_t direction) : to_(to), d_(direction) {
    const NodeView& node = to_.node();
    const Dims x = to_.dims(0), r = to_.dims(2);
    steps_ = x[0];
    batch_ = x[1];
    hidden_ = r[2];
    gates_ = r[1] / hidden_;
    element_ = node.type(0).element;
    kind_ = node.node().op;
    backward_ = node.word("direction", "forward") == "reverse" || direction == 1;
    for (const std::size_t input : {std::size_t{1}, std::size_t{2}})
      (input == 1 ? w_ : r_) = to_.transpose(of_direction(input, to_.dims(input)), {1, 0});
    if (node.has(3)) {
      const std::vector<ValueId> both =
          to_.split(of_direction(3, to_.dims(3)), 0, {gates_ * hidden_, gates_ * hidden_});
      wb_ = both[0];
      rb_ = both[1];
    } else {
      wb_ = rb_ = zeros({gates_ * hidden_});
    }
  }

  // Fills the states after each step, in the order of x.
  void run() {
    ValueId h = to_.node().has(5) ? state(5) : zeros({batch_, hidden_});
    ValueId c = kind_ != "LSTM" ? h : to_.node().has(6) ? state(6) : zeros({batch_, hidden_});
    // All steps at once; a GRU may have the second bias inside its reset.
    const bool inside = kind_ == "GRU" && to_.node().integer("linear_before_reset", 0) != 0;
    const ValueId bias = inside ? wb_ : to_.add("Add", {wb_, rb_});
    if (kind_ == "GRU") r_of_gate_ = gates(r_, 1);
    if (inside) rb_of_gate_ = gates(rb_, 0);
    const ValueId all = to_.add("Add", {to_.add("MatMul", {to_.node().id(0), w_}), bias});
    std::vector<ValueId> rows =
        to_.split(all, 0, std::vector<std::int64_t>(static_cast<std::size_t>(steps_), 1));
    states.resize(rows.size());
    for (std::size_t s = 0; s < rows.size(); ++s) {
      const std::size_t t = backward_ ? rows.size() - 1 - s : s;
      const ValueId given = to_.reshape(rows[t], {batch_, gates_ * hidden_});
      if (kind_ == "LSTM") {
        step_lstm(given, h, c);
      } else {
        h = kind_ == "GRU" ? step_gru(given, h) : tanh(to_.add("Add", {given, to_.add("MatMul", {h, r_})}));
      }
      states[t] = h;
    }
    last = h;
    last_cell = c;
  }

  std::vector<ValueId> states;
  ValueId last = kOmitted, last_cell = kOmitted;

 private:
  ValueId zeros(const Dims& dims) {
    return to_.constant(element_, dims, std::vector<double>(elements_of(dims), 0));
  }
  ValueId of_direction(std::size_t input, const Dims& dims) {
    ValueId value = to_.node().id(input);
    if (dims[0] > 1)
      value = to_.split(
          value, 0,
          std::vector<std::int64_t>(static_cast<std::size_t>(dims[0]), 1))[static_cast<std::size_t>(d_)];
    return to_.reshape(value, {dims.begin() + 1, dims.end()});
  }
  ValueId state(std::size_t input) { return of_direction(input, to_.dims(input)); }
  ValueId tanh(ValueId x) { return to_.add("Tanh", {x}); }
  ValueId sigmoid(ValueId x) { return to_.add("Sigmoid", {x}); }
  std::vector<ValueId> gates(ValueId value, std::int64_t axis) {
    return to_.split(value, axis, std::vector<std::int64_t>(static_cast<std::size_t>(gates_), hidden_));
  }

  // Input, output, forget, cell.
  void step_lstm(ValueId given, ValueId& h, ValueId& c) {
    const std::vector<ValueId> g = gates(to_.add("Add", {given, to_.add("MatMul", {h, r_})}), 1);
    const ValueId kept = to_.add("Mul", {sigmoid(g[2]), c}),
                  fresh = to_.add("Mul", {sigmoid(g[0]), tanh(g[3])});
    c = to_.add("Add", {kept, fresh});
    h = to_.add("Mul", {sigmoid(g[1]), tanh(c)});
  }

  // Update, reset, hidden.
  ValueId step_gru(ValueId given, ValueId h) {
    const bool inside = !rb_of_gate_.empty();
    const std::vector<ValueId> g = gates(given, 1);
    const auto product = [&](ValueId of, std::size_t gate) {
      const ValueId p = to_.add("MatMul", {of, r_of_gate_[gate]});
      return inside ? to_.add("Add", {p, rb_of_gate_[gate]}) : p;
    };
    const ValueId update = sigmoid(to_.add("Add", {g[0], product(h, 0)})),
                  reset = sigmoid(to_.add("Add", {g[1], product(h, 1)}));
    const ValueId past =
        inside ? to_.add("Mul", {reset, product(h, 2)}) : product(to_.add("Mul", {reset, h}), 2);
    const ValueId fresh = tanh(to_.add("Add", {g[2], past}));
    // (1 - z) * fresh + z * h
    return to_.add("Add", {fresh, to_.add("Mul", {update, to_.add("Sub", {h, fresh})})});
  }

  Expansion& to_;
  std::int64_t d_;
  std::int64_t steps_ = 0, batch_ = 0, hidden_ = 0, gates_ = 0;
  ElementType element_{};
  std::string kind_;
  bool backward_ = false;
  ValueId w_ = kOmitted, r_ = kOmitted, wb_ = kOmitted, rb_ = kOmitted;
  std::vector<ValueId> r_of_gate_, rb_of_gate_;  // of a GRU; the latter if it stands inside the reset
};

void check(const NodeView& node, const Dims& x) {
  const std::string& kind = node.node().op;
  const std::int64_t gates = kind == "LSTM" ? 4 : kind == "GRU" ? 3 : 1;
  node.require(node.dims(1).size() == 3 && node.dims(2).size() == 3 &&
                   node.dims(2)[1] == gates * node.dims(2)[2] && node.dims(1)[1] == node.dims(2)[1],
               "E-ONX-004",
               fmt::format("has weights of shapes {} and {}", text_of(node.dims(1)), text_of(node.dims(2))));
  node.require(!node.has_attribute("activations") && !node.has_attribute("clip") &&
                   node.integer("input_forget", 0) == 0 && !(kind == "LSTM" && node.has(7)),
               "E-ONX-010", "has activations, a clip, coupled gates or peepholes of its own");
  if (node.has(4)) {
    const std::vector<std::int64_t> lengths = node.integers(4);
    node.require(std::all_of(lengths.begin(), lengths.end(), [&](std::int64_t n) { return n == x[0]; }),
                 "E-ONX-010", "has sequences of several lengths");
  }
}

}  // namespace

void expand_recurrent(Expansion& to) {
  const NodeView& node = to.node();
  const Dims given = to.dims(0);
  node.require(given.size() == 3, "E-ONX-004", fmt::format("has an input of shape {}", text_of(given)));
  node.require(node.integer("layout", 0) == 0, "E-ONX-010", "has the batch first (layout 1)");
  check(node, given);
  const std::int64_t directions = node.dims(1)[0], hidden = node.dims(2)[2], steps = given[0],
                     batch = given[1];
  std::vector<ValueId> states, hidden_ends, cell_ends;
  std::vector<Recurrence> all;
  for (std::int64_t d = 0; d < directions; ++d) {
    Recurrence& direction = all.emplace_back(to, d);
    direction.run();
    hidden_ends.push_back(to.reshape(direction.last, {1, batch, hidden}));
    if (node.node().op == "LSTM" && node.wants(2))
      cell_ends.push_back(to.reshape(direction.last_cell, {1, batch, hidden}));
  }
  const Attributes first{{"axis", attribute_of(std::int64_t{0})}};
  if (node.wants(0)) {
    for (std::int64_t t = 0; t < steps; ++t)
      for (const Recurrence& direction : all)
        states.push_back(to.reshape(direction.states[static_cast<std::size_t>(t)], {1, 1, batch, hidden}));
    to.result(0, to.reshape(to.add("Concat", states, first), {steps, directions, batch, hidden}));
  }
  if (node.wants(1)) to.result(1, to.add("Concat", hidden_ends, first));
  if (node.wants(2)) to.result(2, to.add("Concat", cell_ends, first));
}

}  // namespace tahoma::workloads::graph
