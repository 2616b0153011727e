// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/unit_cgroups.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cerrno>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "host/process/cgroup_tracker.h"
#include "host/process/small_file.h"

namespace drover {
namespace {

// Checks the extended attributes by which systemd marks delegated cgroups. The attribute
// trusted.delegate exists since systemd 244 and can only be read with a privilege. The attribute
// user.delegate exists since systemd 251.
bool IsDelegated(const std::string& directory) {
  for (const char* name : {"trusted.delegate", "user.delegate"}) {
    char value[8];
    const ssize_t size = getxattr(directory.c_str(), name, value, sizeof value);
    if (size > 0 && std::string(value, static_cast<std::size_t>(size)) == "1") return true;
  }
  return false;
}

// Returns the path of the version 2 cgroup from the text of /proc/self/cgroup. The line of version
// 2 looks like "0::/system.slice/drover.service".
std::string OwnCgroup(const std::string& cgroups) {
  std::istringstream lines(cgroups);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0::/")) return line.substr(3);
  return "";
}

Status MakeCgroup(const std::string& path) {
  if (mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return ErrnoError(errno, "cannot make the cgroup " + path);
}

std::vector<std::string> Members(const std::string& cgroup) {
  std::istringstream text(ReadSmallFile(AT_FDCWD, (cgroup + "/cgroup.procs").c_str()).value_or(""));
  return {std::istream_iterator<std::string>(text), {}};
}

Status Move(const std::string& pid, const std::string& cgroup) {
  const int error = WriteSmallFile(AT_FDCWD, (cgroup + "/cgroup.procs").c_str(), pid);
  // ESRCH means that the process has ended, so it is in no cgroup any more.
  if (error == 0 || error == ESRCH) return {};
  return ErrnoError(error, "cannot move to the cgroup " + cgroup);
}

}  // namespace

std::optional<UnitCgroups> FindUnitCgroups(const std::string& mounts, const std::string& cgroups,
                                           bool (*is_delegated)(const std::string& directory)) {
  const std::optional<std::string> mount = CgroupTracker::FindMount(mounts);
  const std::string own = OwnCgroup(cgroups);
  if (!mount || own.size() < 2) return std::nullopt;
  UnitCgroups found{*mount + own};
  if (is_delegated(found.unit)) return found;
  if (constexpr std::string_view kService = ".service"; found.unit.ends_with(kService)) {
    const std::string name = found.unit.substr(0, found.unit.size() - kService.size());
    const UnitCgroups beside{name + "-tasks.service", true};
    if (is_delegated(beside.unit)) return beside;
  }
  const std::size_t last = found.unit.rfind('/');
  if (found.unit.substr(last) != "/agent") return std::nullopt;
  found.unit.resize(last);
  if (is_delegated(found.unit)) return found;
  return std::nullopt;
}

Result<std::optional<UnitCgroups>> EnterUnitCgroups() {
  const std::string mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or("");
  const std::string own = ReadSmallFile(AT_FDCWD, "/proc/self/cgroup").value_or("");
  const std::optional<UnitCgroups> found = FindUnitCgroups(mounts, own, IsDelegated);
  if (!found) return found;
  for (const std::string& path :
       {found->is_for_tasks ? found->keeper() : found->agent(), found->shims(), found->tasks()})
    DROVER_TRY(MakeCgroup(path));
  // When a process writes "0" to cgroup.procs, the kernel moves this process with all its threads.
  std::vector<std::string> movers = {"0"};
  if (found->is_for_tasks) movers = Members(found->unit);
  for (const std::string& mover : movers)
    DROVER_TRY(Move(mover, found->is_for_tasks ? found->keeper() : found->agent()));
  return found;
}

}  // namespace drover
