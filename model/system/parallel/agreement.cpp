// SPDX-License-Identifier: Apache-2.0
#include "model/system/parallel/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "isa/core/program_error.h"
#include "model/base/byte_stream.h"
#include "model/base/error.h"

namespace tahoma::model {

namespace {

enum class Defect : std::uint8_t { kUser, kProgram, kInvariant };

struct Failure {
  base::Time at{0};
  Defect kind = Defect::kInvariant;
  std::string code, place, message, context;
  base::ExitStatus status = base::ExitStatus::kInvariant;
};

template <class Stream, class T>
requires std::same_as<std::remove_const_t<T>, Failure>
void fields(Stream& stream, T& f) { stream(f.at, f.kind, f.code, f.place, f.message, f.context, f.status); }

std::optional<Failure> failure_of(base::Time (*now)(), const std::function<void()>& body) {
  try {
    body();
    return std::nullopt;
  } catch (const base::UserError& e) {
    return Failure{now(), Defect::kUser, e.code, e.place, e.message, "", e.status};
  } catch (const isa::ProgramError& e) {
    return Failure{now(), Defect::kProgram, e.code, e.place, e.message, e.context};
  } catch (const std::exception& e) {
    return Failure{now(), Defect::kInvariant, "", "", e.what(), ""};
  }
}

[[noreturn]] void raise(const Failure& f, std::size_t process, std::uint32_t of) {
  switch (f.kind) {
    case Defect::kUser:
      throw base::UserError(f.code, f.place, f.message, f.status);
    case Defect::kProgram:
      throw isa::ProgramError(f.code, f.place, f.message, f.context);
    default:
      throw base::InvariantError(fmt::format("process {} of {}: {}", process, of, f.message));
  }
}

}  // namespace

void agree(Processes& processes, base::Time (*now)(), const std::function<void()>& body) {
  const std::optional<Failure> own = failure_of(now, body);
  if (processes.least({own ? 0 : 1})[0] != 0) return;
  base::ByteWriter bytes;
  if (own) bytes(*own);
  const std::vector<ByteString> all = processes.gather(bytes.bytes());
  if (!processes.reports()) throw ReportedElsewhere{};
  std::optional<Failure> first;
  std::size_t of_process = 0;
  for (std::size_t process = 0; process < all.size(); ++process) {
    if (all[process].empty()) continue;
    Failure failure;
    base::ByteReader from(all[process]);
    from(failure);
    if (first && first->at <= failure.at) continue;
    first = failure;
    of_process = process;
  }
  raise(*first, of_process, processes.count());
}

}  // namespace tahoma::model
