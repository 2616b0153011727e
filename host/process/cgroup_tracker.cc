// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/cgroup_tracker.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <sstream>

#include "host/process/small_file.h"

namespace drover {
namespace {

constexpr int kMaxDepth = 32;  // a task may nest cgroups; deeper ones are left

UniqueFd OpenDirectory(int directory, const char* path) {
  return UniqueFd(openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

bool WriteOne(int directory, const char* path) {
  const UniqueFd file(openat(directory, path, O_WRONLY | O_CLOEXEC));
  return file && write(file.get(), "1", 1) == 1;
}

// Calls FUNCTION with the name of each directory within DIRECTORY.
void ForEachChild(int directory, const std::function<void(const char*)>& function) {
  UniqueFd copy = OpenDirectory(directory, ".");
  if (!copy) return;
  DIR* const entries = fdopendir(copy.get());
  if (!entries) return;
  copy.Release();
  while (const dirent* entry = readdir(entries))
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') function(entry->d_name);
  closedir(entries);
}

bool RemoveTree(int parent, const char* name, int depth) {
  if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return true;
  if (depth == 0) return false;
  if (const UniqueFd directory = OpenDirectory(parent, name))
    ForEachChild(directory.get(),
                 [&](const char* child) { RemoveTree(directory.get(), child, depth - 1); });
  return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

void AddMembers(int directory, int depth, std::vector<pid_t>* out) {
  const std::string text = ReadSmallFile(directory, "cgroup.procs").value_or("");
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    pid_t pid = 0;
    const auto [next, error] = std::from_chars(at, end, pid);
    if (error == std::errc() && pid > 0) out->push_back(pid);
    at = next + 1;
  }
  if (depth == 0) return;
  ForEachChild(directory, [&](const char* child) {
    if (const UniqueFd inner = OpenDirectory(directory, child))
      AddMembers(inner.get(), depth - 1, out);
  });
}

// The number behind KEY and a space at the start of a line.
std::optional<std::int64_t> Field(const std::string& text, const std::string& key) {
  std::size_t at = text.starts_with(key + " ") ? 0 : text.find("\n" + key + " ");
  if (at == std::string::npos) return std::nullopt;
  if (text[at] == '\n') ++at;
  return std::atoll(text.c_str() + at + key.size() + 1);
}

}  // namespace

std::optional<std::string> CgroupTracker::FindMount(const std::string& mounts) {
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string source, path, type;
    if (words >> source >> path >> type && type == "cgroup2") return path;
  }
  return std::nullopt;
}

Result<std::unique_ptr<CgroupTracker>> CgroupTracker::Open(std::string root) {
  if (root.empty()) {
    const std::string mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or("");
    const std::optional<std::string> mount = FindMount(mounts);
    if (!mount) return Error(Code::kNotFound, "no version 2 cgroup hierarchy is mounted");
    root = *mount + "/drover";
  }
  if (mkdir(root.c_str(), 0755) != 0 && errno != EEXIST)
    return ErrnoError(errno, "cannot make the cgroup " + root);
  UniqueFd directory = OpenDirectory(AT_FDCWD, root.c_str());
  if (!directory) return ErrnoError(errno, "cannot open the cgroup " + root);
  std::unique_ptr<CgroupTracker> tracker(new CgroupTracker(std::move(root), std::move(directory)));
  // A trial: is it a cgroup file system that lets us make, kill and remove?
  const RunId trial = RunId::Random();
  {
    Result<UniqueFd> made = tracker->Create(trial);
    if (!made.ok()) return made.error();
  }
  const bool kills =
      WriteOne(tracker->directory_.get(), (trial.ToString() + "/cgroup.kill").c_str());
  const int kill_error = errno;
  tracker->Remove(trial);
  if (!kills)
    return ErrnoError(kill_error, "cannot use cgroup.kill in " + tracker->root() +
                                      " (it needs Linux 5.14 and a version 2 hierarchy)");
  return tracker;
}

Result<UniqueFd> CgroupTracker::Create(const RunId& run) {
  const std::string name = run.ToString();
  if (mkdirat(directory_.get(), name.c_str(), 0755) != 0) {
    if (errno == EEXIST)
      return Error(Code::kFailedPrecondition, "run " + name + " has a cgroup already");
    return ErrnoError(errno, "cannot make the cgroup " + root_ + "/" + name);
  }
  UniqueFd directory = OpenDirectory(directory_.get(), name.c_str());
  if (!directory) {
    const int error = errno;
    unlinkat(directory_.get(), name.c_str(), AT_REMOVEDIR);
    return ErrnoError(error, "cannot open the cgroup " + root_ + "/" + name);
  }
  return directory;
}

bool CgroupTracker::Exists(const RunId& run) const {
  return faccessat(directory_.get(), run.ToString().c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

bool CgroupTracker::Populated(const RunId& run) const {
  const std::string path = run.ToString() + "/cgroup.events";
  const std::string text = ReadSmallFile(directory_.get(), path.c_str()).value_or("");
  return Field(text, "populated").value_or(0) != 0;
}

void CgroupTracker::Kill(const RunId& run) const {
  WriteOne(directory_.get(), (run.ToString() + "/cgroup.kill").c_str());
}

bool CgroupTracker::Remove(const RunId& run) const {
  return RemoveTree(directory_.get(), run.ToString().c_str(), kMaxDepth);
}

std::vector<pid_t> CgroupTracker::Members(const RunId& run) const {
  std::vector<pid_t> members;
  if (const UniqueFd directory = OpenDirectory(directory_.get(), run.ToString().c_str()))
    AddMembers(directory.get(), kMaxDepth, &members);
  return members;
}

std::optional<CgroupTracker::CpuTime> CgroupTracker::Cpu(const RunId& run) const {
  const std::string path = run.ToString() + "/cpu.stat";
  const std::optional<std::string> text = ReadSmallFile(directory_.get(), path.c_str());
  if (!text) return std::nullopt;
  const auto user = Field(*text, "user_usec"), system = Field(*text, "system_usec");
  if (!user || !system) return std::nullopt;
  return CpuTime{std::chrono::microseconds(*user), std::chrono::microseconds(*system)};
}

std::vector<RunId> CgroupTracker::Runs() const {
  std::vector<RunId> runs;
  ForEachChild(directory_.get(), [&runs](const char* name) {
    if (Result<RunId> run = RunId::Parse(name); run.ok()) runs.push_back(*run);
  });
  return runs;
}

}  // namespace drover
