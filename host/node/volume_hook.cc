// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/volume_hook.h"

#include <utility>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr std::size_t kMostDestination = 4096;

// Checks a path in which references have been replaced.
Status CheckDestination(const std::string& path) {
  const std::string whole = path + "/";
  if (path.starts_with('/') && path.find_first_not_of("/.") == std::string::npos) {
    return Error(Code::kInvalidArgument,
                 "the destination " + Quoted(path) + " is the root of the task");
  }
  if (!path.empty() && path[0] == '/' && path.size() < kMostDestination &&
      path.find('\0') == std::string::npos && whole.find("/../") == std::string::npos) {
    return {};
  }
  return Error(Code::kInvalidArgument,
               "the destination " + Quoted(path) + " is no absolute path without \"..\"");
}

}  // namespace

Status CheckMountsOf(const DriverInfo& driver) {
  if (driver.fs_isolation != FsIsolation::kNone) return {};
  return Error(Code::kInvalidArgument,
               "driver " + Quoted(driver.name) +
                   " cannot mount volumes: its tasks see the files of the machine as they are; "
                   "use the paths of the machine, or a driver such as exec");
}

Result<std::vector<std::string>> VolumeHook::Destinations(const PrestartRequest& request) const {
  const PrepareRequest prepare = PrepareRequestOf(request);
  std::vector<std::string> destinations;
  for (const VolumeMount& mount : request.task->volume_mounts) {
    destinations.push_back(mount.destination);
  }
  DROVER_ASSIGN(destinations, preparer_->Interpolate(prepare, std::move(destinations)));
  for (const std::string& destination : destinations) DROVER_TRY(CheckDestination(destination));
  return destinations;
}

Co<Result<PrestartResponse>> VolumeHook::Prestart(Context context, PrestartRequest request) {
  DROVER_CO_TRY(CheckMountsOf(request.driver));
  const Allocation& alloc = *request.alloc;
  const TaskGroup* const group = alloc.group();
  DROVER_CO_ASSIGN(std::vector<std::string> destinations, Destinations(request));
  PrestartResponse response;
  const std::shared_ptr<HostVolumes> volumes = volumes_;
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    const VolumeMount& mount = request.task->volume_mounts[i];
    if (group == nullptr || !group->volumes.contains(mount.volume)) {
      co_return Error(Code::kInvalidArgument, "the group has no volume " + Quoted(mount.volume));
    }
    const VolumeRequest& volume = group->volumes.at(mount.volume);
    DROVER_CO_ASSIGN(VolumeSource source, co_await volumes->Find(context, alloc.job->job_namespace,
                                                                 SourceOf(volume, alloc.index)));
    TaskMount task_mount;
    task_mount.task_path = std::move(destinations[i]);
    task_mount.host_path = std::move(source.path);
    task_mount.read_only = source.read_only || !Writes(volume) || mount.read_only;
    task_mount.propagation = mount.propagation_mode;
    task_mount.no_links = true;
    response.mounts.push_back(std::move(task_mount));
  }
  co_return response;
}

}  // namespace drover
