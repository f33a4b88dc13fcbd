// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/signals/unfinished.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace tahoma::runtime {

namespace {

constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

// The owner is written last and cleared first, so that a handler sees whole entries.
struct StagedFolder {
  std::atomic<pid_t> owner{0};
  std::size_t parents = 0;
  char path[PATH_MAX] = {};
};
struct LiveChild {
  std::atomic<pid_t> owner{0}, id{0};
};

constexpr std::size_t kFolders = 64, kChildren = 4096, kNowhere = kFolders;
std::array<StagedFolder, kFolders> folders;
std::array<LiveChild, kChildren> children;

// getdents64() of the system defines this layout.
struct DirectoryEntry {
  ino64_t inode;
  off64_t offset;
  std::uint16_t size;
  std::uint8_t type;
  char name[1];
};

// Calls only what a handler of signals may call. Returns whether it is gone.
bool remove_tree(int above, const char* name) {
  if (unlinkat(above, name, 0) == 0) return true;
  const int folder = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return false;
  alignas(DirectoryEntry) char buffer[2048];
  for (bool removed = true; removed;) {  // removing entries may hide others from the same reading
    removed = false;
    lseek(folder, 0, SEEK_SET);
    for (ssize_t size = 0; (size = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
      for (ssize_t at = 0; at < size;) {
        const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer + at);
        at += entry->size;
        if (std::strcmp(entry->name, ".") != 0 && std::strcmp(entry->name, "..") != 0)
          removed = remove_tree(folder, entry->name) || removed;
      }
  }
  close(folder);
  return unlinkat(above, name, AT_REMOVEDIR) == 0;
}

// Renames the folder first: a thread that still writes cannot create anything in it by its path.
void remove_staged(StagedFolder& unfinished) {
  char gone[PATH_MAX + 8];
  std::strcpy(gone, unfinished.path);
  std::strcat(gone, "~");
  remove_tree(AT_FDCWD, rename(unfinished.path, gone) == 0 ? gone : unfinished.path);
  for (std::size_t n = 0; n < unfinished.parents; ++n) {
    char* slash = std::strrchr(unfinished.path, '/');
    if (slash == nullptr || slash == unfinished.path) return;
    *slash = '\0';
    if (rmdir(unfinished.path) != 0) return;
  }
}

void end_by(int number) {
  const pid_t self = getpid();
  for (LiveChild& child : children)
    if (child.owner == self && child.id > 0) {
      kill(child.id, SIGKILL);
      while (waitpid(child.id, nullptr, 0) < 0 && errno == EINTR) continue;
    }
  for (StagedFolder& unfinished : folders)
    if (unfinished.owner == self) remove_staged(unfinished);
  signal(number, SIG_DFL);
  sigset_t this_one;
  sigemptyset(&this_one);
  sigaddset(&this_one, number);
  pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
  raise(number);
}

sigset_t all_signals() {
  sigset_t all;
  sigemptyset(&all);
  for (const int number : kEndingSignals) sigaddset(&all, number);
  return all;
}

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = end_by;
  action.sa_mask = all_signals();
  for (const int number : kEndingSignals) {
    struct sigaction now {};
    if (sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
        now.sa_handler == SIG_DFL)
      sigaction(number, &action, nullptr);
  }
}

}  // namespace

UnfinishedFolder::UnfinishedFolder(const std::string& folder, std::size_t parents) : slot_(kNowhere) {
  if (folder.size() + 1 > sizeof StagedFolder::path) return;
  handle_signals();
  for (std::size_t n = 0; n < kFolders && slot_ == kNowhere; ++n) {
    if (const pid_t owner = folders[n].owner; owner != 0 && owner == getpid()) continue;
    std::memcpy(folders[n].path, folder.c_str(), folder.size() + 1);
    folders[n].parents = parents;
    folders[n].owner = getpid();
    slot_ = n;
  }
}

UnfinishedFolder::~UnfinishedFolder() {
  if (slot_ != kNowhere) folders[slot_].owner = 0;
}

void remember_child(pid_t child) {
  const pid_t self = getpid();
  for (LiveChild& slot : children) {
    if (slot.owner == self) continue;
    slot.id = child;
    slot.owner = self;
    return;
  }
}

void forget_child(pid_t child) {
  const pid_t self = getpid();
  for (LiveChild& slot : children)
    if (slot.owner == self && slot.id == child) slot.owner = 0;
}

DelayedSignals::DelayedSignals() {
  const sigset_t all = all_signals();
  pthread_sigmask(SIG_BLOCK, &all, &before_);
}

DelayedSignals::~DelayedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace tahoma::runtime
