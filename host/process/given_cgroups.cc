// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/given_cgroups.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>

#include "host/process/cgroup_tracker.h"

namespace drover {
namespace {

// The version 1 controllers that a job may name. The hierarchy of a controller is found by the
// controller's name in the mount options of the hierarchy. Mount options also contain words that
// are not controllers, so names outside this list are refused. The list is complete, because the
// kernel adds no new controllers to version 1.
constexpr const char* kControllers[] = {"blkio",    "cpu",        "cpuacct", "cpuset", "devices",
                                        "freezer",  "hugetlb",    "memory",  "misc",   "net_cls",
                                        "net_prio", "perf_event", "pids",    "rdma"};

// Returns PATH relative to a mount point. PLACES are the paths of this mount point. Returns a
// relative PATH unchanged. Returns nothing if PATH is absolute and begins with none of PLACES.
std::optional<std::string> Below(const std::vector<std::string>& places, const std::string& path) {
  if (!path.starts_with('/')) return path;
  for (const std::string& place : places) {
    if (!(path + "/").starts_with(place + "/")) continue;
    const std::size_t begin = path.find_first_not_of('/', place.size());
    return begin == std::string::npos ? "." : path.substr(begin);
  }
  return std::nullopt;
}

Result<UniqueFd> Open(const std::vector<std::string>& places, const std::string& path,
                      const std::string& what) {
  const std::optional<std::string> below = Below(places, path);
  if (!below || below->empty() || below->find('\0') != std::string::npos)
    return Error(Code::kInvalidArgument, "the path of " + what + " must be relative to " +
                                             places.front() + ", or begin with it");
  const UniqueFd mount(open(places.front().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!mount) return ErrnoError(errno, "cannot open " + places.front());
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  UniqueFd directory(
      static_cast<int>(syscall(SYS_openat2, mount.get(), below->c_str(), &how, sizeof how)));
  if (!directory && errno == EXDEV)
    return Error(Code::kInvalidArgument, what + " leads out of " + places.front());
  if (!directory) return ErrnoError(errno, "cannot open " + what);
  return directory;
}

}  // namespace

Result<UniqueFd> OpenGivenCgroup(const std::string& mounts, const std::string& path) {
  const std::optional<std::string> mount = CgroupTracker::FindMount(mounts);
  if (!mount)
    return Error(Code::kFailedPrecondition, "the cgroup " + path +
                                                " cannot be used: no version 2 hierarchy is "
                                                "mounted on this machine");
  return Open({*mount}, path, "the version 2 cgroup " + path);
}

Result<std::vector<GivenCgroup>> OpenGivenCgroups(
    const std::string& mounts, const std::vector<std::pair<std::string, std::string>>& cgroups,
    bool freezer_is_taken) {
  std::vector<GivenCgroup> opened;
  // For the mount point of each hierarchy: the controller and the path that the job names.
  std::map<std::string, std::pair<std::string, std::string>> taken;
  for (const auto& [controller, path] : cgroups) {
    if (std::ranges::find(kControllers, controller) == std::end(kControllers))
      return Error(Code::kInvalidArgument,
                   "\"" + controller + "\" is no controller of version 1 cgroups");
    const std::optional<std::string> mount = CgroupTracker::FindVersion1(mounts, controller);
    const std::string name = path + " of the controller " + controller;
    if (!mount)
      return Error(Code::kFailedPrecondition, "the cgroup " + name +
                                                  " cannot be entered: no version 1 hierarchy of "
                                                  "that controller is mounted on this machine");
    if (freezer_is_taken && mount == CgroupTracker::FindVersion1(mounts, "freezer"))
      return Error(Code::kFailedPrecondition, "the cgroup " + name +
                                                  " cannot be entered: tasks are tracked and "
                                                  "killed by the freezer on this machine");
    const auto [other, is_new] = taken.try_emplace(*mount, controller, path);
    if (!is_new && other->second.second == path) continue;
    if (!is_new)
      return Error(Code::kInvalidArgument,
                   "the controllers " + other->second.first + " and " + controller +
                       " are one hierarchy on this machine: name the same cgroup for both");
    // The hierarchy may be mounted at "cpu,cpuacct". Usually each controller then has a symbolic
    // link with its own name to that directory.
    const std::string parent = mount->substr(0, mount->rfind('/') + 1);
    DROVER_ASSIGN(UniqueFd directory,
                  Open({*mount, parent + controller}, path, "the cgroup " + name));
    opened.push_back({std::move(directory), name, *mount});
  }
  return opened;
}

}  // namespace drover
