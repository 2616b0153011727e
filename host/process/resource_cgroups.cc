// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/resource_cgroups.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <sstream>

#include "host/process/cgroup_tracker.h"
#include "host/process/small_file.h"

namespace drover {
namespace {

constexpr const char* kControllers[] = {"memory", "cpu", "pids", "cpuset"};
// The length in microseconds of the periods for which the kernel limits processor time.
constexpr std::int64_t kCpuPeriod = 100'000;
// The smallest limit of processor time per period that the kernel accepts, in microseconds.
constexpr std::int64_t kLeastCpuTime = 1000;

Status Write(int directory, const std::string& file, const std::string& value) {
  const int error = WriteSmallFile(directory, file.c_str(), value);
  if (error == 0) return {};
  return ErrnoError(error, "cannot write " + value + " to the cgroup's " + file);
}

UniqueFd OpenDirectory(int parent, const std::string& path) {
  return UniqueFd(openat(parent, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool HasWord(const std::string& text, const std::string& word) {
  std::string padded = text;
  std::ranges::replace_if(padded, [](char c) { return c == '\n' || c == ','; }, ' ');
  return (" " + padded + " ").find(" " + word + " ") != std::string::npos;
}

// Converts version 1 shares to a version 2 weight. Shares range from 2 to 262144, usually 1024.
// Weights range from 1 to 10000, usually 100.
std::int64_t Weight(std::int64_t shares) {
  const std::int64_t bounded = std::clamp<std::int64_t>(shares, 2, 262144);
  return 1 + (bounded - 2) * 9999 / 262142;
}

struct Setting {
  std::string file;
  std::string value;
  bool may_miss = false;
};

std::vector<Setting> Settings(const std::string& controller, bool unified,
                              const ResourceLimits& limits) {
  std::vector<Setting> settings;
  const auto add = [&settings](const char* file, std::int64_t value) {
    if (value > 0) settings.push_back({file, std::to_string(value)});
  };
  const std::int64_t hard = std::max(limits.memory, limits.memory_max);
  const std::int64_t kept = limits.memory_max > limits.memory ? limits.memory : 0;
  if (controller == "memory") {
    add(unified ? "memory.max" : "memory.limit_in_bytes", hard);
    add(unified ? "memory.low" : "memory.soft_limit_in_bytes", kept);
    // The task must not swap, because a task that swaps instead of being killed makes the whole
    // machine unusable. The file of the swap limit does not exist on kernels without swap
    // accounting.
    if (hard > 0)
      settings.push_back({unified ? "memory.swap.max" : "memory.memsw.limit_in_bytes",
                          unified ? "0" : std::to_string(hard), true});
  } else if (controller == "cpu") {
    if (limits.cpu_shares > 0)
      add(unified ? "cpu.weight" : "cpu.shares",
          unified ? Weight(limits.cpu_shares) : std::max<std::int64_t>(limits.cpu_shares, 2));
    if (limits.cpu_time > 0) {
      const auto time =
          std::max(static_cast<std::int64_t>(limits.cpu_time * double(kCpuPeriod)), kLeastCpuTime);
      if (unified) {
        settings.push_back({"cpu.max", std::to_string(time) + " " + std::to_string(kCpuPeriod)});
      } else {
        add("cpu.cfs_period_us", kCpuPeriod);
        add("cpu.cfs_quota_us", time);
      }
    }
  } else if (controller == "cpuset") {
    if (!limits.cores.empty()) settings.push_back({"cpuset.cpus", limits.cores});
  } else {
    add("pids.max", limits.max_processes);
  }
  return settings;
}

Result<std::string> ReadNodes(int cgroup, const std::string& file) {
  std::optional<std::string> text = ReadSmallFile(cgroup, file.c_str());
  if (!text) return ErrnoError(errno, "cannot read the cgroup's " + file);
  if (text->ends_with('\n')) text->pop_back();
  return *text;
}

// Returns false if the agent cannot write to HIERARCHY. Such a hierarchy counts as missing.
bool CanBeWritten(const std::string& hierarchy) {
  return access(hierarchy.c_str(), W_OK) == 0 || (errno != EROFS && errno != EACCES);
}

// A new version 1 cgroup of cpuset has no cores and no memory nodes, so no process can enter it.
// This function copies cores and nodes from FROM, the cgroup above, to the cgroup TO.
Status InheritNodes(const std::string& from, const std::string& to) {
  const UniqueFd above = OpenDirectory(AT_FDCWD, from);
  const UniqueFd own = OpenDirectory(AT_FDCWD, to);
  if (!above || !own) return ErrnoError(errno, "cannot open the cgroup " + (above ? to : from));
  for (const char* file : {"cpuset.cpus", "cpuset.mems"}) {
    DROVER_ASSIGN(const std::string mine, ReadNodes(own.get(), file));
    if (!mine.empty()) continue;
    DROVER_ASSIGN(const std::string theirs, ReadNodes(above.get(), file));
    DROVER_TRY(Write(own.get(), file, theirs));
  }
  return {};
}

// Enables CONTROLLER for the children of every cgroup from TOP to ROOT. A version 2 cgroup has a
// controller only if every cgroup above enables the controller for its children.
Status HandDown(const std::string& top, const std::string& root, const std::string& controller) {
  std::size_t end = top.size();
  for (bool last = false; !last; end = root.find('/', end + 1)) {
    last = end == std::string::npos || end >= root.size();
    const std::string path = root.substr(0, end);
    const UniqueFd directory = OpenDirectory(AT_FDCWD, path);
    if (!directory) return ErrnoError(errno, "cannot open the cgroup " + path);
    const std::string given = ReadSmallFile(directory.get(), "cgroup.subtree_control").value_or("");
    if (HasWord(given, controller)) continue;
    const int error = WriteSmallFile(directory.get(), "cgroup.subtree_control", "+" + controller);
    if (error == EBUSY)
      return Error(Code::kFailedPrecondition,
                   "the controller " + controller + " cannot be handed down by the cgroup " + path +
                       ", which has processes of its own: let its unit start drover itself, "
                       "without a shell around it");
    if (error != 0)
      return ErrnoError(error,
                        "cannot hand the controller " + controller + " down in the cgroup " + path);
  }
  return {};
}

}  // namespace

std::unique_ptr<ResourceCgroups> ResourceCgroups::Open(const std::string& mounts,
                                                       const std::string& tracking_root,
                                                       const std::string& unit) {
  const std::string last = std::filesystem::path(tracking_root).filename().string();
  const std::string name = last.empty() || !unit.empty() ? "drover" : last;
  auto result = std::make_unique<ResourceCgroups>();
  result->name_ = name;
  for (const char* controller : kControllers) {
    std::istringstream lines(mounts);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string source, path, type, options;
      if (!(words >> source >> path >> type >> options)) continue;
      if (type == "cgroup" && HasWord(options, controller)) {
        // A controller that cannot be used is left out, so the driver's fingerprint reports it as
        // missing.
        if (!CanBeWritten(path)) break;
        result->controllers_.push_back({controller, path, path + "/" + name, false});
        break;
      }
      const std::string top = unit.empty() ? path : unit;
      const std::string there =
          ReadSmallFile(AT_FDCWD, (top + "/cgroup.controllers").c_str()).value_or("");
      if (type != "cgroup2" || !HasWord(there, controller) ||
          !(tracking_root + "/").starts_with(path + "/"))
        continue;
      result->controllers_.push_back({controller, top, tracking_root, true});
      break;
    }
  }
  if (const std::optional<std::string> mount = CgroupTracker::FindVersion1(mounts, "cpuacct")) {
    result->accounting_hierarchy_ = *mount;
    if (CanBeWritten(*mount)) result->accounting_root_ = *mount + "/" + name;
  }
  return result;
}

bool ResourceCgroups::Has(const std::string& name) const {
  return std::ranges::find(controllers_, name, &Controller::name) != controllers_.end();
}

std::string ResourceCgroups::missing() const {
  std::string text;
  for (const char* name : kControllers) {
    if (Has(name)) continue;
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

Status ResourceCgroups::Limit(const Controller& controller, const RunId& run,
                              const ResourceLimits& limits, int tracking, Run* result) {
  const std::vector<Setting> settings = Settings(controller.name, controller.unified, limits);
  if (settings.empty()) return {};
  UniqueFd own;
  int directory = tracking;
  if (controller.unified) {
    // The controller is enabled again for each run, since another program may have disabled it.
    if (tracking < 0) return {};
    DROVER_TRY(HandDown(controller.top, controller.root, controller.name));
  } else {
    const std::string path = controller.root + "/" + run.ToString();
    if (mkdir(controller.root.c_str(), 0755) != 0 && errno != EEXIST)
      return ErrnoError(errno, "cannot make the cgroup " + controller.root);
    if (mkdir(path.c_str(), 0755) != 0) return ErrnoError(errno, "cannot make the cgroup " + path);
    if (controller.name == "cpuset") {
      DROVER_TRY(InheritNodes(controller.top, controller.root));
      DROVER_TRY(InheritNodes(controller.root, path));
    }
    own = OpenDirectory(AT_FDCWD, path);
    if (!own) return ErrnoError(errno, "cannot open the cgroup " + path);
    directory = own.get();
    result->cgroups.push_back(std::move(own));
  }
  for (const Setting& setting : settings) {
    if (setting.may_miss && faccessat(directory, setting.file.c_str(), F_OK, 0) != 0) continue;
    DROVER_TRY(Write(directory, setting.file, setting.value));
  }
  if (controller.name == "memory") {
    const std::string events = controller.unified ? "memory.events" : "memory.oom_control";
    result->memory_events.Reset(openat(directory, events.c_str(), O_RDONLY | O_CLOEXEC));
    if (!result->memory_events) return ErrnoError(errno, "cannot open the cgroup's " + events);
  }
  return {};
}

Result<ResourceCgroups::Run> ResourceCgroups::Create(const RunId& run, const ResourceLimits& limits,
                                                     int tracking) {
  Run result;
  if (!limits.cores.empty() && !Has("cpuset"))
    return Error(Code::kFailedPrecondition,
                 "the task reserves the cores " + limits.cores +
                     ", but there is no cgroup controller cpuset here: mount it, or hand it down "
                     "to the agent's cgroup, or ask for CPU instead of Cores");
  for (const Controller& controller : controllers_) {
    const Status status = Limit(controller, run, limits, tracking, &result);
    if (status.ok()) continue;
    Remove(run);
    return status.error();
  }
  return result;
}

ResourceCgroups::Run ResourceCgroups::OpenAll(const RunId& run, int tracking) const {
  Run all;
  for (const Controller& controller : controllers_) {
    const bool memory = controller.name == "memory";
    if (controller.unified) {
      if (memory && tracking >= 0)
        all.memory_events.Reset(openat(tracking, "memory.events", O_RDONLY | O_CLOEXEC));
      continue;
    }
    UniqueFd made = OpenRun(run, controller.name);
    if (!made) continue;
    if (memory)
      all.memory_events.Reset(openat(made.get(), "memory.oom_control", O_RDONLY | O_CLOEXEC));
    all.cgroups.push_back(std::move(made));
  }
  return all;
}

UniqueFd ResourceCgroups::CreateAccounting(const RunId& run) {
  if (accounting_root_.empty()) return {};
  const std::string path = accounting_root_ + "/" + run.ToString();
  if (mkdir(path.c_str(), 0755) != 0) {
    // EEXIST means that Create has already made the run's cgroup in this hierarchy. The run's
    // processes enter it because Create has returned it.
    if (errno != ENOENT) return {};
    mkdir(accounting_root_.c_str(), 0755);
    if (mkdir(path.c_str(), 0755) != 0) return {};
  }
  return OpenDirectory(AT_FDCWD, path);
}

UniqueFd ResourceCgroups::OpenRun(const RunId& run, const std::string& controller) const {
  if (controller == "cpuacct")
    return accounting_root_.empty()
               ? UniqueFd()
               : OpenDirectory(AT_FDCWD, accounting_root_ + "/" + run.ToString());
  const auto found = std::ranges::find(controllers_, controller, &Controller::name);
  if (found == controllers_.end() || found->unified) return {};
  return OpenDirectory(AT_FDCWD, found->root + "/" + run.ToString());
}

bool ResourceCgroups::Remove(const RunId& run) {
  const auto remove = [&run](const std::string& root) {
    return CgroupTracker::RemoveTree(root + "/" + run.ToString());
  };
  bool removed = accounting_root_.empty() || remove(accounting_root_);
  for (const Controller& controller : controllers_)
    if (!controller.unified && !remove(controller.root)) removed = false;
  return removed;
}

}  // namespace drover
