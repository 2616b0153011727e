// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/place/run_places.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>

#include "host/base/unique_fd.h"
#include "host/process/cgroup_tracker.h"
#include "host/process/small_file.h"

namespace drover {
namespace {

constexpr std::string_view kNoteSuffix = ".place";
// A note begins with the version of the hierarchy. Behind it is an absolute path for version 2, and
// for version 1 a path that is relative to each mount point.
constexpr std::string_view kUnifiedNote = "2:";
constexpr std::string_view kVersion1Note = "1:";
// The controllers of version 1 by which the host measures and kills. The engine makes the
// directories of the others.
constexpr const char* kPlaceControllers[] = {"freezer", "memory", "cpuacct", "pids"};

bool HasOption(const std::string& options, const std::string& name) {
  return ("," + options + ",").find("," + name + ",") != std::string::npos;
}

UniqueFd OpenPlace(const std::string& path) {
  return UniqueFd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

Status MakePlaceDirectory(const std::string& path) {
  if (mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return ErrnoError(errno, "cannot make the cgroup " + path);
}

std::uint64_t OomKillsIn(const std::string& directory, const char* file) {
  const std::string text = ReadSmallFile(AT_FDCWD, (directory + "/" + file).c_str()).value_or("");
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(FieldOf(text, "oom_kill").value_or(0), 0));
}

}  // namespace

RunPlaces::RunPlaces(const std::string& mounts, const std::string& tracking_root,
                     const std::string& name, int notes)
    : name_(name), notes_(notes, std::string(kNoteSuffix)) {
  std::istringstream lines(mounts);
  bool version1 = false;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string source, path, type, options;
    if (!(words >> source >> path >> type >> options)) continue;
    if (type == "cgroup2" && (tracking_root + "/").starts_with(path + "/")) unified_mount_ = path;
    if (type != "cgroup") continue;
    hierarchies_.push_back({path, options});
    for (const char* controller : {"memory", "cpu", "pids"}) {
      version1 = version1 || HasOption(options, controller);
    }
  }
  if (!version1 && !unified_mount_.empty()) root_ = tracking_root;
}

std::string RunPlaces::NewPlace(const RunId& run) const {
  if (!root_.empty()) return std::string(kUnifiedNote) + root_ + "/" + run.ToString();
  return std::string(kVersion1Note) + "/" + name_ + "/" + run.ToString();
}

std::vector<RunPlaces::Directory> RunPlaces::DirectoriesOf(const std::string& noted) const {
  std::vector<Directory> out;
  const std::string path = noted.substr(std::min(noted.size(), kUnifiedNote.size()));
  if (noted.starts_with(kUnifiedNote)) {
    out.push_back({path, ""});
  } else if (noted.starts_with(kVersion1Note)) {
    for (const Hierarchy& at : hierarchies_) out.push_back({at.mount + path, at.options});
  }
  return out;
}

std::vector<RunPlaces::Directory> RunPlaces::DirectoriesOf(const RunId& run) const {
  const std::optional<std::string> noted = notes_.Find(run);
  return noted ? DirectoriesOf(*noted) : std::vector<Directory>();
}

Result<RunPlace> RunPlaces::Make(const RunId& run) {
  std::optional<std::string> noted = notes_.Find(run);
  if (!noted) {
    if (root_.empty() && hierarchies_.empty()) {
      return Error(Code::kFailedPrecondition, "this machine has no cgroups for the places of runs");
    }
    noted = NewPlace(run);
    DROVER_TRY(notes_.Write(run, *noted));
  }
  RunPlace place;
  place.cgroup = noted->substr(kUnifiedNote.size());
  if (noted->starts_with(kUnifiedNote) && place.cgroup.starts_with(unified_mount_ + "/")) {
    place.cgroup = place.cgroup.substr(unified_mount_.size());
  }
  for (const Directory& at : DirectoriesOf(*noted)) {
    if (at.unified()) {
      DROVER_TRY(MakePlaceDirectory(at.path));
      place.directories.emplace_back("", at.path);
      continue;
    }
    bool made = false;
    for (const char* controller : kPlaceControllers) {
      if (!HasOption(at.options, controller)) continue;
      if (!made) {
        DROVER_TRY(MakePlaceDirectory(at.path.substr(0, at.path.rfind('/'))));
        DROVER_TRY(MakePlaceDirectory(at.path));
      }
      made = true;
      place.directories.emplace_back(controller, at.path);
    }
    // Old kernels count the cgroups below only then. New ones always do.
    if (HasOption(at.options, "memory")) {
      (void)WriteSmallFile(AT_FDCWD, (at.path + "/memory.use_hierarchy").c_str(), "1");
    }
  }
  return place;
}

std::vector<pid_t> RunPlaces::Members(const RunId& run) const {
  std::set<pid_t> all;
  for (const Directory& at : DirectoriesOf(run)) {
    const UniqueFd directory = OpenPlace(at.path);
    if (!directory) continue;
    for (const pid_t pid : CgroupTracker::MembersIn(directory.get())) all.insert(pid);
  }
  return {all.begin(), all.end()};
}

void RunPlaces::Kill(const RunId& run) const {
  std::vector<Directory> directories = DirectoriesOf(run);
  // The freezer comes first: what it holds does not fork.
  std::ranges::partition(directories,
                         [](const Directory& at) { return HasOption(at.options, "freezer"); });
  for (const Directory& at : directories) {
    const UniqueFd directory = OpenPlace(at.path);
    if (!directory) continue;
    if (at.unified() && WriteSmallFile(directory.get(), "cgroup.kill", "1") == 0) continue;
    CgroupTracker::KillIn(directory.get(), HasOption(at.options, "freezer"));
  }
}

bool RunPlaces::Remove(const RunId& run) const {
  const std::optional<std::string> noted = notes_.Find(run);
  if (!noted) return true;
  bool removed = true;
  for (const Directory& at : DirectoriesOf(*noted)) {
    if (!CgroupTracker::RemoveTree(at.path)) removed = false;
  }
  if (removed) notes_.Remove(run);
  return removed;
}

std::uint64_t RunPlaces::OomKills(const RunId& run) const {
  std::uint64_t kills = 0;
  for (const Directory& at : DirectoriesOf(run)) {
    if (at.unified()) {
      kills += OomKillsIn(at.path, "memory.events");  // counts what is below, too
    } else if (HasOption(at.options, "memory")) {
      constexpr const char* kFile = "memory.oom_control";
      kills += OomKillsIn(at.path, kFile);
      std::error_code ignored;  // a cgroup may go at any moment
      for (std::filesystem::directory_iterator child(at.path, ignored), end; child != end;
           child.increment(ignored)) {
        if (child->is_directory(ignored)) kills += OomKillsIn(child->path().string(), kFile);
        if (ignored) break;
      }
    }
  }
  return kills;
}

}  // namespace drover
