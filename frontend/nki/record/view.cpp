// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/record/view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "model/base/error.h"

namespace tahoma::runtime::nki {

namespace {

std::int64_t product(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{1}, std::multiplies<>());
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::size_t checked_dim(const View& view, std::int64_t dim, const char* method) {
  const auto dims = static_cast<std::int64_t>(view.dims.size());
  if (dim < -dims || dim >= dims)
    refuse("E-NKI-003",
           fmt::format("{}: dimension {} of {}; expected {} to {}", method, dim, view.text(), 0, dims - 1));
  return static_cast<std::size_t>(dim < 0 ? dim + dims : dim);
}

// Refuses the partition of an on-chip view.
std::size_t checked_free_dim(const View& view, std::int64_t dim, const char* method) {
  const std::size_t at = checked_dim(view, dim, method);
  if (at == 0 && view.on_chip())
    refuse("E-NKI-003", fmt::format("{}: dimension 0 of {} is the partition; expected a free dimension",
                                    method, view.text()));
  return at;
}

void move_start(View& view, std::size_t dim, std::int64_t steps) {
  if (dim == 0 && view.on_chip())
    view.partition += steps * view.dims[0].stride;
  else
    view.offset += steps * view.dims[dim].stride;
}

// Dimensions of `shape` over elements that lie `stride` apart.
void push_dense(std::vector<Dim>& dims, const std::vector<std::int64_t>& shape, std::int64_t stride) {
  std::size_t at = dims.size();
  for (const std::int64_t count : shape) dims.push_back({0, count});
  for (std::size_t d = shape.size(); d-- > 0;) {
    dims[at + d].stride = stride;
    stride *= shape[d];
  }
}

// The strides of `shape` over the same elements in the same order, or nothing if they need a copy.
std::optional<std::vector<Dim>> restrided(std::vector<Dim> old, const std::vector<std::int64_t>& shape) {
  std::erase_if(old, [](const Dim& d) { return d.count == 1; });
  std::vector<Dim> result;
  std::size_t used = 0;
  for (std::size_t d = 0; d < shape.size();) {
    if (shape[d] == 1) {
      result.push_back({0, 1});
      ++d;
      continue;
    }
    if (used == old.size()) return std::nullopt;
    // A run of old dimensions that has as many elements as a run of new ones.
    std::size_t old_end = used + 1, new_end = d + 1;
    std::int64_t old_count = old[used].count, new_count = shape[d];
    while (old_count != new_count) {
      if (old_count < new_count) {
        if (old_end == old.size()) return std::nullopt;
        old_count *= old[old_end++].count;
      } else {
        if (new_end == shape.size()) return std::nullopt;
        new_count *= shape[new_end++];
      }
    }
    for (std::size_t k = used; k + 1 < old_end; ++k)
      if (old[k].stride != old[k + 1].stride * old[k + 1].count) return std::nullopt;
    push_dense(result,
               {shape.begin() + static_cast<std::ptrdiff_t>(d),
                shape.begin() + static_cast<std::ptrdiff_t>(new_end)},
               old[old_end - 1].stride);
    used = old_end;
    d = new_end;
  }
  return result;
}

std::optional<std::vector<Dim>> restrided(const View& view, const std::vector<std::int64_t>& shape) {
  if (view.elements() == 0) {
    std::vector<Dim> empty;
    push_dense(empty, shape, 1);
    return empty;
  }
  if (!view.on_chip()) return restrided(view.dims, shape);
  // The partition stays alone.
  if (shape.empty() || shape[0] != view.dims[0].count) return std::nullopt;
  auto free = restrided({view.dims.begin() + 1, view.dims.end()}, {shape.begin() + 1, shape.end()});
  if (free) free->insert(free->begin(), view.dims[0]);
  return free;
}

}  // namespace

void refuse(const char* code, const std::string& text) {
  throw base::UserError(code, "", text, base::ExitStatus::kProgram);
}

std::string_view name_of(Buffer buffer) {
  switch (buffer) {
    case Buffer::kSbuf:
      return "sbuf";
    case Buffer::kPsum:
      return "psum";
    case Buffer::kPrivateHbm:
      return "private_hbm";
    case Buffer::kSharedHbm:
      return "shared_hbm";
  }
  return "?";
}

std::int64_t Storage::elements() const { return product(shape); }
std::int64_t Storage::row_elements() const {
  return on_chip() ? product({shape.begin() + 1, shape.end()}) : elements();
}
std::string Storage::label() const {
  return declared_at.empty() ? fmt::format("'{}'", name) : "the tensor of " + declared_at;
}

std::string Storage::text() const {
  return fmt::format("{} {}{} in {}", label(), element->name, shape_text(shape), name_of(buffer));
}

std::vector<std::int64_t> View::shape() const {
  std::vector<std::int64_t> counts;
  for (const Dim& d : dims) counts.push_back(d.count);
  return counts;
}
std::int64_t View::elements() const {
  std::int64_t n = 1;
  for (const Dim& d : dims) n *= d.count;
  return n;
}

bool View::is_contiguous() const {
  const std::size_t first = on_chip() ? 1 : 0;
  std::int64_t expected = 1;
  for (std::size_t d = dims.size(); d-- > first;) {
    if (dims[d].count != 1 && dims[d].stride != expected) return false;
    expected *= dims[d].count;
  }
  return true;
}

std::vector<Dim> View::pattern() const {
  std::vector<Dim> all = dims;
  if (on_chip() && !all.empty()) all[0].stride *= partition_stride();
  return all;
}

std::string View::text() const {
  return fmt::format("{} {}{} in {}", storage->label(), element->name, shape_text(shape()),
                     name_of(storage->buffer));
}

View whole(std::shared_ptr<const Storage> storage) {
  View view;
  view.element = storage->element;
  if (storage->on_chip()) {
    view.dims.push_back({1, storage->shape[0]});
    push_dense(view.dims, {storage->shape.begin() + 1, storage->shape.end()}, 1);
  } else {
    push_dense(view.dims, storage->shape, 1);
  }
  view.storage = std::move(storage);
  return view;
}

View indexed(const View& view, const std::vector<Index>& indices) {
  if (indices.size() > view.dims.size())
    refuse("E-NKI-002", fmt::format("{} indices of {}; expected at most {}", indices.size(), view.text(),
                                    view.dims.size()));
  View result = view;
  result.dims.clear();
  for (std::size_t d = 0; d < view.dims.size(); ++d) {
    const Dim dim = view.dims[d];
    const bool partition = d == 0 && view.on_chip();
    const auto step_to = [&](std::int64_t steps) {
      (partition ? result.partition : result.offset) += steps * dim.stride;
    };
    if (d >= indices.size()) {
      result.dims.push_back(dim);
      continue;
    }
    const Index& index = indices[d];
    if (index.kind == Index::Kind::kNumber) {
      const std::int64_t at = *index.start < 0 ? *index.start + dim.count : *index.start;
      if (at < 0 || at >= dim.count)
        refuse("E-NKI-002", fmt::format("index {} of dimension {} of {}; expected {} to {}", *index.start, d,
                                        view.text(), -dim.count, dim.count - 1));
      step_to(at);
      if (partition) result.dims.push_back({dim.stride, 1});
      continue;
    }
    if (index.kind != Index::Kind::kSlice) {
      if (partition)
        refuse("E-NKI-002",
               fmt::format("a register as partition of {}: partitions must be known when the kernel is "
                           "traced",
                           view.text()));
      if (result.dynamic.kind != Dynamic::Kind::kNone)
        refuse("E-NKI-002", fmt::format("a second dynamic index of {}; expected at most one", view.text()));
      const std::int64_t size = std::max<std::int64_t>(index.size, 1);
      result.dynamic.kind =
          index.kind == Index::Kind::kRegister ? Dynamic::Kind::kRegister : Dynamic::Kind::kScalar;
      result.dynamic.reg = index.reg;
      result.dynamic.index = index.index;
      result.dynamic.stride = dim.stride;
      result.dynamic.bound = dim.count - size + 1;
      if (index.size != 0) result.dims.push_back({dim.stride, index.size});
      continue;
    }
    const std::int64_t step = index.step.value_or(1);
    if (step < 1)
      refuse("E-NKI-002",
             fmt::format("a step of {} in dimension {} of {}; expected at least 1", step, d, view.text()));
    std::int64_t start = index.start.value_or(0), stop = index.stop.value_or(dim.count);
    if (start < 0) start += dim.count;
    if (stop < 0) stop += dim.count;
    if (start < 0 || start > dim.count || stop > dim.count)
      refuse("E-NKI-002", fmt::format("slice {}:{} of dimension {} of {}; expected bounds within 0 to {}",
                                      start, stop, d, view.text(), dim.count));
    const std::int64_t count = stop > start ? (stop - start + step - 1) / step : 0;
    step_to(start);
    result.dims.push_back({dim.stride * step, count});
  }
  const std::size_t least = view.on_chip() ? 2 : 1;
  while (result.dims.size() < least) result.dims.push_back({1, 1});
  return result;
}

View access_pattern(const View& view, const std::vector<Dim>& pattern, std::optional<std::int64_t> offset,
                    const Element& element) {
  if (pattern.empty()) refuse("E-NKI-004", fmt::format("an empty pattern for {}", view.text()));
  for (const Dim& d : pattern)
    if (d.count < 0)
      refuse("E-NKI-004",
             fmt::format("a count of {} in a pattern for {}; expected at least 0", d.count, view.text()));
  View result = view;
  result.element = &element;
  result.dims = pattern;
  if (view.offset * view.element->bytes % element.bytes != 0)
    refuse("E-NKI-004", fmt::format("{} begins at byte {}, which is no multiple of the size of {}",
                                    view.text(), view.offset * view.element->bytes, element.name));
  result.offset = view.offset * view.element->bytes / element.bytes;
  if (!view.on_chip()) {
    result.offset += offset.value_or(0);
    return result;
  }
  const std::int64_t row = result.partition_stride();
  const auto steps_of = [&](std::int64_t pitch) { return pitch != 0 && pattern[0].stride % pitch == 0; };
  // A view of a part of each partition may have been taken for a tensor of its own, whose rows are as long as
  // its shape says.
  const std::int64_t own = view.elements() / std::max<std::int64_t>(view.dims[0].count, 1) *
                           static_cast<std::int64_t>(view.element->bytes) /
                           static_cast<std::int64_t>(element.bytes);
  if (pattern[0].count != 1 && !steps_of(row) && steps_of(own)) {
    result.dims[0].stride = pattern[0].stride / own;
    result.partition += offset.value_or(0) / own;
    result.offset += offset.value_or(0) % own;
    if (result.dims.size() == 1) result.dims.push_back({1, 1});
    return result;
  }
  if (pattern[0].count != 1 && !steps_of(row))
    refuse("E-NKI-004",
           fmt::format("the partition pair of a pattern for {} has stride {}; expected {}, the elements of "
                       "a partition",
                       view.text(), pattern[0].stride, row));
  result.dims[0].stride = pattern[0].count == 1 ? 1 : pattern[0].stride / row;
  if (offset) {
    const std::int64_t start = result.offset + *offset;
    result.partition += row == 0 ? 0 : start / row;
    result.offset = row == 0 ? 0 : start % row;
  }
  if (result.dims.size() == 1) result.dims.push_back({1, 1});
  return result;
}

Dynamic dynamic_part(const View& view, std::int64_t dim) {
  const std::size_t at = checked_dim(view, dim, "indirect_dim");
  Dynamic dynamic;
  dynamic.stride = 1;
  for (std::size_t d = at + 1; d < view.dims.size(); ++d) dynamic.stride *= view.dims[d].count;
  dynamic.bound = view.dims[at].count;
  return dynamic;
}

View reshape(const View& view, std::vector<std::int64_t> shape) {
  const auto unknown = std::count(shape.begin(), shape.end(), -1);
  if (unknown > 1) refuse("E-NKI-003", "reshape: at most one dimension may be -1");
  if (unknown == 1) {
    const std::int64_t known = -product(shape);
    if (known <= 0 || view.elements() % known != 0)
      refuse("E-NKI-003",
             fmt::format("reshape of {} to {}: the sizes do not divide", view.text(), shape_text(shape)));
    *std::find(shape.begin(), shape.end(), -1) = view.elements() / known;
  }
  if (product(shape) != view.elements())
    refuse("E-NKI-003", fmt::format("reshape of {} to {}: {} elements become {}", view.text(),
                                    shape_text(shape), view.elements(), product(shape)));
  auto dims = restrided(view, shape);
  if (!dims)
    refuse("E-NKI-003", fmt::format("reshape of {} to {} needs a copy{}", view.text(), shape_text(shape),
                                    view.on_chip() && !shape.empty() && shape[0] != view.dims[0].count
                                        ? ": dimension 0 is the partition and keeps its size"
                                        : ": its strides do not allow a view"));
  View result = view;
  result.dims = std::move(*dims);
  return result;
}

View reshape_dim(const View& view, std::int64_t dim, const std::vector<std::int64_t>& shape) {
  const std::size_t at = checked_dim(view, dim, "reshape_dim");
  std::vector<std::int64_t> parts = shape;
  const std::int64_t count = view.dims[at].count;
  if (const auto unknown = std::find(parts.begin(), parts.end(), -1); unknown != parts.end()) {
    *unknown = 1;
    *unknown = product(parts) == 0 ? 0 : count / product(parts);
  }
  if (product(parts) != count)
    refuse("E-NKI-003", fmt::format("reshape_dim: dimension {} of {} has {} elements; {} has {}", dim,
                                    view.text(), count, shape_text(shape), product(parts)));
  if (at == 0 && view.on_chip() && parts[0] != count)
    refuse("E-NKI-003",
           fmt::format("reshape_dim: dimension 0 of {} is the partition and cannot be split", view.text()));
  View result = view;
  std::vector<Dim> split;
  push_dense(split, parts, view.dims[at].stride);
  result.dims.erase(result.dims.begin() + static_cast<std::ptrdiff_t>(at));
  result.dims.insert(result.dims.begin() + static_cast<std::ptrdiff_t>(at), split.begin(), split.end());
  return result;
}

View flatten_dims(const View& view, std::int64_t first, std::int64_t last) {
  const std::size_t from = checked_dim(view, first, "flatten_dims"),
                    to = checked_dim(view, last, "flatten_dims");
  if (from > to || (from == 0 && to > 0 && view.on_chip()))
    refuse("E-NKI-003",
           fmt::format("flatten_dims: dimensions {} to {} of {} cannot be joined", first, last, view.text()));
  std::vector<std::int64_t> shape = view.shape();
  std::int64_t joined = 1;
  for (std::size_t d = from; d <= to; ++d) joined *= shape[d];
  for (std::size_t d = from; d < to; ++d)
    if (view.dims[d].count != 1 && view.dims[d + 1].count != 1 &&
        view.dims[d].stride != view.dims[d + 1].stride * view.dims[d + 1].count)
      refuse("E-NKI-003", fmt::format("flatten_dims: dimensions {} and {} of {} are not contiguous", d, d + 1,
                                      view.text()));
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(from) + 1,
              shape.begin() + static_cast<std::ptrdiff_t>(to) + 1);
  shape[from] = joined;
  return reshape(view, shape);
}

View permute(const View& view, const std::vector<std::int64_t>& dims) {
  std::vector<std::int64_t> sorted = dims;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t d = 0; d < sorted.size(); ++d)
    if (sorted.size() != view.dims.size() || sorted[d] != static_cast<std::int64_t>(d))
      refuse("E-NKI-003",
             fmt::format("permute of {} to {}; expected each dimension once", view.text(), shape_text(dims)));
  if (view.on_chip() && dims[0] != 0)
    refuse("E-NKI-003",
           fmt::format("permute of {} moves dimension 0, the partition; data must move for that: see "
                       "nc_transpose",
                       view.text()));
  View result = view;
  for (std::size_t d = 0; d < dims.size(); ++d) result.dims[d] = view.dims[static_cast<std::size_t>(dims[d])];
  return result;
}

View broadcast(const View& view, std::int64_t dim, std::int64_t size) {
  const std::size_t at = checked_free_dim(view, dim, "broadcast");
  if (view.dims[at].count != 1 && view.dims[at].count != size)
    refuse("E-NKI-003", fmt::format("broadcast: dimension {} of {} has {} elements; expected 1", dim,
                                    view.text(), view.dims[at].count));
  View result = view;
  if (view.dims[at].count != size) result.dims[at] = {0, size};
  return result;
}

View expand_dim(const View& view, std::int64_t dim) {
  const auto dims = static_cast<std::int64_t>(view.dims.size());
  const std::int64_t at = dim < 0 ? dim + dims + 1 : dim;
  if (at < (view.on_chip() ? 1 : 0) || at > dims)
    refuse("E-NKI-003", fmt::format("expand_dim: position {} of {}; expected {} to {}", dim, view.text(),
                                    view.on_chip() ? 1 : 0, dims));
  View result = view;
  result.dims.insert(result.dims.begin() + at, Dim{0, 1});
  return result;
}

View squeeze_dim(const View& view, std::int64_t dim) {
  const std::size_t at = checked_free_dim(view, dim, "squeeze_dim");
  if (view.dims[at].count != 1)
    refuse("E-NKI-003", fmt::format("squeeze_dim: dimension {} of {} has {} elements; expected 1", dim,
                                    view.text(), view.dims[at].count));
  View result = view;
  result.dims.erase(result.dims.begin() + static_cast<std::ptrdiff_t>(at));
  const std::size_t least = view.on_chip() ? 2 : 1;
  while (result.dims.size() < least) result.dims.push_back({1, 1});
  return result;
}

View slice(const View& view, std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step) {
  const std::size_t at = checked_dim(view, dim, "slice");
  const std::int64_t count = view.dims[at].count;
  if (start < 0 || end < start || end > count || step < 1)
    refuse("E-NKI-002",
           fmt::format("slice: {}:{}:{} of dimension {} of {}; expected bounds within 0 to {} and a step "
                       "of at least 1",
                       start, end, step, dim, view.text(), count));
  View result = view;
  move_start(result, at, start);
  result.dims[at] = {view.dims[at].stride * step, (end - start + step - 1) / step};
  return result;
}

View select(const View& view, std::int64_t dim, std::int64_t index) {
  const std::size_t at = checked_dim(view, dim, "select");
  const std::int64_t count = view.dims[at].count, i = index < 0 ? index + count : index;
  if (i < 0 || i >= count)
    refuse("E-NKI-002", fmt::format("select: index {} of dimension {} of {}; expected 0 to {}", index, dim,
                                    view.text(), count - 1));
  View result = view;
  move_start(result, at, i);
  if (at == 0 && view.on_chip())
    result.dims[0].count = 1;
  else
    result.dims.erase(result.dims.begin() + static_cast<std::ptrdiff_t>(at));
  const std::size_t least = view.on_chip() ? 2 : 1;
  while (result.dims.size() < least) result.dims.push_back({1, 1});
  return result;
}

View reinterpret(const View& view, const Element& element) {
  if (element.bytes == view.element->bytes) {
    View result = view;
    result.element = &element;
    return result;
  }
  const std::int64_t from = view.element->bytes, to = element.bytes;
  View result = view;
  result.element = &element;
  Dim& last = result.dims.back();
  const bool partition = view.on_chip() && result.dims.size() == 1;
  if (partition || (last.count != 1 && last.stride != 1) || last.count * from % to != 0 ||
      view.offset * from % to != 0)
    refuse("E-NKI-003",
           fmt::format("view of {} as {}: the last dimension must be contiguous, and its bytes and its start "
                       "multiples of {}",
                       view.text(), element.name, to));
  last = {1, last.count * from / to};
  for (std::size_t d = view.on_chip() ? 1 : 0; d + 1 < result.dims.size(); ++d) {
    if (result.dims[d].count != 1 && result.dims[d].stride * from % to != 0)
      refuse("E-NKI-003", fmt::format("view of {} as {}: a stride of {} elements is no whole number of {}",
                                      view.text(), element.name, result.dims[d].stride, element.name));
    result.dims[d].stride = result.dims[d].stride * from / to;
  }
  result.offset = view.offset * from / to;
  return result;
}

std::vector<Dim> merged(const View& view) {
  std::vector<Dim> result;
  for (std::size_t d = view.on_chip() ? 1 : 0; d < view.dims.size(); ++d) {
    const Dim& dim = view.dims[d];
    if (dim.count == 1) continue;
    if (!result.empty() && result.back().stride == dim.stride * dim.count) {
      result.back() = {dim.stride, result.back().count * dim.count};
    } else {
      result.push_back(dim);
    }
  }
  if (result.empty()) result.push_back({1, 1});
  return result;
}

}  // namespace tahoma::runtime::nki
