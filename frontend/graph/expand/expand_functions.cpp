// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <string_view>

#include "frontend/graph/expand/expansion.h"

namespace tahoma::workloads::graph {

namespace {

using Formula = ValueId (*)(Expansion& to, ValueId x);

struct FunctionRow {
  std::string_view op;
  Formula formula;
};

ValueId one(Expansion& to) { return to.number(1, to.node().type(0).element); }
ValueId half(Expansion& to) { return to.number(0.5, to.node().type(0).element); }
ValueId exponential(Expansion& to, ValueId x) { return to.add("Exp", {x}); }
ValueId negative(Expansion& to, ValueId x) { return to.add("Neg", {x}); }
ValueId square(Expansion& to, ValueId x) { return to.add("Mul", {x, x}); }
// x / sqrt(1 - x^2), the tangent of the arc.
ValueId slope(Expansion& to, ValueId x) {
  return to.add("Div", {x, to.add("Sqrt", {to.add("Sub", {one(to), square(to, x)})})});
}

constexpr std::array kFunctions{
    FunctionRow{"Tan",
                [](Expansion& to, ValueId x) {
                  return to.add("Div", {to.add("Sin", {x}), to.add("Cos", {x})});
                }},
    FunctionRow{"Sinh",
                [](Expansion& to, ValueId x) {
                  return to.add("Mul", {to.add("Sub", {exponential(to, x), exponential(to, negative(to, x))}),
                                        half(to)});
                }},
    FunctionRow{"Cosh",
                [](Expansion& to, ValueId x) {
                  return to.add("Mul", {to.add("Add", {exponential(to, x), exponential(to, negative(to, x))}),
                                        half(to)});
                }},
    FunctionRow{"Asin", [](Expansion& to, ValueId x) { return to.add("Atan", {slope(to, x)}); }},
    FunctionRow{"Acos",
                [](Expansion& to, ValueId x) {
                  return to.add("Sub", {to.number(std::acos(0.0), to.node().type(0).element),
                                        to.add("Atan", {slope(to, x)})});
                }},
    FunctionRow{"Asinh",
                [](Expansion& to, ValueId x) {
                  const ValueId size = to.add("Abs", {x});
                  const ValueId root = to.add("Sqrt", {to.add("Add", {square(to, x), one(to)})});
                  return to.add("Mul", {to.add("Log", {to.add("Add", {size, root})}), to.add("Sign", {x})});
                }},
    FunctionRow{"Acosh",
                [](Expansion& to, ValueId x) {
                  const ValueId root = to.add("Sqrt", {to.add("Sub", {square(to, x), one(to)})});
                  return to.add("Log", {to.add("Add", {x, root})});
                }},
    FunctionRow{
        "Atanh",
        [](Expansion& to, ValueId x) {
          const ValueId ratio = to.add("Div", {to.add("Add", {one(to), x}), to.add("Sub", {one(to), x})});
          return to.add("Mul", {to.add("Log", {ratio}), half(to)});
        }},
    FunctionRow{"CastLike", [](Expansion& to, ValueId x) { return to.cast(x, to.node().type(1).element); }},
    FunctionRow{"IsInf",
                [](Expansion& to, ValueId x) {
                  const NodeView& node = to.node();
                  const auto infinite = [&](double sign) {
                    return to.number(sign * HUGE_VAL, node.type(0).element);
                  };
                  const bool above = node.integer("detect_positive", 1) != 0,
                             below = node.integer("detect_negative", 1) != 0;
                  if (above && below) return to.add("Equal", {to.add("Abs", {x}), infinite(1)});
                  if (!above && !below) return to.add("Less", {x, x});  // never
                  return to.add("Equal", {x, infinite(above ? 1 : -1)});
                }},
    // x + bias below -lambd, x - bias above lambd, else 0.
    FunctionRow{"Shrink",
                [](Expansion& to, ValueId x) {
                  const NodeView& node = to.node();
                  const ElementType element = node.type(0).element;
                  const ValueId bias = to.number(node.number("bias", 0), element),
                                limit = to.number(node.number("lambd", 0.5), element);
                  const ValueId below = to.add("Where", {to.add("Less", {x, negative(to, limit)}),
                                                         to.add("Add", {x, bias}), to.number(0, element)});
                  return to.add("Where", {to.add("Greater", {x, limit}), to.add("Sub", {x, bias}), below});
                }},
    FunctionRow{
        "Swish",
        [](Expansion& to, ValueId x) {
          const NodeView& node = to.node();
          const double alpha = node.number("alpha", 1);
          const ValueId scaled = alpha == 1 ? x : to.add("Mul", {x, to.number(alpha, node.type(0).element)});
          return to.add("Mul", {x, to.add("Sigmoid", {scaled})});
        }},
    // The remainder has the sign of the divisor, and that of the dividend with fmod.
    FunctionRow{
        "Mod",
        [](Expansion& to, ValueId x) {
          const NodeView& node = to.node();
          const ElementType element = node.type(0).element;
          const ValueId a = to.cast(x, ElementType::kFloat), b = to.cast(node.id(1), ElementType::kFloat);
          const ValueId ratio = to.add("Div", {a, b});
          ValueId whole = to.add("Floor", {ratio});
          if (node.integer("fmod", 0) != 0)
            whole = to.add("Mul", {to.add("Floor", {to.add("Abs", {ratio})}), to.add("Sign", {ratio})});
          return to.cast(to.add("Sub", {a, to.add("Mul", {whole, b})}), element);
        }},
};

}  // namespace

void expand_function(Expansion& to) {
  for (const FunctionRow& row : kFunctions)
    if (row.op == to.node().node().op) to.result(0, row.formula(to, to.node().id(0)));
}

}  // namespace tahoma::workloads::graph
