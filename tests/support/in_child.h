// SPDX-License-Identifier: Apache-2.0
// SystemC elaborates once per process: a test that needs several machines runs each in a child, which sends
// text back. The tests of components use this function, because they do not link the runtime and its launcher
// of processes.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

#include "tests/support/end_child.h"

namespace tahoma::tests {

// Returns the result of `body` from a separate process. An exception there becomes "exception: <what>".
template <class Body>
std::string in_child(Body&& body) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child");
  if (child == 0) {
    close(ends[0]);
    std::string text;
    try {
      text = body();
    } catch (const std::exception& e) {
      text = std::string("exception: ") + e.what();
    }
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t n = write(ends[1], text.data() + sent, text.size() - sent);
      if (n <= 0) end_child(1);
      sent += static_cast<std::size_t>(n);
    }
    end_child(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("the child failed after: " + text);
  return text;
}

// The same for a number. Throws std::runtime_error with the exception's text.
template <class Body>
std::int64_t number_from_child(Body&& body) {
  const std::string text = in_child([&] { return std::to_string(body()); });
  if (text.starts_with("exception: ")) throw std::runtime_error(text);
  return std::stoll(text);
}

}  // namespace tahoma::tests
