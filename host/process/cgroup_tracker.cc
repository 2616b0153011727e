// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/cgroup_tracker.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <sstream>
#include <thread>

#include "host/base/durable_step.h"
#include "host/process/small_file.h"

namespace drover {
namespace {

// The maximum depth of cgroups below the cgroup of a run. The tracker ignores deeper cgroups.
constexpr int kMaxDepth = 32;

UniqueFd OpenDirectory(int directory, const char* path) {
  return UniqueFd(openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

// Returns true if ERROR, the errno of a call on a cgroup, means that the cgroup has been removed.
bool IsGone(int error) { return error == ENOENT || error == ENODEV; }

// Calls FUNCTION with the name of each directory in DIRECTORY. Returns false if DIRECTORY cannot
// be read now.
bool ForEachChild(int directory, const std::function<void(const char*)>& function) {
  UniqueFd copy = OpenDirectory(directory, ".");
  if (!copy) return IsGone(errno);
  DIR* const entries = fdopendir(copy.get());
  if (!entries) return false;
  copy.Release();
  while (const dirent* entry = readdir(entries))
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') function(entry->d_name);
  closedir(entries);
  return true;
}

bool RemoveBelow(int parent, const char* name, int depth) {
  if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return true;
  if (depth == 0) return false;
  if (const UniqueFd directory = OpenDirectory(parent, name))
    ForEachChild(directory.get(),
                 [&](const char* child) { RemoveBelow(directory.get(), child, depth - 1); });
  return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

// Adds to OUT the pids of all members of the cgroup DIRECTORY and of the cgroups below it, up to
// DEPTH levels. Returns false if OUT may lack some members.
bool AddMembers(int directory, int depth, std::vector<pid_t>* out) {
  const std::optional<std::string> text = ReadSmallFile(directory, "cgroup.procs");
  if (!text) return IsGone(errno);
  const char* at = text->data();
  const char* const end = at + text->size();
  while (at < end) {
    pid_t pid = 0;
    const auto [next, error] = std::from_chars(at, end, pid);
    if (error == std::errc() && pid > 0) out->push_back(pid);
    at = next + 1;
  }
  if (depth == 0) return true;
  bool all = true;
  const bool read = ForEachChild(directory, [&](const char* child) {
    const UniqueFd inner = OpenDirectory(directory, child);
    if (inner ? !AddMembers(inner.get(), depth - 1, out) : !IsGone(errno)) all = false;
  });
  return read && all;
}

// Freezes a cgroup of the version 1 freezer and all cgroups below it. Waits only about 20 ms for
// the state FROZEN, because a member that hangs in the kernel prevents this state.
void Freeze(int directory) {
  constexpr int kLooks = 20;
  WriteSmallFile(directory, "freezer.state", "FROZEN");
  for (int look = 0; look < kLooks; ++look) {
    if (ReadSmallFile(directory, "freezer.state").value_or("").starts_with("FROZEN")) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Kills the members that the cgroup DIRECTORY lists. The list is read again after the pidfds were
// opened, because a pid may have been reused.
void KillListed(int directory) {
  std::vector<pid_t> members;
  AddMembers(directory, kMaxDepth, &members);
  std::vector<std::pair<pid_t, UniqueFd>> opened;
  for (const pid_t pid : members)
    opened.emplace_back(pid, UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))));
  std::vector<pid_t> still;
  AddMembers(directory, kMaxDepth, &still);
  std::sort(still.begin(), still.end());
  for (const auto& [pid, pidfd] : opened)
    if (pidfd && std::binary_search(still.begin(), still.end(), pid))
      syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
}

// Thaws a cgroup of the version 1 freezer and the cgroups below it. A member may have frozen one of
// those, as an engine does to pause a container; then its processes would never die.
void Thaw(int directory, int depth) {
  WriteSmallFile(directory, "freezer.state", "THAWED");
  if (depth == 0) return;
  ForEachChild(directory, [&](const char* child) {
    if (const UniqueFd inner = OpenDirectory(directory, child)) Thaw(inner.get(), depth - 1);
  });
}

// Kills all members of a cgroup of the version 1 freezer. No member forks while the cgroup is
// frozen, so the list of members is complete. The signals take effect when the cgroup thaws.
void KillInFreezer(int directory) {
  Freeze(directory);
  KillListed(directory);
  Thaw(directory, kMaxDepth);
}

// Makes the cgroup NAME in the directory PARENT and opens it. PATH is the path of PARENT, for
// messages.
Result<UniqueFd> Make(int parent, const std::string& path, const std::string& name) {
  if (mkdirat(parent, name.c_str(), 0755) != 0) {
    if (errno == EEXIST)
      return Error(Code::kFailedPrecondition, "run " + name + " has a cgroup already");
    return ErrnoError(errno, "cannot make the cgroup " + path + "/" + name);
  }
  UniqueFd directory = OpenDirectory(parent, name.c_str());
  if (directory) return directory;
  const int error = errno;
  unlinkat(parent, name.c_str(), AT_REMOVEDIR);
  return ErrnoError(error, "cannot open the cgroup " + path + "/" + name);
}

// Returns the mount point from the first line of MOUNTS for whose type and options LIKED is true.
std::optional<std::string> FindMountOf(
    const std::string& mounts,
    const std::function<bool(const std::string& type, const std::string& options)>& liked) {
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string source, path, type, options;
    if (words >> source >> path >> type >> options && liked(type, options)) return path;
  }
  return std::nullopt;
}

// Returns the name of the trial cgroup, with which an agent tests whether cgroups work. All agents
// with the same run directory NOTES use the same name. So if an agent was killed during the test,
// the next agent removes the trial cgroup. Without a run directory, the name is random.
RunId TrialOf(int notes) {
  struct stat directory{};
  if (fstat(notes, &directory) != 0) return RunId::Random();
  static_assert(sizeof directory.st_ino + sizeof directory.st_dev == sizeof RunId::bytes);
  RunId trial;
  std::memcpy(trial.bytes.data(), &directory.st_ino, sizeof directory.st_ino);
  std::memcpy(trial.bytes.data() + sizeof directory.st_ino, &directory.st_dev,
              sizeof directory.st_dev);
  return trial;
}

// Locks the run directory NOTES while an agent uses the trial cgroup, because all agents with this
// run directory use the same trial cgroup. The descriptor that holds the lock is opened only for
// the lock, so no other process shares the lock.
class TrialLock {
 public:
  explicit TrialLock(int notes) : directory_(OpenDirectory(notes, ".")) {
    while (flock(directory_.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
  }

 private:
  const UniqueFd directory_;
};

}  // namespace

std::optional<std::string> CgroupTracker::FindMount(const std::string& mounts) {
  return FindMountOf(mounts,
                     [](const std::string& type, const std::string&) { return type == "cgroup2"; });
}

std::optional<std::string> CgroupTracker::FindVersion1(const std::string& mounts,
                                                       const std::string& controller) {
  const std::string option = "," + controller + ",";
  return FindMountOf(mounts, [&option](const std::string& type, const std::string& options) {
    return type == "cgroup" && ("," + options + ",").find(option) != std::string::npos;
  });
}

Result<std::unique_ptr<CgroupTracker>> CgroupTracker::Open(std::string root, int notes) {
  if (root.empty()) {
    const std::string mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or("");
    std::optional<std::string> mount = FindMount(mounts);
    if (!mount) mount = FindVersion1(mounts, "freezer");
    if (!mount)
      return Error(Code::kNotFound,
                   "neither a version 2 cgroup hierarchy nor the freezer is mounted");
    root = *mount + "/drover";
  }
  if (mkdir(root.c_str(), 0755) != 0 && errno != EEXIST)
    return ErrnoError(errno, "cannot make the cgroup " + root);
  UniqueFd directory = OpenDirectory(AT_FDCWD, root.c_str());
  if (!directory) return ErrnoError(errno, "cannot open the cgroup " + root);
  struct statfs file_system{};
  const bool freezer = fstatfs(directory.get(), &file_system) == 0 &&
                       file_system.f_type == CGROUP_SUPER_MAGIC;  // a version 1 hierarchy
  std::unique_ptr<CgroupTracker> tracker(
      new CgroupTracker(std::move(root), std::move(directory), freezer, notes));
  DROVER_TRY(tracker->Try(TrialOf(notes)));
  return tracker;
}

// Checks that cgroups can be made, killed and removed in the tracker's root. The check uses a
// cgroup with the name TRIAL. An earlier agent may have been killed before it removed its own
// cgroup TRIAL, so this function removes a cgroup of that name first.
Status CgroupTracker::Try(const RunId& trial) {
  const TrialLock lock(notes_.directory());
  Remove(trial);
  DROVER_TRY(DurableStep(Step::kTryCgroup, [&] { return Create(trial); }));
  const std::string file = trial.ToString() + (freezer_ ? "/freezer.state" : "/cgroup.kill");
  const int error = WriteSmallFile(directory_.get(), file.c_str(), freezer_ ? "THAWED" : "1");
  Remove(trial);
  if (error != 0 && freezer_)
    return ErrnoError(error, "cannot use freezer.state in " + root_ +
                                 " (is it below the hierarchy of the freezer?)");
  if (error != 0)
    return ErrnoError(error, "cannot use cgroup.kill in " + root_ +
                                 " (it needs Linux 5.14 and a version 2 hierarchy)");
  return {};
}

std::vector<pid_t> CgroupTracker::MembersIn(int directory) {
  std::vector<pid_t> members;
  AddMembers(directory, kMaxDepth, &members);
  return members;
}

void CgroupTracker::KillIn(int directory, bool freezer) {
  if (freezer) return KillInFreezer(directory);
  KillListed(directory);
}

bool CgroupTracker::RemoveTree(const std::string& path) {
  return RemoveBelow(AT_FDCWD, path.c_str(), kMaxDepth);
}

Result<UniqueFd> CgroupTracker::Create(const RunId& run) {
  if (!notes_.are_kept()) return Make(directory_.get(), root_, run.ToString());
  return MakeNoted(directory_.get(), root_, run);
}

Result<UniqueFd> CgroupTracker::CreateIn(int parent, const RunId& run) {
  DROVER_CHECK(!freezer_);
  std::error_code failed;
  const std::string path =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(parent), failed);
  if (failed) return ErrnoError(failed.value(), "cannot read the path of the task's cgroup");
  // Each cgroup below the tracker's root belongs to a run. When a run is killed, all processes in
  // and below its cgroup are killed, so another run's cgroup must not be there.
  if ((path + "/").starts_with(root_ + "/"))
    return Error(Code::kInvalidArgument,
                 "drover tracks tasks in the cgroup " + path + ": name another");
  return MakeNoted(parent, path, run);
}

Result<UniqueFd> CgroupTracker::CreateBelow(int group, const RunId& run) {
  std::error_code failed;
  const std::string path =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(group), failed);
  if (failed) return ErrnoError(failed.value(), "cannot read the path of the run's cgroup");
  if (!notes_.are_kept())
    return Error(Code::kFailedPrecondition, "named processes need notes of their cgroups");
  return MakeNoted(group, path, run);
}

Result<UniqueFd> CgroupTracker::MakeNoted(int parent, const std::string& path, const RunId& run) {
  DROVER_TRY(notes_.Write(run, path + "/" + run.ToString()));
  Result<UniqueFd> made = Make(parent, path, run.ToString());
  if (!made.ok()) notes_.Remove(run);
  return made;
}

Result<CgroupTracker::State> CgroupTracker::Look(const RunId& run) const {
  const UniqueFd directory = OpenRun(run);
  bool alive = false, known = static_cast<bool>(directory);
  if (known && freezer_) {
    std::vector<pid_t> members;
    if (!AddMembers(directory.get(), kMaxDepth, &members) && members.empty())
      return Error(Code::kInternal, "cannot read all cgroups of run " + run.ToString());
    alive = !members.empty();
  } else if (known) {
    const std::optional<std::string> text = ReadSmallFile(directory.get(), "cgroup.events");
    known = text.has_value();
    alive = known && FieldOf(*text, "populated").value_or(0) != 0;
  }
  if (known) return alive ? State::kAlive : State::kEmpty;
  if (IsGone(errno)) return State::kNone;
  return ErrnoError(errno, "cannot look into the cgroup of run " + run.ToString());
}

bool CgroupTracker::Populated(const RunId& run) const {
  const Result<State> state = Look(run);
  return !state.ok() || *state == State::kAlive;
}

void CgroupTracker::Kill(const RunId& run) const {
  const UniqueFd directory = OpenRun(run);
  if (!directory) return;
  if (freezer_) {
    KillInFreezer(directory.get());
  } else {
    WriteSmallFile(directory.get(), "cgroup.kill", "1");
  }
}

Status CgroupTracker::SetFrozen(const RunId& run, bool frozen) const {
  const UniqueFd directory = OpenRun(run);
  if (!directory) return Error(Code::kNotFound, "run " + run.ToString() + " has no cgroup");
  const int error =
      freezer_ ? WriteSmallFile(directory.get(), "freezer.state", frozen ? "FROZEN" : "THAWED")
               : WriteSmallFile(directory.get(), "cgroup.freeze", frozen ? "1" : "0");
  if (error == 0) return {};
  if (error == ENOENT) {
    return Error(Code::kUnimplemented,
                 "this kernel cannot pause cgroups: it needs Linux 5.2 or newer");
  }
  return ErrnoError(error, "cannot pause the cgroup of run " + run.ToString());
}

bool CgroupTracker::Frozen(const RunId& run) const {
  const UniqueFd directory = OpenRun(run);
  if (!directory) return false;
  const std::string text =
      ReadSmallFile(directory.get(), freezer_ ? "freezer.state" : "cgroup.freeze").value_or("");
  return freezer_ ? text.starts_with("FR") : text.starts_with("1");  // FREEZING or FROZEN
}

bool CgroupTracker::Remove(const RunId& run) const {
  if (const std::optional<std::string> noted = notes_.Find(run)) {
    if (!RemoveTree(*noted)) return false;
    notes_.Remove(run);
  }
  return RemoveBelow(directory_.get(), run.ToString().c_str(), kMaxDepth);
}

std::vector<pid_t> CgroupTracker::Members(const RunId& run) const {
  std::vector<pid_t> members;
  if (const UniqueFd directory = OpenRun(run)) AddMembers(directory.get(), kMaxDepth, &members);
  return members;
}

UniqueFd CgroupTracker::OpenRun(const RunId& run) const {
  UniqueFd directory = OpenDirectory(directory_.get(), run.ToString().c_str());
  if (directory || errno != ENOENT) return directory;
  const std::optional<std::string> noted = notes_.Find(run);
  if (noted) return OpenDirectory(AT_FDCWD, noted->c_str());
  errno = ENOENT;
  return {};
}

}  // namespace drover
