// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "frontend/graph/operators/product_operators.h"

namespace tahoma::workloads::graph {

ConvolutionOf transposed_convolution_of(const NodeView& node) {
  const Dims &x = node.dims(0), &w = node.dims(1);
  node.require(x.size() == w.size() && x.size() >= 3 && x[1] == w[0], "E-ONX-004",
               fmt::format("has an input of shape {} and weights of shape {}", text_of(x), text_of(w)));
  const std::size_t axes = x.size() - 2;
  const std::int64_t groups = node.integer("group", 1);
  const std::vector<std::int64_t> ones(axes, 1),
      strides = node.list("strides", ones), dilations = node.list("dilations", ones),
      pads = node.list("pads", std::vector<std::int64_t>(2 * axes, 0)),
      more = node.list("output_padding", std::vector<std::int64_t>(axes, 0));
  node.require(groups > 0 && x[1] % groups == 0 && strides.size() == axes && dilations.size() == axes &&
                   pads.size() == 2 * axes && more.size() == axes,
               "E-ONX-005", "has groups, strides, dilations or pads that do not fit");
  node.require(node.word("auto_pad", "NOTSET") == "NOTSET" && !node.has_attribute("output_shape"),
               "E-ONX-005", "derives its padding from the shape of its output");
  ConvolutionOf c{x[0], x[1], w[1] * groups, groups, {}};
  for (std::size_t d = 0; d < axes; ++d) {
    const std::int64_t reach = (w[d + 2] - 1) * dilations[d];
    WindowAxis axis{(x[d + 2] - 1) * strides[d] + 1, w[d + 2], 1, dilations[d], reach - pads[d],
                    reach - pads[d + axes] + more[d]};
    node.require(axis.before >= 0 && axis.after >= 0 && strides[d] > 0, "E-ONX-005",
                 "has a padding beyond its filter");
    c.axes.push_back(axis);
  }
  return c;
}

std::vector<TensorType> infer_conv_transpose(const NodeView& node) {
  const ConvolutionOf c = transposed_convolution_of(node);
  Dims to{c.images, c.out};
  for (const WindowAxis& axis : c.axes) to.push_back(axis.out());
  return {{node.type(0).element, to}};
}

// Every pixel of the input adds its multiple of the filter to the output.
std::vector<Wanted> define_conv_transpose(const NodeView& node, const Inputs& in,
                                          const std::vector<TensorType>& outputs) {
  const Dims &x = in[0]->type.dims, &w = in[1]->type.dims, &y = outputs[0].dims;
  const std::size_t axes = x.size() - 2;
  const std::int64_t groups = node.integer("group", 1), in_group = x[1] / groups;
  const std::vector<std::int64_t> ones(axes, 1),
      strides = node.list("strides", ones), dilations = node.list("dilations", ones),
      pads = node.list("pads", std::vector<std::int64_t>(2 * axes, 0));
  Wanted wanted{{outputs[0], std::vector<double>(outputs[0].elements(), 0)}, {}};
  std::vector<double> magnitudes(outputs[0].elements(), 0);
  std::vector<double>& values = wanted.array.values;
  const Dims filter(w.begin() + 2, w.end());
  for_each_index(x, [&](const Dims& at, std::size_t number) {
    for (std::int64_t o = 0; o < w[1]; ++o)
      for_each_index(filter, [&](const Dims& tap, std::size_t) {
        Dims to{at[0], at[1] / in_group * w[1] + o}, from{at[1], o};
        for (std::size_t d = 0; d < axes; ++d) {
          to.push_back(at[d + 2] * strides[d] + tap[d] * dilations[d] - pads[d]);
          from.push_back(tap[d]);
          if (to.back() < 0 || to.back() >= y[d + 2]) return;
        }
        const double term = in[0]->values[number] * in[1]->values[offset_of(w, from)];
        values[offset_of(y, to)] += term;
        magnitudes[offset_of(y, to)] += std::fabs(term);
      });
  });
  const auto terms = static_cast<double>(in_group) * static_cast<double>(elements_of(filter));
  wanted.slack.resize(values.size());
  for_each_index(y, [&](const Dims& at, std::size_t number) {
    const double bias =
        in.size() > 2 && in[2] != nullptr ? in[2]->values[static_cast<std::size_t>(at[1])] : 0;
    values[number] += bias;
    wanted.slack[number] = rounding_slack(2 * terms + 1, magnitudes[number] + std::fabs(bias));
  });
  return {wanted};
}

}  // namespace tahoma::workloads::graph
