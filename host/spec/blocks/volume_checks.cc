// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/volume_checks.h"

#include <algorithm>
#include <array>
#include <string>

#include "host/spec/job_limits.h"

namespace drover {
namespace {

constexpr std::array<std::string_view, 3> kPropagations = {"private", "host-to-task",
                                                           "bidirectional"};
constexpr std::size_t kMostDestination = 1024;

using job_checks::CheckText;
using job_checks::HasControl;

template <typename List>
std::string Joined(const List& list) {
  std::string all;
  for (const std::string_view one : list) all += (all.empty() ? "" : ", ") + std::string(one);
  return all;
}

template <typename List>
void CheckKnown(const std::string& text, const List& known, const JobPlace& at) {
  if (std::ranges::find(known, text) != known.end()) return;
  at.Fault(Quoted(text) + " is not known; write one of " + Joined(known));
}

void CheckType(const VolumeRequest& volume, const JobPlace& at) {
  if (volume.type == "host") return;
  if (volume.type.empty()) {
    at.Fault("is missing; write \"host\"");
  } else if (volume.type == "csi") {
    at.Fault(
        "\"csi\" is not supported by this version; mount the storage on the machine, and make it a "
        "host volume by `drover volume register` or by the agent's configuration");
  } else {
    at.Fault(Quoted(volume.type) + " is not known; write \"host\"");
  }
}

void CheckVolume(JobType type, const VolumeRequest& volume, const JobPlace& at) {
  CheckType(volume, at / "Type");
  CheckText(volume.source, at / "Source");
  if (!volume.access_mode.empty()) {
    CheckKnown(volume.access_mode, access_mode::kAll, at / "AccessMode");
  }
  if (!volume.attachment_mode.empty() && volume.attachment_mode != kFileSystem) {
    (at / "AttachmentMode")
        .Fault(Quoted(volume.attachment_mode) +
               " is not supported by this version; \"file-system\" is");
  }
  if (volume.access_mode == access_mode::kReaderOnly) {
    (at / "ReadOnly")
        .Unless(volume.read_only, "must be true with the access mode \"single-node-reader-only\"");
  }
  if (type == JobType::kSystem || type == JobType::kSysbatch) {
    (at / "PerAlloc").Unless(!volume.per_alloc, "is for service and batch jobs");
  }
}

bool HasParent(std::string_view path) {
  return path == ".." || path.starts_with("../") || path.ends_with("/..") ||
         path.find("/../") != std::string_view::npos;
}

void CheckDestination(const std::string& path, const JobPlace& at) {
  if (path.empty()) {
    at.Fault("is missing; write the path in the task, such as \"/data\"");
  } else if (path.size() > kMostDestination) {
    at.Fault("is longer than " + std::to_string(kMostDestination) + " bytes");
  } else if (HasControl(path)) {
    at.Fault(Quoted(path) + " holds a control character or an invisible one");
  } else if (HasParent(path)) {
    at.Fault(Quoted(path) + " has a part \"..\"");
  } else if (path[0] == '/' && path.find_first_not_of("/.") == std::string::npos) {
    at.Fault(Quoted(path) + " is the root of the task; write a directory in it, such as \"/data\"");
  } else if (path[0] != '/' && !path.starts_with("${")) {
    at.Fault(Quoted(path) + " must be absolute, such as \"/data\"");
  }
}

void CheckMounts(const TaskGroup& group, const Task& task, const JobPlace& at) {
  UniqueNames destinations;
  for (std::size_t i = 0; i < task.volume_mounts.size(); ++i) {
    const VolumeMount& mount = task.volume_mounts[i];
    const JobPlace here = at / i;
    if (!group.volumes.contains(mount.volume)) {
      (here / "Volume")
          .Fault(mount.volume.empty()
                     ? std::string("is missing; write the name of a volume of the group")
                     : "the group has no volume " + Quoted(mount.volume));
    }
    CheckDestination(mount.destination, here / "Destination");
    destinations.Add(mount.destination, here / "Destination");
    CheckKnown(mount.propagation_mode, kPropagations, here / "PropagationMode");
  }
}

}  // namespace

void CheckVolumes(JobType type, const TaskGroup& group, const JobPlace& at) {
  for (const auto& [name, volume] : group.volumes) {
    const JobPlace here = at / "Volumes" / name;
    CheckText(name, here / "Name");
    CheckVolume(type, volume, here);
  }
  for (std::size_t i = 0; i < group.tasks.size(); ++i) {
    CheckMounts(group, group.tasks[i], at / "Tasks" / i / "VolumeMounts");
  }
}

}  // namespace drover
