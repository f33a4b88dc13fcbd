// SPDX-License-Identifier: Apache-2.0
// The only main() of all test programs. It is compiled once, because Catch2's runner takes ten times longer
// to compile than a test file. Each case runs in its own empty folder, so a test may write `out/` without
// finding another test's files.
#define CATCH_CONFIG_RUNNER
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>

// libsystemc refers to sc_main() and provides a main() that calls it. An executable's own main() takes
// precedence over the shared library's; elaboration and sc_start() work without the library's start-up, but
// the symbol must exist. It cannot be in one of our static libraries: the linker searches those before the
// shared library asks for it.
extern "C" int sc_main(int, char**) { return EXIT_FAILURE; }

namespace {

// A fresh folder below the system's temporary folder, which is the current folder until the program ends.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tahoma-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), "mkdtemp " + pattern);
    }
    path_ = pattern;
    std::filesystem::current_path(path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;  // the system cleans up what cannot be removed
    std::filesystem::current_path(path_.parent_path(), ignored);
    std::filesystem::remove_all(path_, ignored);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  try {
    Catch::Session session;
    if (const int refused = session.applyCommandLine(argc, argv); refused != 0) return refused;
    // A case without assertions fails, and so does a name that selects no case. (--warn can be given only
    // once.)
    auto& warnings = session.configData().warnings;
    warnings = static_cast<Catch::WarnAbout::What>(warnings | Catch::WarnAbout::NoAssertions);
#if CATCH_VERSION_MAJOR == 2  // version 3 always fails if the name selects no case
    warnings = static_cast<Catch::WarnAbout::What>(warnings | Catch::WarnAbout::NoTests);
#endif
    const ScratchFolder scratch;
    return session.run();
  } catch (const std::exception& error) {
    std::cerr << "test program: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
