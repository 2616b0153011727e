// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "config/host_path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>

namespace drover_docker {
namespace {

constexpr std::size_t kLongestPath = 4095;

int OpenBelow(int root, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  for (int tries = 0;; ++tries) {
    const long fd = ::syscall(SYS_openat2, root, path, &how, sizeof how);
    // A rename during the look-up makes the kernel give up; it may be tried again.
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR) || tries == 100) return static_cast<int>(fd);
  }
}

// Makes the directories of PATH below ROOT that are missing, one after the other.
bool MakeBelow(int root, const std::string& path) {
  drover::Fd parent(::fcntl(root, F_DUPFD_CLOEXEC, 0));
  for (const std::string& part : Split(path, '/')) {
    if (::mkdirat(parent.get(), part.c_str(), 0777) != 0 && errno != EEXIST) return false;
    drover::Fd next(OpenBelow(parent.get(), part.c_str(), O_PATH | O_DIRECTORY));
    if (!next.ok()) return false;
    parent = std::move(next);
  }
  return true;
}

[[noreturn]] void FailOpen(const std::string& where, const OwnPath& path, int error) {
  if (error == ELOOP || error == EXDEV) {
    Denied(where + ": " + Quoted(path.Text()) +
           " leads through a symbolic link, and such a path is not followed");
  }
  Invalid(where + ": cannot open " + Quoted(path.Text()) + ": " + ::strerror(error));
}

bool IsBelow(const std::string& path, const std::string& directory, std::string* rest) {
  if (!HasPrefix(path, directory)) return false;
  if (path.size() == directory.size()) {
    rest->clear();
    return true;
  }
  if (path[directory.size()] != '/') return false;
  *rest = path.substr(directory.size() + 1);
  return true;
}

}  // namespace

std::optional<std::string> Normal(const std::string& path) {
  std::vector<std::string> kept;
  for (const std::string& part : Split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      kept.push_back(part);
    } else if (kept.empty()) {
      return std::nullopt;
    } else {
      kept.pop_back();
    }
  }
  const bool absolute = HasPrefix(path, "/");
  std::string out;
  for (const std::string& part : kept) out += (out.empty() && !absolute ? "" : "/") + part;
  if (out.empty() && absolute) out = "/";
  return out;
}

std::optional<OwnPath> FindOwn(const TaskPlaces& places, const std::string& source) {
  const bool absolute = HasPrefix(source, "/");
  const auto path = Normal(absolute ? source : places.task_dir + "/" + source);
  const auto task = Normal(places.task_dir);
  const auto alloc = Normal(places.alloc_dir);
  if (!path || !task || !alloc || path->size() > kLongestPath) return std::nullopt;
  OwnPath out;
  for (const std::string& root : {*task, *alloc}) {
    if (root == "/" || root.empty()) continue;
    out.root = root;
    if (IsBelow(*path, root, &out.rest)) return out;
  }
  return std::nullopt;
}

drover::Fd OpenOwn(const std::string& where, const OwnPath& path, bool make, bool readable) {
  drover::Fd root(::open(path.root.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root.ok()) FailOpen(where, OwnPath{path.root, ""}, errno);
  if (path.rest.empty()) return root;
  const int flags = readable ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH;
  drover::Fd found(OpenBelow(root.get(), path.rest.c_str(), flags));
  if (!found.ok() && errno == ENOENT && make && MakeBelow(root.get(), path.rest)) {
    found = drover::Fd(OpenBelow(root.get(), path.rest.c_str(), flags));
  }
  if (!found.ok()) FailOpen(where, path, errno);
  return found;
}

std::string BindSource(const Settings& settings, const TaskPlaces& places,
                       const MountOption& mount) {
  const std::string& source = mount.source;
  if (source.size() > kLongestPath) Invalid(mount.where + ": the path is too long");
  const std::vector<std::string> parts = Split(source, '/');
  bool up = false;
  for (const std::string& part : parts) up = up || part == "..";
  if (const auto own = FindOwn(places, source)) {
    OpenOwn(mount.where, *own, mount.make_source, /*readable=*/false);
    return own->Text();
  }
  if (!HasPrefix(source, "/") || up) {
    Denied(mount.where + ": " + Quoted(source) + " leaves the directories of the allocation");
  }
  if (!settings.volumes_enabled) {
    Denied(mount.where + ": " + Quoted(source) +
           " is a path of the host, and such paths are not allowed on this node: the operator may "
           "set volumes.enabled; a relative path begins in the directory of the task");
  }
  const auto path = Normal(source);
  struct stat found{};
  if (::stat(path->c_str(), &found) == 0) return *path;
  std::error_code error;
  if (mount.make_source) std::filesystem::create_directories(*path, error);
  if (!mount.make_source || error) {
    Invalid(mount.where + ": the host has no " + Quoted(*path));
  }
  return *path;
}

}  // namespace drover_docker
