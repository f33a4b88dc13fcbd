// SPDX-License-Identifier: Apache-2.0
// The Python module _tahoma: recording and lowering of kernels, over the same library as the program. The
// package beside it (frontend/python/package) has the names that kernels use.
#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <string_view>
#include <utility>

#include "frontend/nki/lower/policies.h"
#include "frontend/nki/record/dump.h"
#include "frontend/nki/record/writer.h"
#include "frontend/python/module/tracer.h"
#include "isa/binary/container.h"
#include "isa/core/program_error.h"
#include "isa/table/activation_functions.h"
#include "isa/text/assembler.h"
#include "model/base/error.h"
#include "runtime/config/config.h"
#include "runtime/run/machine.h"

// The simulation runs in the program; SystemC's library asks for this function all the same.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) int sc_main(int, char**) { return 0; }

namespace tahoma::runtime {

// The module runs no workloads.
const std::vector<WorkloadKind>& workload_kinds() {
  static const std::vector<WorkloadKind> kNone;
  return kNone;
}

}  // namespace tahoma::runtime

namespace tahoma::python {

namespace {

// The options of lowering by the names of the policies, as tahoma.settings has them.
nki::LoweringOptions lowering_options(const py::kwargs& values) {
  nki::LoweringOptions options;
  for (const nki::Policy& policy : nki::policies())
    if (values.contains(policy.name) &&
        !policy.choice(options).set(py::str(values[policy.name]).cast<std::string>()))
      throw py::value_error(std::string("no such value of the policy ") + policy.name);
  return options;
}

// {name: (sentence, legal values with the default first)}
py::dict policy_table() {
  nki::LoweringOptions options;
  py::dict table;
  for (const nki::Policy& policy : nki::policies())
    table[policy.name] = py::make_tuple(policy.doc, py::tuple(py::cast(policy.choice(options).names())));
  return table;
}

// The package's function that raises its exception from a code, a place and a text.
py::object& raiser() {
  static auto* const kRaiser = new py::object;
  return *kRaiser;
}

void raise(const std::string& code, const std::string& place, const std::string& message) {
  if (!raiser()) {
    PyErr_SetString(PyExc_ValueError, fmt::format("{}: error[{}]: {}", place, code, message).c_str());
    return;
  }
  try {
    raiser()(code, place, message);
  } catch (py::error_already_set& e) {
    e.restore();
  }
}

}  // namespace

void bind_tracer(py::module_& m) {
  m.attr("POLICIES") = policy_table();
  py::class_<MachineModel, std::shared_ptr<MachineModel>>(m, "Machine")
      .def(py::init([](const std::string& name, const std::vector<std::string>& overrides) {
             auto machine = std::make_shared<MachineModel>();
             machine->params = runtime::resolve_machine_params(name, overrides);
             machine->limits = runtime::limits_of(machine->params);
             machine->usable = static_cast<std::uint32_t>(machine->params.chip.core.sbuf.usable.count);
             return machine;
           }),
           py::arg("name") = "", py::arg("overrides") = std::vector<std::string>())
      .def_property_readonly("lnc", [](const MachineModel& m2) { return m2.params.chip.lnc; })
      // 2, 3 or 4: the numbers of nki.isa.nc_version.
      .def_property_readonly(
          "core_version",
          [](const MachineModel& m2) { return 2 + static_cast<int>(m2.params.chip.core.version); })
      .def_property_readonly("sbuf_bytes", [](const MachineModel& m2) { return m2.usable; })
      .def_property_readonly("partitions", [](const MachineModel& m2) { return m2.limits.partitions; })
      .def_property_readonly("array_rows", [](const MachineModel& m2) { return m2.limits.array_rows; })
      .def_property_readonly("array_columns", [](const MachineModel& m2) { return m2.limits.array_columns; });

  using Role = nki::Storage::Role;
  py::enum_<Role>(m, "Role")
      .value("local", Role::kLocal)
      .value("input", Role::kInput)
      .value("output", Role::kOutput)
      .value("constant", Role::kConstant);
  py::enum_<nki::Buffer>(m, "Buffer")
      .value("sbuf", nki::Buffer::kSbuf)
      .value("psum", nki::Buffer::kPsum)
      .value("private_hbm", nki::Buffer::kPrivateHbm)
      .value("shared_hbm", nki::Buffer::kSharedHbm);

  py::class_<Tracer>(m, "Tracer")
      .def(py::init<std::shared_ptr<MachineModel>, const std::string&, std::string>(), py::arg("machine"),
           py::arg("name"), py::arg("package"))
      .def("tensor", &Tracer::tensor, py::arg("shape"), py::arg("element"), py::arg("buffer"),
           py::arg("name") = "", py::arg("address") = py::none(), py::arg("role") = Role::kLocal,
           py::arg("values") = py::none(), py::arg("implicit") = false)
      .def("emit", [](Tracer& t, const py::str& mnemonic, const py::object& engine,
                      const py::kwargs& fields) { return t.emit(mnemonic, engine, fields); })
      .def("matmul", &Tracer::matmul)
      .def("matmul_mx", &Tracer::matmul_mx)
      .def("quantize_mx", &Tracer::quantize_mx)
      .def("copy", &Tracer::copy, py::arg("dst"), py::arg("src"), py::arg("engine") = py::none(),
           py::arg("dge") = 0, py::arg("skip") = false, py::arg("accumulate") = false, py::arg("service") = 0)
      .def("fold", &Tracer::fold)
      .def("transpose", &Tracer::transpose, py::arg("dst"), py::arg("src"), py::arg("axes"),
           py::arg("dge") = 0, py::arg("service") = 0)
      .def("exchange", &Tracer::exchange, py::arg("ready"), py::arg("sends"), py::arg("received"),
           py::arg("service") = 0)
      .def("barrier", &Tracer::barrier)
      .def("new_register", &Tracer::new_register)
      .def("set_register", &Tracer::set_register)
      .def("move_register", &Tracer::move_register)
      .def("copy_register", &Tracer::copy_register)
      .def("combine", &Tracer::combine)
      .def("load_register", &Tracer::load_register)
      .def("store_register", &Tracer::store_register)
      .def("loop_begin", &Tracer::loop_begin)
      .def("loop_end", &Tracer::loop_end)
      .def("while_begin", &Tracer::while_begin)
      .def("while_end", &Tracer::while_end)
      .def("at_caller", &Tracer::at_caller)
      .def("hold_line", &Tracer::hold_line, py::arg("line"))
      .def("place", &Tracer::place)
      .def("warn", [](Tracer& t, const std::string& text) { t.trace.warnings.push_back(text); })
      .def("set_role",
           [](Tracer& t, const nki::View& v, Role role) { t.trace.storages[v.storage->id]->role = role; })
      .def("name_variables",
           [](Tracer& t, const std::function<std::optional<std::string>(const std::string&, std::uint32_t,
                                                                        const std::string&)>& variable_of) {
             t.trace.name_variables([variable_of](const isa::SourceLine& line) {
               return variable_of(line.file, line.line, line.function);
             });
           })
      .def("depends", [](Tracer& t, std::uint32_t entry,
                         std::uint32_t producer) { t.trace.entries.at(entry).after.push_back(producer); })
      .def_property_readonly("entries", [](const Tracer& t) { return t.trace.entries.size(); })
      .def_readwrite("most_entries", &Tracer::most_entries)
      .def("dump", [](const Tracer& t) { return nki::dump(t.trace); })
      .def("writer_of", [](const Tracer& t, const nki::View& view,
                           std::int64_t byte) { return nki::writer_of(t.trace, view.storage->id, byte); })
      .def("lower", [](const Tracer& t, const py::kwargs& policies) {
        nki::Lowered lowered = t.lower(lowering_options(policies));
        py::dict result;
        const std::vector<std::byte> bytes = isa::to_bytes(lowered.program);
        result["program"] = py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        result["text"] = py::cpp_function([program = lowered.program] { return isa::disassemble(program); });
        std::uint64_t instructions = 0;
        for (const auto& stream : lowered.program.streams) instructions += stream.size();
        result["instructions"] = instructions;
        py::list arguments;
        std::vector<bool> written(t.trace.storages.size(), false);
        written.resize(lowered.storages.size(), true);  // lowering adds tensors to write to them
        for (const nki::Recorded& entry : t.trace.entries) {
          if (entry.transfer) written[entry.transfer->dst.storage] = true;
          if (entry.exchange)
            for (const nki::Side& side : entry.exchange->received) written[side.storage] = true;
          if (entry.registers && entry.registers->kind == nki::RegisterWork::Kind::kStore)
            written[entry.registers->word->storage] = true;
        }
        // All programs of a kernel number the tensors in shared HBM alike, in order of declaration.
        std::vector<std::size_t> position(lowered.storages.size(), 0);
        std::size_t shared = 0;
        for (const auto& s : lowered.storages)
          if (s->buffer == nki::Buffer::kSharedHbm) position[s->id] = shared++;
        for (std::size_t a = 0; a < lowered.arguments.size(); ++a) {
          const nki::Argument& held = lowered.arguments[a];
          const nki::Storage& s = *lowered.storages[held.storage];
          py::dict argument;
          argument["argument"] = lowered.program.args[a];
          argument["kind"] = held.kind == nki::Argument::Kind::kTensor       ? "tensor"
                             : held.kind == nki::Argument::Kind::kPeerTensor ? "peer"
                                                                             : "core";
          argument["rank"] = held.rank;
          argument["storage"] = s.id;
          argument["name"] = s.name;
          argument["element"] = std::string(s.element->name);
          argument["dtype"] =
              std::string(isa::name_of(s.element->on(t.trace.limits().core).value_or(isa::DType::kUint8)));
          argument["shape"] = s.shape;
          argument["buffer"] = std::string(nki::name_of(s.buffer));
          argument["role"] = s.role;
          argument["written"] = static_cast<bool>(written[s.id]);
          argument["order"] = position[s.id];
          argument["place"] = nki::place_of(t.trace, s.line);
          argument["values"] = py::bytes(reinterpret_cast<const char*>(s.values.data()), s.values.size());
          arguments.append(argument);
        }
        result["arguments"] = arguments;
        result["warnings"] = lowered.warnings;
        py::list tensors;
        for (const auto& s : lowered.storages) {
          if (!s->on_chip()) continue;
          const nki::Place at = lowered.places[s->id];
          tensors.append(py::make_tuple(s->name, std::string(nki::name_of(s->buffer)), at.partition, at.byte,
                                        s->shape[0], s->row_bytes(), nki::place_of(t.trace, s->line)));
        }
        result["tensors"] = tensors;
        return result;
      });
}

void bind_tables(py::module_& m) {
  const auto names = []<class Enum>(Enum) {
    std::vector<std::string> list;
    for (const std::string_view n : isa::names_of<Enum>()) list.emplace_back(n);
    return list;
  };
  m.attr("ALU_OPS") = names(isa::AluOp{});
  m.attr("ACTIVATIONS") = names(isa::ActFn{});
  m.attr("COMPARISONS") = names(isa::CompareOp{});
  m.attr("MATMUL_MODES") = names(isa::MatmulMode{});
  m.def("disassemble", [](const py::bytes& program) {
    const std::string bytes = program;
    return isa::disassemble(isa::from_bytes(std::as_bytes(std::span(bytes))));
  });
}

PYBIND11_MODULE(_tahoma, m) {
  m.doc() = "Recording and lowering of NKI kernels for Tahoma";
  m.def("set_raiser", [](py::object function) { raiser() = std::move(function); });
  // NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11 takes a function of this type
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const base::UserError& e) {
      raise(e.code, e.place, e.message);
    } catch (const isa::ProgramError& e) {
      raise(e.code, e.place, e.message);
    }
  });
  bind_views(m);
  bind_tracer(m);
  bind_tables(m);
}

}  // namespace tahoma::python
