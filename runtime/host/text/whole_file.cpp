// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/text/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace tahoma::runtime {

using base::UserError;
namespace fs = std::filesystem;

namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

constexpr mode_t kNewFile = 0666;  // less the user's mask

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  // Returns 0, or the system's error number: some file systems report a full disk only here.
  int close() {
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0 ? 0 : errno;
  }

 private:
  int number_;
};

// Repeats a call of the system that a signal interrupts.
template <class Call>
auto uninterrupted(Call&& call) {
  for (;;)
    if (const auto result = call(); result >= 0 || errno != EINTR) return result;
}

int opened(const std::string& path, int flags) {
  return uninterrupted([&] { return ::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, kNewFile); });
}

// Both return 0 or the system's error number.
int written_to(const std::string& node, std::string_view bytes) {
  Descriptor file(opened(node, O_NOCTTY));
  if (file.number() < 0 || !write_all(file.number(), bytes)) return errno;
  return file.close();
}

// The contents reach the disk before the name does.
int replaced(const std::string& path, const std::string& partial, std::optional<mode_t> mode,
             std::string_view bytes) {
  Descriptor file(opened(partial, O_CREAT | O_TRUNC));
  if (file.number() < 0) return errno;
  int reason =
      write_all(file.number(), bytes) && uninterrupted([&] { return fsync(file.number()); }) == 0 ? 0 : errno;
  if (mode && reason == 0 && fchmod(file.number(), *mode & 07777) != 0) reason = errno;
  if (const int closed = file.close(); reason == 0) reason = closed;
  if (reason == 0 && std::rename(partial.c_str(), path.c_str()) != 0) reason = errno;
  if (reason != 0) unlink(partial.c_str());
  return reason;
}

}  // namespace

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = uninterrupted([&] { return ::write(descriptor, bytes.data(), bytes.size()); });
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string read_file(const std::string& path, std::size_t most) {
  const auto refuse = [&](int reason) {
    throw UserError("E-RUN-001", path, fmt::format("cannot read the file: {}", std::strerror(reason)));
  };
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (!file) refuse(errno);
  std::string bytes, chunk(1 << 16, '\0');
  while (bytes.size() < most) {
    const std::size_t got =
        std::fread(chunk.data(), 1, std::min(chunk.size(), most - bytes.size()), file.get());
    bytes.append(chunk, 0, got);
    if (got > 0) continue;
    if (std::ferror(file.get()) == 0) break;
    if (errno != EINTR) refuse(errno);
    std::clearerr(file.get());
  }
  return bytes;
}

fs::path behind_links(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as the system's
  fs::path at = path;
  for (int n = 0; n < kMostLinks; ++n) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(at, error))) return at;
    const fs::path to = fs::read_symlink(at, error);
    at = to.is_absolute() ? to : at.parent_path() / to;
  }
  refuse_write(path.string(), ELOOP);
}

void write_file(const std::string& path, std::string_view bytes) {
  const std::string target = behind_links(path).string();
  write_file_as(path, fmt::format("{}.partial-{}", target, getpid()), bytes);
}

void write_file_as(const std::string& path, const std::string& partial, std::string_view bytes) {
  struct stat there {};
  const bool exists = ::stat(path.c_str(), &there) == 0;
  const int reason = exists && !S_ISREG(there.st_mode)
                         ? written_to(path, bytes)
                         : replaced(behind_links(path).string(), partial,
                                    exists ? std::optional(there.st_mode) : std::nullopt, bytes);
  if (reason != 0) refuse_write(path, reason);
}

int create_new_file(const std::string& path) {
  const int descriptor = opened(path, O_CREAT | O_TRUNC);
  if (descriptor < 0) refuse_write(path, errno);
  return descriptor;
}

void write_new_file(const std::string& path, std::initializer_list<std::string_view> parts) {
  Descriptor file(create_new_file(path));
  int reason = 0;
  for (const std::string_view part : parts)
    if (reason == 0 && !write_all(file.number(), part)) reason = errno;
  if (const int closed = file.close(); reason == 0) reason = closed;
  if (reason != 0) refuse_write(path, reason);
}

base::ExitStatus status_of_write(int reason) {
  // Errors of the name or of permissions; everything else is a shortage or a failure of the host.
  constexpr std::array kOfTheName{ENOENT, ENOTDIR, EISDIR, EACCES, EPERM,        EROFS,
                                  ELOOP,  EEXIST,  ENXIO,  EINVAL, ENAMETOOLONG, ETXTBSY};
  const bool usage = std::find(kOfTheName.begin(), kOfTheName.end(), reason) != kOfTheName.end();
  return usage ? base::ExitStatus::kUsage : base::ExitStatus::kHost;
}

void refuse_write(const std::string& path, int reason) {
  throw UserError("E-OUT-003", path, fmt::format("cannot write the file: {}", std::strerror(reason)),
                  status_of_write(reason));
}

}  // namespace tahoma::runtime
