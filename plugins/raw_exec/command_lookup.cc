// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "command_lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <optional>

#include "drover/error.hpp"
#include "drover/process.hpp"

namespace raw_exec {
namespace {

constexpr mode_t kExecutable = 0555;

// Opens RELATIVE below DIRECTORY without following any link. Uses O_PATH, so that opening a device
// or a FIFO has no effect.
drover::Fd OpenBeneath(int directory, const std::string& relative) {
  open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return drover::Fd(
      static_cast<int>(::syscall(SYS_openat2, directory, relative.c_str(), &how, sizeof how)));
}

bool IsRegularFile(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

void MakeExecutable(const drover::Fd& file, const struct stat& info, const std::string& path) {
  if ((info.st_mode & kExecutable) == kExecutable) return;
  if (info.st_nlink > 1) {
    // The file has another hard link, which may be a file of the host. The task must not be able to
    // change a file of the host.
    throw drover::Error(drover::Code::kPermissionDenied,
                        "\"" + path + "\" is not executable and is not made so, since it has " +
                            std::to_string(info.st_nlink) + " names; copy it instead of linking");
  }
  // Call chmod by a path in /proc, since fchmod refuses descriptors that were opened with O_PATH.
  std::string name = "/proc/self/fd/" + std::to_string(file.get());
  mode_t mode = (info.st_mode & 0777) | kExecutable;
  if (::chmod(name.c_str(), mode) != 0) {
    throw drover::Error(drover::Code::kPermissionDenied,
                        "cannot make \"" + path + "\" executable: " + ::strerror(errno));
  }
}

// Returns the absolute path of RELATIVE below ROOT, and makes the file executable. Returns nothing
// if no regular file is there.
std::optional<std::string> FindBelow(const std::string& root, const std::string& relative) {
  std::string path = root + "/" + relative;
  drover::Fd directory(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory.ok()) return std::nullopt;
  drover::Fd file = OpenBeneath(directory.get(), relative);
  if (!file.ok()) {
    // ELOOP means that the path contains a symbolic link. The start of the task follows the link,
    // with the task's rights.
    if (errno == ELOOP && IsRegularFile(path)) return path;
    return std::nullopt;
  }
  struct stat info;
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  MakeExecutable(file, info, path);
  return path;
}

std::optional<std::string> FindInPath(const std::string& name, const std::string& path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    std::size_t end = path.find(':', begin);
    if (end == std::string::npos) end = path.size();
    std::string directory = path.substr(begin, end - begin);
    begin = end + 1;
    // Skip a relative directory: it would be relative to the agent's own working directory.
    if (directory.empty() || directory[0] != '/') continue;
    std::string candidate = directory + "/" + name;
    if (IsRegularFile(candidate) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

}  // namespace

std::string FindCommand(const std::string& command, const std::string& task_dir,
                        const std::string& path) {
  if (command.find('\0') != std::string::npos) {
    throw drover::Error(drover::Code::kInvalidArgument, "the command holds a NUL character");
  }
  std::size_t skip = command.find_first_not_of('/');
  std::string relative = skip == std::string::npos ? "" : command.substr(skip);
  if (!relative.empty() && !task_dir.empty()) {
    if (auto found = FindBelow(task_dir, "local/" + relative)) return *found;
    if (auto found = FindBelow(task_dir, relative)) return *found;
  }
  bool absolute = !command.empty() && command[0] == '/';
  if (absolute && command.compare(0, task_dir.size() + 1, task_dir + "/") == 0) {
    if (auto found = FindBelow(task_dir, command.substr(task_dir.size() + 1))) return *found;
  }
  if (absolute && IsRegularFile(command)) return command;
  if (!command.empty() && command.find('/') == std::string::npos) {
    if (auto found = FindInPath(command, path)) return *found;
  }
  throw drover::Error(drover::Code::kNotFound, "binary \"" + command + "\" could not be found");
}

}  // namespace raw_exec
