// SPDX-License-Identifier: Apache-2.0
// model::Processes over MPI, as a shared library (launch.h). The default error handler of MPI ends all
// processes if a call fails.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <thread>

#include "model/system/parallel/processes.h"

namespace {

using tahoma::model::ByteString;

using Clock = std::chrono::steady_clock;

// Whether this host has a core for each of its processes.
bool cores_for_all() {
  MPI_Comm here{};
  int processes = 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &processes);
  MPI_Comm_free(&here);
  return static_cast<unsigned>(processes) <= std::thread::hardware_concurrency();
}

class MpiProcesses final : public tahoma::model::Processes {
 public:
  MpiProcesses() {
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);  // processes that wait leave the core to others
    MPI_Init(nullptr, nullptr);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    if (cores_for_all()) busy_ = std::chrono::milliseconds(5);
  }
  // Waits for the others, which come here, too: when process 0 has finished, or when all have agreed on an
  // error. A process that ends alone, with an error of its own, ends all.
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

  Exchanged exchange(const std::vector<ByteString>& to, const Numbers& numbers,
                     const std::function<bool()>& meanwhile) override {
    const std::vector<Letter> in = exchange_letters(to, numbers, meanwhile);
    Exchanged all{{}, in.front().numbers};
    std::int64_t longest = 0;
    for (const Letter& from : in) {
      for (std::size_t n = 0; n < numbers.size(); ++n) all.least[n] = std::min(all.least[n], from.numbers[n]);
      longest = std::max(longest, from.longest);
    }
    if (longest > Letter::kBytes) {
      all.received = exchange_long(to, in);
      return all;
    }
    for (const Letter& from : in)
      all.received.emplace_back(from.bytes.begin(), from.bytes.begin() + from.size);
    return all;
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
  // One process sends this to another in a window. Most windows have a few packets, which fit.
  struct Letter {
    static constexpr std::int64_t kBytes = 480;
    Numbers numbers{};
    std::int64_t size = 0;  // of the message; it is here if no message of any process is longer than kBytes
    std::int64_t longest = 0;  // of the sender's messages
    std::array<std::byte, kBytes> bytes{};
  };
  std::vector<Letter> exchange_letters(const std::vector<ByteString>& to, const Numbers& numbers,
                                       const std::function<bool()>& meanwhile) const {
    std::vector<Letter> out(to.size()), in(to.size());
    std::int64_t longest = 0;
    for (const ByteString& message : to) longest = std::max(longest, std::ssize(message));
    for (std::size_t p = 0; p < to.size(); ++p) {
      out[p].numbers = numbers;
      out[p].size = std::ssize(to[p]);
      out[p].longest = longest;
      if (longest <= Letter::kBytes) std::copy(to[p].begin(), to[p].end(), out[p].bytes.begin());
    }
    MPI_Request request{};
    MPI_Ialltoall(out.data(), sizeof(Letter), MPI_BYTE, in.data(), sizeof(Letter), MPI_BYTE, MPI_COMM_WORLD,
                  &request);
    await(request, Clock::time_point::max(), meanwhile);
    return in;
  }

  // Waits for an operation, or until a time; returns whether it has ended. `meanwhile`: as in exchange(). MPI
  // would keep the core busy until then, which the other processes need if the host has fewer cores. A
  // message between hosts takes a few microseconds.
  bool await(
      MPI_Request& request, Clock::time_point until = Clock::time_point::max(),
      const std::function<bool()>& meanwhile = [] { return false; }) const {
    constexpr std::chrono::microseconds kPause{20};
    const Clock::time_point start = Clock::now();
    for (int done = 0;;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return true;
      if (meanwhile()) continue;
      const Clock::time_point now = Clock::now();
      if (now > until) return false;
      if (now - start > busy_)
        std::this_thread::sleep_for(kPause);
      else
        std::this_thread::yield();
    }
  }

  std::vector<ByteString> exchange_long(const std::vector<ByteString>& to,
                                        const std::vector<Letter>& letters) const {
    MPI_Request request{};
    Parts out = first_parts(to), in(to.size());
    for (std::size_t p = 0; p < to.size(); ++p) in.sizes[p] = first_part(letters[p].size);
    in.place();
    MPI_Ialltoallv(out.bytes.data(), out.sizes.data(), out.starts.data(), MPI_BYTE, in.bytes.data(),
                   in.sizes.data(), in.starts.data(), MPI_BYTE, MPI_COMM_WORLD, &request);
    await(request);
    std::vector<ByteString> from = in.strings();
    exchange_rest(to, letters, from);
    return from;
  }
  // One exchange of all processes takes the first bytes of every message, because MPI counts the sum in an
  // int. The rest of a longer one goes from process to process, in pieces that an int can count.
  static constexpr std::int64_t kFirst = std::int64_t{1} << 16, kPiece = std::int64_t{1} << 30;
  static int first_part(std::int64_t size) { return static_cast<int>(std::min(size, kFirst)); }

  // Calls f(bytes before it, bytes) for each piece after the first part.
  template <class F>
  static void each_piece(std::int64_t size, F&& f) {
    for (std::int64_t at = kFirst; at < size; at += kPiece)
      f(at, static_cast<int>(std::min(kPiece, size - at)));
  }
  void exchange_rest(const std::vector<ByteString>& to, const std::vector<Letter>& letters,
                     std::vector<ByteString>& from) const {
    std::vector<MPI_Request> requests;
    for (int p = 0; p < count_; ++p) {
      const auto n = static_cast<std::size_t>(p);
      from[n].resize(static_cast<std::size_t>(letters[n].size));
      each_piece(letters[n].size, [&](std::int64_t at, int bytes) {
        MPI_Irecv(from[n].data() + at, bytes, MPI_BYTE, p, 0, MPI_COMM_WORLD, &requests.emplace_back());
      });
    }
    for (int p = 0; p < count_; ++p) {
      const ByteString& message = to[static_cast<std::size_t>(p)];
      each_piece(static_cast<std::int64_t>(message.size()), [&](std::int64_t at, int bytes) {
        MPI_Isend(message.data() + at, bytes, MPI_BYTE, p, 0, MPI_COMM_WORLD, &requests.emplace_back());
      });
    }
    for (MPI_Request& request : requests) await(request);
  }

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
  static Parts first_parts(const std::vector<ByteString>& strings) {
    Parts parts(strings.size());
    for (std::size_t n = 0; n < strings.size(); ++n)
      parts.sizes[n] = first_part(static_cast<std::int64_t>(strings[n].size()));
    parts.place();
    for (std::size_t n = 0; n < strings.size(); ++n)
      std::copy_n(strings[n].begin(), parts.sizes[n], parts.bytes.begin() + parts.starts[n]);
    return parts;
  }

  int count_ = 1, rank_ = 0;
  std::chrono::microseconds busy_{50};  // keeps the core for so long while it waits
};

}  // namespace

// The caller owns the result.
extern "C" tahoma::model::Processes* tahoma_mpi_processes() { return new MpiProcesses; }
