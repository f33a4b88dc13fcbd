// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/operators/product_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/golden/golden_rule.h"

namespace tahoma::workloads::graph {

namespace {

// A sum of products in fp32 by an order that does not depend on the values: a machine that multiplies fp32
// rounds twice for each product.
struct ProductSum {
  double sum = 0, squares = 0;
  void add(double a, double b) {
    sum += a * b;
    squares += a * b * a * b;
  }
  double slack(std::size_t terms) const {
    const double range = std::fabs(sum) + runtime::kGoldenDeviations * std::sqrt(squares);
    return rounding_slack(2 * static_cast<double>(terms), range);
  }
};

struct MatmulDims {
  Dims a, b, batch;
  std::int64_t m, n, k;
  bool row, column;  // an operand is a vector
};

MatmulDims matmul_dims(const NodeView& node) {
  MatmulDims d{node.dims(0), node.dims(1), {}, 1, 1, 1, false, false};
  node.require(!d.a.empty() && !d.b.empty(), "E-ONX-004", "multiplies a scalar");
  d.row = d.a.size() == 1;
  d.column = d.b.size() == 1;
  if (d.row) d.a.insert(d.a.begin(), 1);
  if (d.column) d.b.push_back(1);
  d.m = d.a[d.a.size() - 2];
  d.k = d.a.back();
  d.n = d.b.back();
  node.require(d.k == d.b[d.b.size() - 2], "E-ONX-004",
               fmt::format("multiplies {} by {}", text_of(node.dims(0)), text_of(node.dims(1))));
  d.batch = broadcast(node, Dims(d.a.begin(), d.a.end() - 2), Dims(d.b.begin(), d.b.end() - 2));
  return d;
}

}  // namespace

std::vector<TensorType> infer_matmul(const NodeView& node) {
  const MatmulDims d = matmul_dims(node);
  Dims to = d.batch;
  if (!d.row) to.push_back(d.m);
  if (!d.column) to.push_back(d.n);
  return {{node.type(0).element, to}};
}

std::vector<Wanted> define_matmul(const NodeView& node, const Inputs& in,
                                  const std::vector<TensorType>& outputs) {
  const MatmulDims d = matmul_dims(node);
  const std::vector<double>&a = in[0]->values, &b = in[1]->values;
  Wanted wanted{{outputs[0], {}}, {}};
  const auto m = static_cast<std::size_t>(d.m), n = static_cast<std::size_t>(d.n),
             k = static_cast<std::size_t>(d.k);
  for_each_index(d.batch, [&](const Dims& index, std::size_t) {
    const std::size_t at_a = broadcast_offset(Dims(d.a.begin(), d.a.end() - 2), index) * m * k,
                      at_b = broadcast_offset(Dims(d.b.begin(), d.b.end() - 2), index) * k * n;
    std::vector<ProductSum> row(n);
    for (std::size_t r = 0; r < m; ++r) {
      std::fill(row.begin(), row.end(), ProductSum());
      for (std::size_t i = 0; i < k; ++i)
        for (std::size_t c = 0; c < n; ++c) row[c].add(a[at_a + r * k + i], b[at_b + i * n + c]);
      for (const ProductSum& sum : row) {
        wanted.array.values.push_back(sum.sum);
        wanted.slack.push_back(sum.slack(k));
      }
    }
  });
  return {wanted};
}

std::vector<TensorType> infer_gemm(const NodeView& node) {
  node.require(node.rank(0) == 2 && node.rank(1) == 2, "E-ONX-004",
               "multiplies tensors that are no matrices");
  Dims a = node.dims(0), b = node.dims(1);
  if (node.integer("transA", 0) != 0) std::swap(a[0], a[1]);
  if (node.integer("transB", 0) != 0) std::swap(b[0], b[1]);
  node.require(a[1] == b[0], "E-ONX-004", fmt::format("multiplies {} by {}", text_of(a), text_of(b)));
  const Dims to{a[0], b[1]};
  if (node.has(2))
    node.require(broadcast(node, to, node.dims(2)) == to, "E-ONX-004",
                 fmt::format("adds {} to {}", text_of(node.dims(2)), text_of(to)));
  return {{node.type(0).element, to}};
}

std::vector<Wanted> define_gemm(const NodeView& node, const Inputs& in,
                                const std::vector<TensorType>& outputs) {
  const bool across_a = node.integer("transA", 0) != 0, across_b = node.integer("transB", 0) != 0;
  const double alpha = node.number("alpha", 1), beta = node.number("beta", 1);
  const auto n = static_cast<std::size_t>(outputs[0].dims[1]),
             k = static_cast<std::size_t>(node.dims(0)[across_a ? 0 : 1]),
             m = static_cast<std::size_t>(outputs[0].dims[0]);
  Wanted wanted{{outputs[0], {}}, {}};
  for_each_index(outputs[0].dims, [&](const Dims& index, std::size_t) {
    const auto r = static_cast<std::size_t>(index[0]), c = static_cast<std::size_t>(index[1]);
    ProductSum sum;
    for (std::size_t i = 0; i < k; ++i)
      sum.add(in[0]->values[across_a ? i * m + r : r * k + i],
              in[1]->values[across_b ? c * k + i : i * n + c]);
    const double product = alpha * sum.sum;
    double slack = std::fabs(alpha) * sum.slack(k) + (alpha != 1 ? rounding_slack(1, product) : 0),
           total = product;
    if (in.size() > 2 && in[2] != nullptr) {
      const double term = beta * in[2]->values[broadcast_offset(in[2]->type.dims, index)];
      total += term;
      slack += rounding_slack(2, std::fabs(product) + std::fabs(term));
    }
    wanted.array.values.push_back(total);
    wanted.slack.push_back(slack);
  });
  return {wanted};
}

std::int64_t WindowAxis::out() const {
  const std::int64_t left = size + before + after - (filter - 1) * dilation - 1;
  std::int64_t count = (left + (up ? stride - 1 : 0)) / stride + 1;
  if (up && (count - 1) * stride >= size + before) --count;  // a window must begin inside
  return count;
}

std::vector<WindowAxis> windows_of(const NodeView& node, const Dims& filter) {
  const Dims& dims = node.dims(0);
  const std::size_t axes = filter.size();
  node.require(dims.size() == axes + 2 && axes > 0, "E-ONX-004",
               fmt::format("has an input of shape {} and a filter of {} dimensions", text_of(dims), axes));
  const std::vector<std::int64_t> ones(axes, 1),
      strides = node.list("strides", ones), dilations = node.list("dilations", ones),
      pads = node.list("pads", std::vector<std::int64_t>(2 * axes, 0));
  node.require(strides.size() == axes && dilations.size() == axes && pads.size() == 2 * axes, "E-ONX-005",
               "has strides, dilations or pads of another number of dimensions");
  const std::string padding = node.word("auto_pad", "NOTSET");
  std::vector<WindowAxis> windows;
  for (std::size_t d = 0; d < axes; ++d) {
    WindowAxis w{dims[d + 2],
                 filter[d],
                 strides[d],
                 dilations[d],
                 pads[d],
                 pads[d + axes],
                 node.integer("ceil_mode", 0) != 0};
    node.require(w.filter > 0 && w.stride > 0 && w.dilation > 0 && w.before >= 0 && w.after >= 0, "E-ONX-005",
                 "has a filter, stride, dilation or padding that is not positive");
    const std::int64_t reach = (w.filter - 1) * w.dilation + 1;
    if (padding == "VALID") w.before = w.after = 0;
    if (padding == "SAME_UPPER" || padding == "SAME_LOWER") {
      const std::int64_t outputs = (w.size + w.stride - 1) / w.stride,
                         all = std::max<std::int64_t>(0, (outputs - 1) * w.stride + reach - w.size);
      w.before = padding == "SAME_UPPER" ? all / 2 : all - all / 2;
      w.after = all - w.before;
    }
    node.require(
        reach <= w.size + w.before + w.after, "E-ONX-004",
        fmt::format("has a filter of {} on a padded dimension of {}", reach, w.size + w.before + w.after));
    windows.push_back(w);
  }
  return windows;
}

ConvolutionOf convolution_of(const NodeView& node) {
  const Dims &x = node.dims(0), &w = node.dims(1);
  node.require(w.size() >= 3 && x.size() == w.size(), "E-ONX-004",
               fmt::format("has an input of shape {} and weights of shape {}", text_of(x), text_of(w)));
  const std::int64_t groups = node.integer("group", 1);
  ConvolutionOf c{x[0], x[1], w[0], groups, windows_of(node, Dims(w.begin() + 2, w.end()))};
  node.require(
      groups > 0 && c.in == w[1] * groups && c.out % groups == 0, "E-ONX-004",
      fmt::format("has {} input channels, {} groups and weights of shape {}", c.in, groups, text_of(w)));
  return c;
}

std::vector<TensorType> infer_conv(const NodeView& node) {
  const ConvolutionOf c = convolution_of(node);
  Dims to{c.images, c.out};
  for (const WindowAxis& axis : c.axes) to.push_back(axis.out());
  return {{node.type(0).element, to}};
}

std::vector<Wanted> define_conv(const NodeView& node, const Inputs& in,
                                const std::vector<TensorType>& outputs) {
  const ConvolutionOf c = convolution_of(node);
  const Dims &x_dims = in[0]->type.dims, &w_dims = in[1]->type.dims;
  const std::int64_t in_group = c.in / c.groups, out_group = c.out / c.groups;
  const Dims filter(w_dims.begin() + 2, w_dims.end()), image(x_dims.begin() + 2, x_dims.end());
  const auto pixels = static_cast<std::int64_t>(elements_of(image)),
             taps = static_cast<std::int64_t>(elements_of(filter));
  Wanted wanted{{outputs[0], {}}, {}};
  std::vector<std::pair<std::int64_t, std::int64_t>> inside;  // pixel and tap
  for_each_index(outputs[0].dims, [&](const Dims& index, std::size_t) {
    inside.clear();
    for_each_index(filter, [&](const Dims& tap, std::size_t number) {
      Dims at(tap.size());
      for (std::size_t d = 0; d < tap.size(); ++d) {
        at[d] = index[d + 2] * c.axes[d].stride + tap[d] * c.axes[d].dilation - c.axes[d].before;
        if (at[d] < 0 || at[d] >= image[d]) return;
      }
      inside.emplace_back(static_cast<std::int64_t>(offset_of(image, at)), static_cast<std::int64_t>(number));
    });
    ProductSum sum;
    const std::int64_t channel = index[1] / out_group * in_group;
    for (std::int64_t k = 0; k < in_group; ++k)
      for (const auto& [pixel, tap] : inside)
        sum.add(in[0]->values[static_cast<std::size_t>((index[0] * c.in + channel + k) * pixels + pixel)],
                in[1]->values[static_cast<std::size_t>((index[1] * in_group + k) * taps + tap)]);
    double slack = sum.slack(static_cast<std::size_t>(in_group) * inside.size()), total = sum.sum;
    if (in.size() > 2 && in[2] != nullptr) {
      const double bias = in[2]->values[static_cast<std::size_t>(index[1])];
      total += bias;
      slack += rounding_slack(1, std::fabs(sum.sum) + std::fabs(bias));
    }
    wanted.array.values.push_back(total);
    wanted.slack.push_back(slack);
  });
  return {wanted};
}

std::vector<WindowAxis> pool_windows(const NodeView& node) {
  if (!node.node().op.starts_with("Global")) return windows_of(node, node.list("kernel_shape"));
  const Dims& dims = node.dims(0);
  node.require(dims.size() >= 3, "E-ONX-004", fmt::format("pools a tensor of shape {}", text_of(dims)));
  std::vector<WindowAxis> windows;
  for (std::size_t d = 2; d < dims.size(); ++d) windows.push_back({dims[d], dims[d]});
  return windows;
}

std::vector<TensorType> infer_pool(const NodeView& node) {
  node.require(!node.wants(1), "E-ONX-005", "wants the indices of maxima, which are not supported");
  TensorType type = node.type(0);
  const std::vector<WindowAxis> windows = pool_windows(node);
  for (std::size_t d = 0; d < windows.size(); ++d) type.dims[d + 2] = windows[d].out();
  return {type};
}

std::vector<Wanted> define_pool(const NodeView& node, const Inputs& in,
                                const std::vector<TensorType>& outputs) {
  const bool takes_maximum = node.node().op.ends_with("MaxPool"),
             counts_padding = node.integer("count_include_pad", 0) != 0;
  const std::vector<WindowAxis> windows = pool_windows(node);
  Dims filter;
  for (const WindowAxis& w : windows) filter.push_back(w.filter);
  Wanted wanted{{outputs[0], {}}, {}};
  for_each_index(outputs[0].dims, [&](const Dims& index, std::size_t) {
    double best = -std::numeric_limits<double>::infinity(), sum = 0, size = 0;
    std::size_t inside = 0, padded = 0;
    for_each_index(filter, [&](const Dims& tap, std::size_t) {
      Dims at = index;
      bool in_image = true, in_padding = true;
      for (std::size_t d = 0; d < tap.size(); ++d) {
        const WindowAxis& w = windows[d];
        at[d + 2] = index[d + 2] * w.stride + tap[d] * w.dilation - w.before;
        in_image = in_image && at[d + 2] >= 0 && at[d + 2] < w.size;
        in_padding = in_padding && at[d + 2] < w.size + w.after;
      }
      if (in_padding) ++padded;
      if (!in_image) return;
      const double x = in[0]->values[offset_of(in[0]->type.dims, at)];
      best = std::max(best, x);
      sum += x;
      size += std::fabs(x);
      ++inside;
    });
    const auto divisor = static_cast<double>(counts_padding ? padded : inside);
    wanted.array.values.push_back(takes_maximum ? best : sum / divisor);
    if (!takes_maximum)
      wanted.slack.push_back(rounding_slack(static_cast<double>(inside) + 2, size) / divisor);
  });
  return {wanted};
}

}  // namespace tahoma::workloads::graph
