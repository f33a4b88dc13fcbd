// SPDX-License-Identifier: Apache-2.0
#include "frontend/python/module/tracer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "frontend/python/module/interned.h"
#include "isa/table/table_fields.h"
#include "model/base/error.h"

namespace tahoma::python {

namespace {

using isa::FieldKind;

constexpr std::string_view kRootFunction =
    "run_traced_kernel";  // of frontend/python/package/tahoma/launch.py

bool is_view(const py::handle& value) {
  static const auto* const kType =
      reinterpret_cast<const PyTypeObject*>(py::type::of<nki::View>().release().ptr());
  return Py_TYPE(value.ptr()) == kType || py::isinstance<nki::View>(value);
}

// The tensor that an object of Python holds; it lives as long as the object.
const nki::View& view_of(const py::handle& value) {
  if (is_view(value))
    return *static_cast<const nki::View*>(
        reinterpret_cast<py::detail::instance*>(value.ptr())->get_value_and_holder().value_ptr());
  return py::cast<const nki::View&>(value);
}

template <class Enum>
Enum named(const py::handle& value, std::string_view mnemonic, std::string_view field) {
  static auto* const kNames = new Interned<Enum>;  // outlives the interpreter's teardown
  return kNames->get(value, [&](const std::string& name) {
    if (const auto found = isa::from_name<Enum>(name)) return *found;
    std::string known;
    for (const std::string_view n : isa::names_of<Enum>())
      known += (known.empty() ? "" : ", ") + std::string(n);
    nki::refuse("E-NKI-013",
                fmt::format("{}: '{}' is no {}; expected one of {}", mnemonic, name, field, known));
  });
}

template <class Integer>
Integer integer(const py::handle& value, std::string_view mnemonic, std::string_view field) {
  const auto number = py::cast<std::int64_t>(value);
  if (number < std::numeric_limits<Integer>::min() ||
      number > static_cast<std::int64_t>(std::numeric_limits<Integer>::max()))
    nki::refuse("E-NKI-013",
                fmt::format("{}: {} = {}; expected {} to {}", mnemonic, field, number,
                            std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max()));
  return static_cast<Integer>(number);
}

// Fills one field of an instruction from a Python value.
struct Filler {
  isa::Instruction& instruction;
  std::vector<nki::Trace::Given>& given;
  nki::Axes& pattern;
  const isa::OpRow& row;
  const isa::Field& field;
  const py::handle& value;

  void view() const { given.push_back({field.kind, view_of(value)}); }

  void operator()(isa::Member<isa::Tile>) const { view(); }
  void operator()(isa::Member<isa::Column>) const { view(); }
  void operator()(isa::Member<isa::Scalar> slot) const {
    if (is_view(value))
      view();
    else
      (instruction.*slot).imm = static_cast<float>(py::cast<double>(value));
  }
  void operator()(isa::Member<isa::AluOp> slot) const {
    instruction.*slot = named<isa::AluOp>(value, row.mnemonic, field.name);
  }
  void operator()(isa::Member<isa::ActFn> slot) const {
    instruction.*slot = named<isa::ActFn>(value, row.mnemonic, field.name);
  }
  void operator()(isa::Member<isa::CompareOp> slot) const {
    instruction.*slot = named<isa::CompareOp>(value, row.mnemonic, field.name);
  }
  void operator()(isa::Member<isa::ReduceCommand> slot) const {
    instruction.*slot = named<isa::ReduceCommand>(value, row.mnemonic, field.name);
  }
  void operator()(isa::Member<bool> slot) const { instruction.*slot = py::cast<bool>(value); }
  void operator()(isa::Member<float> slot) const {
    instruction.*slot = static_cast<float>(py::cast<double>(value));
  }
  void operator()(isa::Member<std::uint8_t> slot) const {
    instruction.*slot = integer<std::uint8_t>(value, row.mnemonic, field.name);
  }
  void operator()(isa::Member<std::uint16_t> slot) const {
    instruction.*slot = integer<std::uint16_t>(value, row.mnemonic, field.name);
  }
  void operator()(isa::Member<std::int32_t> slot) const {
    instruction.*slot = integer<std::int32_t>(value, row.mnemonic, field.name);
  }
  void operator()(isa::Member<std::uint32_t> slot) const {
    instruction.*slot = integer<std::uint32_t>(value, row.mnemonic, field.name);
  }
  void operator()(isa::Member<std::array<std::uint8_t, isa::kQuadrant>> slot) const {
    const auto mask = py::cast<std::vector<std::int64_t>>(value);
    if (mask.size() != isa::kQuadrant)
      nki::refuse("E-NKI-013", fmt::format("{}: a mask of {} entries; expected {}", row.mnemonic, mask.size(),
                                           isa::kQuadrant));
    for (std::size_t n = 0; n < mask.size(); ++n) {
      const bool keep = mask[n] == isa::kKeep;
      if (!keep && (mask[n] < 0 || mask[n] >= static_cast<std::int64_t>(isa::kQuadrant)))
        nki::refuse("E-NKI-013",
                    fmt::format("{}: entry {} of the mask is {}; expected 0 to 31, or 255 to keep",
                                row.mnemonic, n, mask[n]));
      (instruction.*slot)[n] = keep ? isa::kKeep : static_cast<std::uint8_t>(mask[n]);
    }
  }
  void operator()(isa::Member<std::array<std::int16_t, isa::kFreeDims>>) const {
    for (const py::handle pair : value) {
      const auto [step, count] = py::cast<std::pair<std::int64_t, std::int64_t>>(pair);
      if (count < 1)
        nki::refuse("E-NKI-013", fmt::format("{}: a count of {} in the pattern; expected at least 1",
                                             row.mnemonic, count));
      if (count > 1) pattern.push_back({step, count, false});
    }
  }
  template <class Other>
  void operator()(Other) const {
    nki::refuse("E-NKI-013",
                fmt::format("{}: field {} is not the kernel's to set", row.mnemonic, field.name));
  }
};

// A row's field of this name. The names of keywords are interned, as those of instructions.
const isa::Field& field_named(const py::handle& name, const isa::OpRow& row) {
  static auto* const kFields = new std::map<isa::Opcode, Interned<const isa::Field*>>;
  return *(*kFields)[row.op].get(name, [&](const std::string& text) {
    const auto field = std::find_if(row.fields.begin(), row.fields.end(),
                                    [&](const isa::Field& f) { return f.name == text; });
    if (field == row.fields.end())
      nki::refuse("E-NKI-013", fmt::format("{} has no operand '{}'", row.mnemonic, text));
    return &*field;
  });
}

nki::DgeMode dge_of(int mode) {
  switch (mode) {
    case 1:
      return nki::DgeMode::kSoftware;
    case 2:
      return nki::DgeMode::kHardware;
    case 3:
      return nki::DgeMode::kNone;
    default:
      return nki::DgeMode::kUnknown;
  }
}

const isa::OpRow& row_named(const py::handle& mnemonic) {
  static auto* const kRows = new Interned<const isa::OpRow*>;
  return *kRows->get(mnemonic, [](const std::string& name) {
    const isa::OpRow* const row = isa::row_by_mnemonic(name);
    if (row == nullptr) nki::refuse("E-NKI-013", fmt::format("'{}' is no instruction", name));
    return row;
  });
}

std::optional<isa::Queue> queue_named(const py::handle& engine) {
  if (engine.is_none()) return std::nullopt;
  static auto* const kQueues = new Interned<std::optional<isa::Queue>>;
  return kQueues->get(engine, [](const std::string& name) { return queue_of(name); });
}

nki::RegisterOperand operand_of(const py::object& value) {
  if (py::isinstance<Register>(value)) return {py::cast<Register>(value).number, 0};
  return {std::nullopt, integer<std::int32_t>(value, "register arithmetic", "operand")};
}

}  // namespace

std::optional<isa::Queue> queue_of(const std::optional<std::string>& engine) {
  if (!engine) return std::nullopt;
  const auto queue = isa::from_name<isa::Queue>(*engine);
  if (!queue || *queue == isa::Queue::kCc0 || *queue == isa::Queue::kCc1)
    nki::refuse("E-NKI-013",
                fmt::format("'{}' is no engine; expected tensor, vector, scalar, gpsimd or sync", *engine));
  return queue;
}

nki::View Tracer::tensor(const std::vector<std::int64_t>& shape, const nki::Element& element,
                         nki::Buffer buffer, const std::string& name,
                         std::optional<std::pair<std::uint32_t, std::uint32_t>> address,
                         nki::Storage::Role role, const py::object& values, bool implicit) {
  entered();
  nki::Storage storage;
  storage.name = name;
  storage.buffer = buffer;
  storage.element = &element;
  storage.shape = shape;
  storage.role = role;
  storage.implicit = implicit;
  if (address) storage.place = nki::Place{address->first, address->second};
  if (!values.is_none()) {
    const std::string bytes = py::cast<py::bytes>(values);
    const auto* const from = reinterpret_cast<const std::byte*>(bytes.data());
    storage.values.assign(from, from + bytes.size());
  }
  return nki::whole(trace.declare(std::move(storage)));
}

void Tracer::entered() {
  if (++recorded > most_entries)
    nki::refuse(
        "E-NKI-026",
        fmt::format(
            "the kernel has recorded {} instructions and tensors; a kernel that never ends is stopped "
            "here (tahoma.configure(most_instructions=...) raises the limit)",
            most_entries));
  at_caller();
}

std::size_t Tracer::emit(const py::handle& mnemonic, const py::handle& engine, const py::dict& fields) {
  entered();
  const isa::OpRow& row = row_named(mnemonic);
  isa::Instruction instruction;
  instruction.op = row.op;
  std::vector<nki::Trace::Given> given;
  given.reserve(row.fields.size());
  nki::Axes pattern;
  for (const auto& [key, value] : fields) {
    if (value.is_none()) continue;
    const isa::Field& field = field_named(key, row);
    const py::handle handle = value;
    std::visit(Filler{instruction, given, pattern, row, field, handle}, isa::traits_of(field.kind).slot);
  }
  trace.compute(instruction, given, queue_named(engine), pattern);
  return trace.entries.size() - 1;
}

std::size_t Tracer::matmul(const nki::View& dst, const nki::View& stationary, const nki::View& moving,
                           const std::string& mode, std::optional<bool> accumulate, bool transpose) {
  entered();
  const auto how = isa::from_name<isa::MatmulMode>(mode);
  if (!how) nki::refuse("E-NKI-013", fmt::format("nc_matmul: '{}' is no mode of this core", mode));
  trace.matmul(dst, stationary, moving, *how, accumulate, transpose);
  return trace.entries.size() - 1;
}

void Tracer::matmul_mx(const nki::View& dst, const nki::View& stationary, const nki::View& moving,
                       const nki::View& stationary_scale, const nki::View& moving_scale,
                       std::optional<bool> accumulate) {
  entered();
  trace.matmul_mx(dst, stationary, moving, stationary_scale, moving_scale, accumulate);
}

void Tracer::quantize_mx(const nki::View& dst, const nki::View& src, const nki::View& scale) {
  entered();
  trace.quantize_mx(dst, src, scale);
}

std::size_t Tracer::copy(const nki::View& dst, const nki::View& src, const std::optional<std::string>& engine,
                         int dge, bool skip, bool accumulate, unsigned service) {
  entered();
  if ((dst.element->quad || src.element->quad) && dst.element->bytes != src.element->bytes)
    nki::refuse("E-NKI-012", fmt::format("dma_copy: {} into {}; packed elements are copied as they are",
                                         src.text(), dst.text()));
  nki::TransferWork work;
  work.kind = nki::Transfer::kCopy;
  work.dst = trace.side_of(dst);
  work.sources.push_back(trace.side_of(src));
  work.dge = dge_of(dge);
  work.skip = skip;
  work.accumulate = accumulate;
  work.service = static_cast<std::uint8_t>(service);
  trace.transfer(std::move(work), queue_of(engine));
  return trace.entries.size() - 1;
}

void Tracer::fold(const nki::View& dst, const std::vector<nki::View>& sources, const std::string& op) {
  entered();
  if (sources.empty() || sources.size() > isa::kMostSources)
    nki::refuse("E-NKI-013",
                fmt::format("dma_compute: {} sources; expected 1 to {}", sources.size(), isa::kMostSources));
  nki::TransferWork work;
  work.kind = nki::Transfer::kFold;
  work.dst = trace.side_of(dst);
  for (const nki::View& source : sources) work.sources.push_back(trace.side_of(source));
  work.fold = named<isa::AluOp>(py::str(op), "dma_compute", "op");
  trace.transfer(std::move(work), std::nullopt);
}

void Tracer::transpose(const nki::View& dst, const nki::View& src, const std::vector<std::size_t>& axes,
                       int dge, unsigned service) {
  entered();
  if (axes.size() != dst.dims.size() || axes.size() != src.dims.size())
    nki::refuse("E-NKI-013",
                fmt::format("dma_transpose: {} into {} by {} axes; expected one axis for each dimension",
                            src.text(), dst.text(), axes.size()));
  nki::TransferWork work;
  work.kind = nki::Transfer::kTranspose;
  work.dst = trace.side_of(dst);
  work.sources.push_back(trace.side_of(src));
  work.dge = dge_of(dge);
  work.service = static_cast<std::uint8_t>(service);
  // The destination's dimensions in the order of the source's.
  work.dst.axes.assign(axes.size(), nki::Axis{});
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const nki::Dim& dim = dst.dims[d];
    if (dim.count != src.dims.at(axes[d]).count)
      nki::refuse(
          "E-NKI-013",
          fmt::format(
              "dma_transpose: dimension {} of dst {} is dimension {} of src {}, which has another size", d,
              dst.text(), axes[d], src.text()));
    work.dst.axes[axes[d]] = {dim.stride, dim.count, d == 0 && dst.on_chip()};
  }
  nki::Axes& kept = work.dst.axes;
  kept.erase(std::remove_if(kept.begin(), kept.end(), [](const nki::Axis& a) { return a.count == 1; }),
             kept.end());
  trace.transfer(std::move(work), std::nullopt);
}

void Tracer::exchange(const std::vector<Message>& ready, const std::vector<Message>& sends,
                      const std::vector<nki::View>& received, unsigned service) {
  entered();
  const auto sends_of = [this](const std::vector<Message>& messages) {
    std::vector<nki::ExchangeWork::Send> list;
    for (const auto& [src, dst, rank, distance] : messages)
      list.push_back({trace.side_of(src), trace.side_of(dst), rank, distance});
    return list;
  };
  nki::ExchangeWork work;
  work.ready = sends_of(ready);
  work.sends = sends_of(sends);
  work.service = static_cast<std::uint8_t>(service);
  for (const nki::View& view : received) work.received.push_back(trace.side_of(view));
  trace.exchange(std::move(work));
}

void Tracer::barrier(unsigned pipe, const std::optional<std::string>& engine) {
  entered();
  trace.barrier(pipe, queue_of(engine));
}

void Tracer::append(nki::RegisterWork work) {
  entered();
  trace.registers_work(std::move(work));
}

Register Tracer::set_register(std::int64_t value) {
  const Register d = new_register();
  move_register(d, value);
  return d;
}
void Tracer::move_register(Register d, std::int64_t value) {
  nki::RegisterWork work;
  work.kind = nki::RegisterWork::Kind::kSet;
  work.reg = d.number;
  work.a = operand_of(py::int_(value));
  append(std::move(work));
}
void Tracer::copy_register(Register d, Register a) {
  nki::RegisterWork work;
  work.kind = nki::RegisterWork::Kind::kSet;
  work.reg = d.number;
  work.a.reg = a.number;
  append(std::move(work));
}
Register Tracer::combine(const py::object& a, const std::string& op, const py::object& b) {
  nki::RegisterWork work;
  work.kind = nki::RegisterWork::Kind::kAlu;
  const Register d = new_register();
  work.reg = d.number;
  work.a = operand_of(a);
  work.b = operand_of(b);
  work.op = named<isa::AluOp>(py::str(op), "register arithmetic", "operation");
  append(std::move(work));
  return d;
}
void Tracer::load_register(Register d, const nki::View& word) {
  nki::RegisterWork work;
  work.kind = nki::RegisterWork::Kind::kLoad;
  work.reg = d.number;
  work.word = trace.side_of(word);
  append(std::move(work));
}
void Tracer::store_register(const nki::View& word, Register a) {
  nki::RegisterWork work;
  work.kind = nki::RegisterWork::Kind::kStore;
  work.reg = a.number;
  work.word = trace.side_of(word);
  append(std::move(work));
}

Register Tracer::loop_begin(const py::object& lower, const py::object& upper, std::int32_t step) {
  nki::RegisterWork work;
  work.kind = nki::RegisterWork::Kind::kLoopBegin;
  const Register counter = new_register();
  work.reg = counter.number;
  work.a = operand_of(lower);
  work.b = operand_of(upper);
  work.step = step;
  append(std::move(work));
  return counter;
}
void Tracer::loop_end(Register counter, std::int32_t step) {
  nki::RegisterWork work;
  work.kind = nki::RegisterWork::Kind::kLoopEnd;
  work.reg = counter.number;
  work.step = step;
  append(std::move(work));
}
void Tracer::while_begin(Register condition) {
  nki::RegisterWork work;
  work.kind = nki::RegisterWork::Kind::kWhileBegin;
  work.reg = condition.number;
  append(std::move(work));
}
void Tracer::while_end(Register condition) {
  nki::RegisterWork work;
  work.kind = nki::RegisterWork::Kind::kWhileEnd;
  work.reg = condition.number;
  append(std::move(work));
}

const Tracer::Code& Tracer::code_of(PyCodeObject* code) {
  const auto known = codes_.find(code);
  if (known != codes_.end()) return known->second;
  Code c;
  const py::handle object(reinterpret_cast<PyObject*>(code));
  c.file = py::cast<std::string>(object.attr("co_filename"));
  c.function = py::cast<std::string>(object.attr("co_name"));
  c.own = c.file.rfind(package_, 0) == 0;
  c.root = c.own && c.function == kRootFunction;
  Py_INCREF(code);  // its address stays its own as long as the tracer lives; code objects are few
  return codes_.emplace(code, std::move(c)).first->second;
}

std::uint32_t Tracer::at_caller() {
  if (held_) return trace.at_line = *held_;
  struct Frame {
    PyCodeObject* code;
    int last;
    PyFrameObject* frame;
  };
  std::array<Frame, 128> frames{};
  std::size_t count = 0;
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  while (frame != nullptr) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
    const Code& c = code_of(code);
    Py_DECREF(code);
    if (c.root) {
      Py_DECREF(frame);
      break;
    }
    PyFrameObject* const back = PyFrame_GetBack(frame);
    if (!c.own && count < frames.size()) {
      frames[count++] = {code, PyFrame_GetLasti(frame), frame};
    } else {
      Py_DECREF(frame);
    }
    frame = back;
  }
  std::uint32_t caller = isa::kNoLine;
  for (std::size_t n = count; n-- > 0;) {
    const Frame& f = frames[n];
    const auto [node, added] = nodes_.try_emplace(Call{f.code, f.last, caller}, 0U);
    if (added) {
      const Code& c = codes_.at(f.code);
      node->second = static_cast<std::uint32_t>(trace.lines.size());
      trace.lines.push_back(
          {c.file, static_cast<std::uint32_t>(PyFrame_GetLineNumber(f.frame)), c.function, caller});
    }
    caller = node->second;
    Py_DECREF(f.frame);
  }
  return trace.at_line = caller;
}

std::string Tracer::place() { return nki::place_of(trace, at_caller()); }

}  // namespace tahoma::python
