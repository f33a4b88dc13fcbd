// SPDX-License-Identifier: Apache-2.0
// model::Processes over MPI, as a shared library (launch.h). The default error handler of MPI ends all processes if a call fails.
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <thread>

#include "model/system/parallel/processes.h"

namespace {

using tahoma::model::ByteString;

using Clock = std::chrono::steady_clock;

// Waits for an operation, or until a time; returns whether it has ended. MPI would keep the core busy until then, which the other
// processes need if the host has fewer cores. A message between hosts takes a few microseconds.
bool await(MPI_Request& request, Clock::time_point until = Clock::time_point::max()) {
  constexpr std::chrono::microseconds kBusy{50}, kPause{20};
  const Clock::time_point start = Clock::now();
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
    const Clock::time_point now = Clock::now();
    if (now > until) return false;
    if (now - start > kBusy) std::this_thread::sleep_for(kPause);
  }
}

class MpiProcesses final : public tahoma::model::Processes {
 public:
  MpiProcesses() {
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);  // processes that wait leave the core to others
    MPI_Init(nullptr, nullptr);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }
  // Waits for the others, which come here, too: when process 0 has finished, or when all have agreed on an error. A process that
  // ends alone, with an error of its own, ends all.
  ~MpiProcesses() override {
    constexpr std::chrono::seconds kPatience{20};
    const bool error = std::uncaught_exceptions() > 0;
    if (rank_ != 0 && error) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Request request{};
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (!await(request, error ? Clock::now() + kPatience : Clock::time_point::max()))
      MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
  }

  std::uint32_t count() const override { return static_cast<std::uint32_t>(count_); }
  std::uint32_t rank() const override { return static_cast<std::uint32_t>(rank_); }

  std::vector<ByteString> exchange(const std::vector<ByteString>& to) override {
    MPI_Request request{};
    Parts out = parts_of(to), in(to.size());
    MPI_Ialltoall(out.sizes.data(), 1, MPI_INT, in.sizes.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
    await(request);
    in.place();
    MPI_Ialltoallv(out.bytes.data(), out.sizes.data(), out.starts.data(), MPI_BYTE, in.bytes.data(),
                   in.sizes.data(), in.starts.data(), MPI_BYTE, MPI_COMM_WORLD, &request);
    await(request);
    return in.strings();
  }

  std::vector<std::int64_t> least(const std::vector<std::int64_t>& numbers) override {
    MPI_Request request{};
    std::vector<std::int64_t> result(numbers.size());
    MPI_Iallreduce(numbers.data(), result.data(), static_cast<int>(numbers.size()), MPI_INT64_T, MPI_MIN,
                   MPI_COMM_WORLD, &request);
    await(request);
    return result;
  }

  std::vector<ByteString> gather(const ByteString& bytes) override {
    MPI_Request request{};
    Parts in(reports() ? count() : 0);
    const int size = static_cast<int>(bytes.size());
    MPI_Igather(&size, 1, MPI_INT, in.sizes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    await(request);
    in.place();
    MPI_Igatherv(bytes.data(), size, MPI_BYTE, in.bytes.data(), in.sizes.data(), in.starts.data(), MPI_BYTE,
                 0, MPI_COMM_WORLD, &request);
    await(request);
    return in.strings();
  }

 private:
  // Strings of bytes behind each other.
  struct Parts {
    explicit Parts(std::size_t count) : sizes(count), starts(count) {}
    void place() {
      std::exclusive_scan(sizes.begin(), sizes.end(), starts.begin(), 0);
      bytes.resize(sizes.empty() ? 0 : static_cast<std::size_t>(starts.back() + sizes.back()));
    }
    std::vector<ByteString> strings() const {
      std::vector<ByteString> all;
      for (std::size_t n = 0; n < sizes.size(); ++n)
        all.emplace_back(bytes.begin() + starts[n], bytes.begin() + starts[n] + sizes[n]);
      return all;
    }
    std::vector<int> sizes, starts;
    ByteString bytes;
  };
  static Parts parts_of(const std::vector<ByteString>& strings) {
    Parts parts(strings.size());
    for (std::size_t n = 0; n < strings.size(); ++n) parts.sizes[n] = static_cast<int>(strings[n].size());
    std::exclusive_scan(parts.sizes.begin(), parts.sizes.end(), parts.starts.begin(), 0);
    for (const ByteString& each : strings) parts.bytes.insert(parts.bytes.end(), each.begin(), each.end());
    return parts;
  }

  int count_ = 1, rank_ = 0;
};

}  // namespace

// The caller owns the result.
extern "C" tahoma::model::Processes* tahoma_mpi_processes() { return new MpiProcesses; }
