// SPDX-License-Identifier: Apache-2.0
// A host that fails, as a library to preload (LD_PRELOAD). TAHOMA_HOST_FAULT says how:
//   memory:N     the N-th allocation of the process and every K-th after it fail (TAHOMA_HOST_EVERY, default:
//                only that one)
//   interrupt:N  every N-th read, write and open is interrupted before it does anything (EINTR)
//   short:N      a read or write moves at most N bytes
//   full:N       from the N-th write on, the disk is full (ENOSPC)
//   back:N       the wall clock goes N seconds back at every look at it
//   count:0      nothing fails
// At the end of the process, TAHOMA_HOST_COUNTS, if set, names a file to which the numbers of allocations and
// writes are added as a line. Standard output and error are no disk and never fail.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

namespace {

enum class Fault { kNone, kMemory, kInterrupt, kShort, kFull, kBack };

Fault fault = Fault::kNone;
long number = 0, every = 0;
std::atomic<long> allocations{0}, writes{0}, calls{0}, looks{0};

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

__attribute__((constructor)) void configure() {
  const char* text = std::getenv("TAHOMA_HOST_FAULT");
  if (text == nullptr) return;
  constexpr struct {
    const char* name;
    Fault fault;
  } kFaults[] = {{"memory:", Fault::kMemory},
                 {"interrupt:", Fault::kInterrupt},
                 {"short:", Fault::kShort},
                 {"full:", Fault::kFull},
                 {"back:", Fault::kBack}};
  for (const auto& row : kFaults) {
    if (std::strncmp(text, row.name, std::strlen(row.name)) != 0) continue;
    number = std::atol(text + std::strlen(row.name));
    fault = row.fault;
  }
  if (const char* period = std::getenv("TAHOMA_HOST_EVERY")) every = std::atol(period);
}

__attribute__((destructor)) void report() {
  const char* path = std::getenv("TAHOMA_HOST_COUNTS");
  if (path == nullptr) return;
  fault = Fault::kNone;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
  char line[64];
  const int size = std::snprintf(line, sizeof line, "%ld %ld\n", allocations.load(), writes.load());
  if (file >= 0 && write(file, line, static_cast<std::size_t>(size)) == size) close(file);
}

bool no_memory() {
  const long n = ++allocations;
  return fault == Fault::kMemory && n >= number && (n == number || (every > 0 && (n - number) % every == 0));
}

bool interrupted() {
  if (fault != Fault::kInterrupt || ++calls % number != 0) return false;
  errno = EINTR;
  return true;
}

bool full(int descriptor) {
  if (descriptor <= STDERR_FILENO) return false;
  if (++writes < number || fault != Fault::kFull) return false;
  errno = ENOSPC;
  return true;
}

std::size_t part(std::size_t bytes) {
  return fault == Fault::kShort ? std::min(bytes, static_cast<std::size_t>(number)) : bytes;
}

[[noreturn]] void refuse() {
  if (const std::new_handler handler = std::get_new_handler()) handler();
  throw std::bad_alloc();
}

void* allocate(std::size_t bytes) {
  void* place = no_memory() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (place == nullptr) refuse();
  return place;
}

void* allocate(std::size_t bytes, std::align_val_t alignment) {
  void* place = nullptr;
  const auto boundary = std::max(sizeof(void*), static_cast<std::size_t>(alignment));
  if (no_memory() || posix_memalign(&place, boundary, bytes) != 0) refuse();
  return place;
}

}  // namespace

// Every allocation of C++ passes here; those of C libraries are left alone.
void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, std::align_val_t at) { return allocate(bytes, at); }
void* operator new[](std::size_t bytes, std::align_val_t at) { return allocate(bytes, at); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return no_memory() ? nullptr : std::malloc(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return no_memory() ? nullptr : std::malloc(bytes);
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete[](void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }
void operator delete[](void* place, std::size_t) noexcept { std::free(place); }
void operator delete(void* place, std::align_val_t) noexcept { std::free(place); }
void operator delete[](void* place, std::align_val_t) noexcept { std::free(place); }
void operator delete(void* place, std::size_t, std::align_val_t) noexcept { std::free(place); }
void operator delete[](void* place, std::size_t, std::align_val_t) noexcept { std::free(place); }

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
  if (interrupted() || full(descriptor)) return -1;
  return real(descriptor, bytes, part(count));
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  static auto* const real = next<ssize_t(int, const iovec*, int)>("writev");
  if (interrupted() || full(descriptor)) return -1;
  if (fault == Fault::kShort && count > 0) return write(descriptor, parts[0].iov_base, parts[0].iov_len);
  return real(descriptor, parts, count);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t at) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  if (interrupted() || full(descriptor)) return -1;
  return real(descriptor, bytes, part(count), at);
}

ssize_t read(int descriptor, void* bytes, size_t count) {
  static auto* const real = next<ssize_t(int, void*, size_t)>("read");
  return interrupted() ? -1 : real(descriptor, bytes, part(count));
}

int open(const char* path, int flags, ...) {
  static auto* const real = next<int(const char*, int, ...)>("open");
  va_list more;
  va_start(more, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return interrupted() ? -1 : real(path, flags, mode);
}

int gettimeofday(timeval* now, void* zone) noexcept {
  static auto* const real = next<int(timeval*, void*)>("gettimeofday");
  const int status = real(now, zone);
  if (fault == Fault::kBack) now->tv_sec -= number * ++looks;
  return status;
}

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  const int status = real(clock, now);
  if (fault == Fault::kBack && clock == CLOCK_REALTIME) now->tv_sec -= number * ++looks;
  return status;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
