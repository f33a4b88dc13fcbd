// SPDX-License-Identifier: Apache-2.0
// A trace that Python fills: instructions come as keywords named after the fields of the instruction table,
// and every entry gets the line of the kernel that made it, with the calls that led there.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

#include "frontend/nki/lower/nki_lowering.h"
#include "frontend/nki/record/trace.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::python {

namespace py = pybind11;
namespace nki = tahoma::runtime::nki;

// A machine as the command line's --machine and --set describe it.
struct MachineModel {
  model::MachineParams params;
  isa::Limits limits;
  std::uint32_t usable = 0;  // bytes of an SBUF partition that a kernel may use
};

// A virtual register of the kernel.
struct Register {
  std::uint32_t number = 0;
};

// A slice of which a register gives the start: nl.ds(register, size).
struct DynamicSlice {
  Register start;
  std::int64_t size = 1;
};

class Tracer {
 public:
  // Lines of files below `package` are the front end's own, and do not appear.
  Tracer(std::shared_ptr<MachineModel> machine, const std::string& name, std::string package)
      : trace(machine->limits, machine->usable, name),
        machine_(std::move(machine)),
        package_(std::move(package)) {}

  nki::View tensor(const std::vector<std::int64_t>& shape, const nki::Element& element, nki::Buffer buffer,
                   const std::string& name, std::optional<std::pair<std::uint32_t, std::uint32_t>> address,
                   nki::Storage::Role role, const py::object& values, bool implicit);

  // One compute instruction: the table's mnemonic, the engine or None, and its fields by name. Returns the
  // number of its entry.
  std::size_t emit(const py::handle& mnemonic, const py::handle& engine, const py::dict& fields);
  std::size_t matmul(const nki::View& dst, const nki::View& stationary, const nki::View& moving,
                     const std::string& mode, std::optional<bool> accumulate, bool transpose);
  void matmul_mx(const nki::View& dst, const nki::View& stationary, const nki::View& moving,
                 const nki::View& stationary_scale, const nki::View& moving_scale,
                 std::optional<bool> accumulate);
  void quantize_mx(const nki::View& dst, const nki::View& src, const nki::View& scale);
  std::size_t copy(const nki::View& dst, const nki::View& src, const std::optional<std::string>& engine,
                   int dge, bool skip, bool accumulate, unsigned service);
  void fold(const nki::View& dst, const std::vector<nki::View>& sources, const std::string& op);
  // dst = src with its dimensions in the order `axes`.
  void transpose(const nki::View& dst, const nki::View& src, const std::vector<std::size_t>& axes, int dge,
                 unsigned service);
  // Messages are (source here, destination of the rank, rank, distance in cores).
  using Message = std::tuple<nki::View, nki::View, std::uint32_t, std::int32_t>;
  void exchange(const std::vector<Message>& ready, const std::vector<Message>& sends,
                const std::vector<nki::View>& received, unsigned service);
  void barrier(unsigned pipe, const std::optional<std::string>& engine);

  Register set_register(std::int64_t value);
  void move_register(Register d, std::int64_t value);
  Register combine(const py::object& a, const std::string& op, const py::object& b);
  void copy_register(Register d, Register a);
  void load_register(Register d, const nki::View& word);
  void store_register(const nki::View& word, Register a);
  Register loop_begin(const py::object& lower, const py::object& upper, std::int32_t step);
  void loop_end(Register counter, std::int32_t step);
  void while_begin(Register condition);
  void while_end(Register condition);
  Register new_register() { return {trace.registers++}; }

  // Entries that follow belong to the line that is being executed, or to the one that is held.
  std::uint32_t at_caller();
  // Sets the line of instructions that are recorded later than called.
  void hold_line(std::optional<std::uint32_t> line) { held_ = line; }
  std::string place();  // "file:line" of the line that is being executed

  nki::Lowered lower(const nki::LoweringOptions& options) const {
    return nki::lower(trace, machine_->params, options);
  }

  nki::Trace trace;
  std::uint64_t recorded = 0;  // entries, for the limit below
  std::uint64_t most_entries = 20'000'000;

 private:
  struct Code {
    std::string file, function;
    bool own = false;   // of the front end
    bool root = false;  // the call of the kernel: nothing outside is of interest
  };
  const Code& code_of(PyCodeObject* code);
  void entered();
  void append(nki::RegisterWork work);

  std::shared_ptr<MachineModel> machine_;
  std::string package_;
  std::optional<std::uint32_t> held_;
  std::unordered_map<PyCodeObject*, Code> codes_;
  // A place in the code of a function, and the line that called it.
  struct Call {
    PyCodeObject* code;
    int last;  // instruction
    std::uint32_t caller;
    friend bool operator==(const Call&, const Call&) = default;
  };
  struct CallHash {
    std::size_t operator()(const Call& c) const {
      constexpr std::size_t kOdd = 0x9e3779b97f4a7c15;  // spreads neighbouring numbers
      return ((reinterpret_cast<std::uintptr_t>(c.code) * kOdd + static_cast<std::size_t>(c.last)) * kOdd +
              c.caller) *
             kOdd;
    }
  };
  std::unordered_map<Call, std::uint32_t, CallHash> nodes_;  // indices into the trace's lines
};

// The number of a queue in nki.isa.engine's names: "tensor", "vector", "scalar", "gpsimd", "sync".
std::optional<isa::Queue> queue_of(const std::optional<std::string>& engine);

void bind_views(py::module_& module);
void bind_tracer(py::module_& module);
void bind_tables(py::module_& module);

}  // namespace tahoma::python
