// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/run_cgroups.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "host/base/durable_step.h"
#include "host/process/small_file.h"

namespace drover {
namespace {

std::string Mounts() { return ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or(""); }

}  // namespace

void RunCgroups::Made::AddTo(StartEnvironment* environment) const {
  environment->cgroup = tracking.get();
  environment->freezer = freezer;
  for (const UniqueFd& entered : limits.cgroups)
    environment->resource_cgroups.push_back(entered.get());
  for (const GivenCgroup& entered : given)
    environment->given_cgroups.push_back({entered.directory.get(), entered.name});
}

Result<RunCgroups::Made> RunCgroups::Make(ProcessSpec* spec) {
  Made made;
  made.freezer = freezer();
  DROVER_ASSIGN(made.given, OpenGiven(*spec));
  if (tracker_ != nullptr) {
    DROVER_ASSIGN(made.tracking,
                  DurableStep(Step::kMakeCgroup, [&] { return Track(spec->run, spec->cgroup); }));
  }
  if (Status limited = Limit(spec, &made); !limited.ok()) {
    Remove(spec->run);
    return limited.error();
  }
  if (freezer()) CountTime(spec->run, &made);
  return made;
}

Result<RunCgroups::Made> RunCgroups::MakeShared(ProcessSpec* spec) {
  const RunId own = spec->run, group = spec->group.value_or(spec->run);
  bool exists = false;
  if (tracker_ != nullptr) {
    DROVER_ASSIGN(const CgroupTracker::State state, tracker_->Look(group));
    exists = state != CgroupTracker::State::kNone;
  } else {
    exists = !resources().OpenAll(group, -1).cgroups.empty();
  }
  Made made;
  if (!exists) {
    spec->run = group;
    Result<Made> first = Make(spec);
    spec->run = own;
    if (!first.ok()) return first.error();
    made = std::move(*first);
  } else {
    made.freezer = freezer();
    DROVER_ASSIGN(made.given, OpenGiven(*spec));
    if (tracker_ != nullptr) {
      made.tracking = tracker_->OpenRun(group);
      if (!made.tracking) return ErrnoError(errno, "cannot open the cgroup of the run");
    }
    made.limits = resources().OpenAll(group, unified() ? made.tracking.get() : -1);
    if (made.limits.memory_events) spec->memory_events = std::move(made.limits.memory_events);
    if (made.limits.cgroups.empty()) {
      // The processes before this one had no limits, or those of the tracking cgroup.
      spec->run = group;
      const Status limited = Limit(spec, &made);
      spec->run = own;
      DROVER_TRY(limited);
    }
    UniqueFd accounting = freezer() ? resources().OpenRun(group, "cpuacct") : UniqueFd();
    if (accounting) made.limits.cgroups.push_back(std::move(accounting));
  }
  if (tracker_ == nullptr || own == group) return made;
  DROVER_ASSIGN(made.tracking, DurableStep(Step::kMakeCgroup, [&] {
                  return tracker_->CreateBelow(made.tracking.get(), own);
                }));
  return made;
}

bool RunCgroups::Remove(const RunId& run) {
  // The place is first: its cgroups may be the same as those that follow, and only its note says
  // where all of them are.
  const bool place_gone = places().Remove(run);
  const bool limits_gone = resources().Remove(run);
  return (tracker_ == nullptr || tracker_->Remove(run)) && limits_gone && place_gone;
}

void RunCgroups::Kill(const RunId& run) {
  if (tracker_ != nullptr) tracker_->Kill(run);
  places().Kill(run);
}

RunPlaces& RunCgroups::places() {
  if (!places_) {
    places_ = std::make_unique<RunPlaces>(Mounts(), tracker_ != nullptr ? tracker_->root() : "",
                                          resources().directory_name(), notes_);
  }
  return *places_;
}

RunUsage RunCgroups::OpenUsage(const RunId& run) {
  const UniqueFd tracking = unified() ? tracker_->OpenRun(run) : UniqueFd();
  const auto of = [&](const char* controller) { return resources().OpenRun(run, controller); };
  return RunUsage::Open({.tracking = tracking.get(),
                         .memory = of("memory").get(),
                         .cpu = of("cpu").get(),
                         .cpuacct = tracking ? -1 : of("cpuacct").get()});
}

ResourceCgroups& RunCgroups::resources() {
  if (!resources_) {
    resources_ =
        ResourceCgroups::Open(Mounts(), tracker_ != nullptr ? tracker_->root() : "", unit_);
  }
  return *resources_;
}

// Opens the version 1 cgroups that the job names, and checks that the version 2 cgroup of the job
// can be used.
Result<std::vector<GivenCgroup>> RunCgroups::OpenGiven(const ProcessSpec& spec) const {
  if (spec.cgroup.empty() && spec.v1_cgroups.empty()) return std::vector<GivenCgroup>();
  if (spec.resources.any())
    return Error(Code::kInvalidArgument,
                 "a run has limits of its own or those of given cgroups, not both");
  if (!spec.cgroup.empty() && !unified())
    return Error(Code::kFailedPrecondition, "nothing can run below the cgroup " + spec.cgroup +
                                                ": tasks are not tracked by version 2 cgroups "
                                                "on this machine");
  return OpenGivenCgroups(Mounts(), spec.v1_cgroups, freezer());
}

// Makes the cgroup that tracks the run. Makes it in the operator's cgroup GIVEN, unless GIVEN is
// empty.
Result<UniqueFd> RunCgroups::Track(const RunId& run, const std::string& given) {
  if (given.empty()) return tracker_->Create(run);
  DROVER_ASSIGN(const UniqueFd parent, OpenGivenCgroup(Mounts(), given));
  return tracker_->CreateIn(parent.get(), run);
}

Status RunCgroups::Limit(ProcessSpec* spec, Made* made) {
  if (!spec->resources.any()) return {};
  DROVER_ASSIGN(made->limits, DurableStep(Step::kMakeLimits, [&] {
                  return resources().Create(spec->run, spec->resources,
                                            unified() ? made->tracking.get() : -1);
                }));
  if (made->limits.memory_events) spec->memory_events = std::move(made->limits.memory_events);
  return {};
}

// Makes a cgroup of cpuacct for a run that is tracked by the freezer, which counts no processor
// time. If the run enters a cgroup of the operator in the hierarchy of cpuacct, makes no cgroup.
// The operator's cgroup also counts other processes, so the count of this run is not read from it.
void RunCgroups::CountTime(const RunId& run, Made* made) {
  for (const GivenCgroup& entered : made->given)
    if (entered.hierarchy == resources().accounting_hierarchy()) return;
  // Without the cgroup, only statistics are missing, so the task must not fail.
  if (!BeginStep(Step::kMakeLimits).ok()) return;
  UniqueFd counted = resources().CreateAccounting(run);
  EndStep(Step::kMakeLimits);
  if (counted) made->limits.cgroups.push_back(std::move(counted));
}

}  // namespace drover
