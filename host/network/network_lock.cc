// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/network_lock.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "host/base/printable.h"
#include "host/base/text.h"
#include "host/base/time.h"

namespace drover {
namespace {

constexpr Duration kLockPatience = 40s;
constexpr int kLockPause = 20;  // ms

// Returns whether PATH still names FILE. The last owner may have removed it.
bool IsStillAt(int file, const std::string& path) {
  struct stat opened{};
  struct stat named{};
  return fstat(file, &opened) == 0 && lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// Returns what the descriptor FD of the process PID is, by its path. This does not touch the file,
// whose disk may hang.
std::string PathOfDescriptor(const std::string& pid, int fd) {
  std::array<char, PATH_MAX> target{};
  const std::string link = "/proc/" + pid + "/fd/" + std::to_string(fd);
  const ssize_t size = readlink(link.c_str(), target.data(), target.size());
  return size <= 0 ? "" : std::string(target.data(), static_cast<std::size_t>(size));
}

}  // namespace

std::string LockHolder(int file) {
  const std::string wanted = PathOfDescriptor("self", file);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir("/proc"), closedir);
  while (entries && !wanted.empty()) {
    const dirent* const entry = readdir(entries.get());
    if (entry == nullptr) break;
    const std::string pid = entry->d_name;
    const std::optional<pid_t> number = ParseNumber<pid_t>(pid);
    if (!number || *number == getpid() || PathOfDescriptor(pid, kLockOfPlugin) != wanted) continue;
    std::string name;
    std::getline(std::ifstream("/proc/" + pid + "/comm"), name);
    return "process " + pid + " (" + Printable(name) + ")";
  }
  return "";
}

Result<NetworkLock> NetworkLock::Take(const std::string& path, int stop) {
  const TimePoint until = BootClock::now() + kLockPatience;
  while (true) {
    UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return ErrnoError(errno, "cannot make the lock " + path);
    const bool locked = flock(file.get(), LOCK_EX | LOCK_NB) == 0;
    if (locked && IsStillAt(file.get(), path)) return NetworkLock(path, std::move(file));
    if (!locked && errno != EWOULDBLOCK && errno != EINTR)
      return ErrnoError(errno, "cannot lock " + path);
    if (BootClock::now() >= until) {
      const std::string holder = LockHolder(file.get());
      return Error(Code::kUnavailable,
                   "a CNI plugin that was called before still runs" +
                       (holder.empty() ? "" : ", or has left something that does, " + holder) +
                       ": end it, or wait for it",
                   true);
    }
    pollfd event{stop, POLLIN, 0};
    if (!locked && poll(&event, 1, kLockPause) > 0) {
      return Error(Code::kCancelled,
                   "a CNI plugin that was called before still runs, and the agent ends");
    }
  }
}

bool NetworkLock::IsThere(const std::string& path) {
  struct stat info{};
  return lstat(path.c_str(), &info) == 0;
}

void NetworkLock::Remove() { unlink(path_.c_str()); }

void NetworkLock::RemoveFree(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (file && flock(file.get(), LOCK_EX | LOCK_NB) == 0 && IsStillAt(file.get(), path)) {
    unlink(path.c_str());
  }
}

}  // namespace drover
