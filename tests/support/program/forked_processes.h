// SPDX-License-Identifier: Apache-2.0
// Processes of this host that simulate a machine together, connected by sockets through process 0. The
// runtime's own processes are those of MPI.
#pragma once

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/system/parallel/processes.h"
#include "tests/support/in_child.h"

namespace tahoma::tests {

class ForkedProcesses final : public model::Processes {
 public:
  // Forks the others; every process returns from here with a rank of its own.
  explicit ForkedProcesses(std::uint32_t count) : count_(count), peers_(count, -1) {
    for (std::uint32_t p = 1; p < count; ++p) {
      int ends[2];
      if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw std::runtime_error("no sockets");
      const pid_t child = fork();
      if (child < 0) throw std::runtime_error("no process");
      if (child == 0) {
        for (const int peer : peers_)
          if (peer >= 0) close(peer);
        close(ends[0]);
        rank_ = p;
        hub_ = ends[1];
        children_.clear();
        return;
      }
      close(ends[1]);
      peers_[p] = ends[0];
      children_.push_back(child);
    }
  }
  ~ForkedProcesses() override {
    for (const pid_t child : children_) waitpid(child, nullptr, 0);
  }

  std::uint32_t count() const override { return count_; }
  std::uint32_t rank() const override { return rank_; }
  const std::vector<pid_t>& children() const { return children_; }

  // Whether others are waited for depends on the host: `meanwhile` is called now and then.
  Exchanged exchange(const std::vector<model::ByteString>& to, const Numbers& numbers,
                     const std::function<bool()>& meanwhile) override {
    if (++exchanges_ % 3 == 0) meanwhile();
    Exchanged all{exchange_bytes(to), {}};
    const std::vector<std::int64_t> smallest = least({numbers.begin(), numbers.end()});
    std::copy(smallest.begin(), smallest.end(), all.least.begin());
    return all;
  }

  std::vector<model::ByteString> exchange_bytes(const std::vector<model::ByteString>& to) {
    if (rank_ != 0) {
      for (const model::ByteString& bytes : to) send(hub_, bytes);
      std::vector<model::ByteString> from;
      for (std::uint32_t p = 0; p < count_; ++p) from.push_back(receive(hub_));
      return from;
    }
    std::vector<std::vector<model::ByteString>> all{to};
    for (std::uint32_t p = 1; p < count_; ++p) {
      all.emplace_back();
      for (std::uint32_t q = 0; q < count_; ++q) all.back().push_back(receive(peers_[p]));
    }
    for (std::uint32_t p = 1; p < count_; ++p)
      for (std::uint32_t q = 0; q < count_; ++q) send(peers_[p], all[q][p]);
    std::vector<model::ByteString> from;
    for (std::uint32_t q = 0; q < count_; ++q) from.push_back(all[q][0]);
    return from;
  }

  std::vector<std::int64_t> least(const std::vector<std::int64_t>& numbers) override {
    model::ByteString own(numbers.size() * sizeof(std::int64_t));
    std::memcpy(own.data(), numbers.data(), own.size());
    std::vector<std::int64_t> result = numbers;
    for (const model::ByteString& bytes : exchange_bytes(std::vector<model::ByteString>(count_, own)))
      for (std::size_t n = 0; n < result.size(); ++n) {
        std::int64_t number = 0;
        std::memcpy(&number, bytes.data() + n * sizeof number, sizeof number);
        result[n] = std::min(result[n], number);
      }
    return result;
  }

  std::vector<model::ByteString> gather(const model::ByteString& bytes) override {
    std::vector<model::ByteString> to(count_);
    to[0] = bytes;
    std::vector<model::ByteString> from = exchange_bytes(to);
    return rank_ == 0 ? from : std::vector<model::ByteString>();
  }

 private:
  static void send(int socket, const model::ByteString& bytes) {
    const std::uint64_t size = bytes.size();
    write_all(socket, &size, sizeof size);
    write_all(socket, bytes.data(), bytes.size());
  }
  static model::ByteString receive(int socket) {
    std::uint64_t size = 0;
    read_all(socket, &size, sizeof size);
    model::ByteString bytes(size);
    read_all(socket, bytes.data(), size);
    return bytes;
  }
  static void write_all(int socket, const void* from, std::size_t size) {
    for (std::size_t done = 0; done < size;) {
      const ssize_t n = ::send(socket, static_cast<const char*>(from) + done, size - done, MSG_NOSIGNAL);
      if (n <= 0) throw std::runtime_error("a process has gone");
      done += static_cast<std::size_t>(n);
    }
  }
  static void read_all(int socket, void* to, std::size_t size) {
    for (std::size_t done = 0; done < size;) {
      const ssize_t n = ::read(socket, static_cast<char*>(to) + done, size - done);
      if (n <= 0) throw std::runtime_error("a process has gone");
      done += static_cast<std::size_t>(n);
    }
  }

  std::uint32_t count_, rank_ = 0;
  std::uint64_t exchanges_ = 0;
  int hub_ = -1;            // of a process other than 0: to process 0
  std::vector<int> peers_;  // of process 0: to the others
  std::vector<pid_t> children_;
};

// The text that body(processes) returns in process 0 of `count` processes, all of which call it; null in one
// process. An error is text, too (in_child.h).
template <class Body>
std::string in_processes(std::uint32_t count, Body&& body) {
  return in_child([&]() -> std::string {
    if (count == 1) return body(nullptr);
    ForkedProcesses processes(count);
    if (processes.reports()) return body(&processes);
    try {
      body(&processes);
    } catch (...) {  // model::ReportedElsewhere, or process 0 has gone
    }
    end_child(0);
  });
}

}  // namespace tahoma::tests
