// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/children.h"

#include <sys/poll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "runtime/host/process.h"

namespace tahoma::runtime {

namespace {

struct Child {
  std::size_t body = 0;
  Process process;
};

ChildResult result_of(Child& child) {
  ProcessResult ended = child.process.wait();
  return {std::move(ended.output), ended.end.ok() ? "" : ended.end.text()};
}

constexpr int kTickMilliseconds = 1000;

// Returns false if nothing came within a second.
bool wait_for_any(const std::vector<Child>& running, std::vector<pollfd>& ready) {
  ready.clear();
  for (const Child& child : running) ready.push_back({child.process.descriptor(), POLLIN, 0});
  const int found = poll(ready.data(), ready.size(), kTickMilliseconds);
  if (found < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
  return found != 0;
}

}  // namespace

std::vector<ChildResult> run_in_children(const std::vector<std::function<std::string()>>& bodies,
                                         std::size_t jobs, const std::function<void(std::size_t)>& progress) {
  std::vector<ChildResult> results(bodies.size());
  std::vector<Child> running;
  std::vector<pollfd> ready;
  std::size_t started = 0, ended = 0;
  while (ended < bodies.size()) {
    for (; started < bodies.size() && running.size() < std::max<std::size_t>(jobs, 1); ++started)
      running.push_back({started, Process(bodies[started])});
    if (!wait_for_any(running, ready)) progress(ended);
    for (std::size_t i = ready.size(); i-- > 0;) {
      if (ready[i].revents == 0 || running[i].process.read_output()) continue;
      results[running[i].body] = result_of(running[i]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      progress(++ended);
    }
  }
  return results;
}

}  // namespace tahoma::runtime
