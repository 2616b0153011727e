// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/scheduler/scheduler.h"
#include "host/state/state_store.h"
#include "host/volume/host_volumes.h"
#include "host/volume/volume_draft.h"

namespace drover {

struct AgentVolumesOptions {
  Loop* loop = nullptr;
  StateStore* store = nullptr;
  Scheduler* scheduler = nullptr;
  HostVolumes* volumes = nullptr;
  std::string node_id;
  // See ApiAgent::make_durable. May be empty.
  std::function<Co<Status>(Context context)> make_durable;
};

// Makes and removes the volumes of clients. The record of a volume is on the disk before its plugin
// is called, and goes after the volume. So an agent that dies in between leaves nothing that the
// next one does not know. The pointers must outlive this object. Control thread only.
class AgentVolumes {
 public:
  using Volume = std::shared_ptr<const VolumeRecord>;

  explicit AgentVolumes(AgentVolumesOptions options) : options_(std::move(options)) {}

  // Makes the volume that DRAFT describes, or changes the one with its id. Returns when it is
  // ready. After an error, everything is as before. Error kFailedPrecondition means that another
  // volume has the name, kNotFound that no volume has the id.
  Co<Result<Volume>> Put(Context context, VolumeRecord draft, VolumeRequestKind kind);
  // Removes a volume and what its plugin has made. Error kNotFound means that there is none, and
  // kFailedPrecondition that an allocation uses it or that a group claims it.
  Co<Status> Delete(Context context, std::string id);
  // Has all plugins make their volumes again, which mounts them after a reboot, and finishes what
  // an earlier agent has begun.
  Co<void> Restore();

 private:
  class Work;  // marks a volume as being changed

  Volume Find(const std::string& id) const;
  // Checks DRAFT against the node and the other volumes. Returns the volume that it changes; null
  // if it is a new one.
  Result<Volume> CheckDraft(const VolumeRecord& draft, VolumeRequestKind kind) const;
  Status CheckUnused(const VolumeRecord& volume) const;
  // Stores VOLUME with STATE, and returns when the record is on the disk.
  Co<Result<Volume>> Store(Context context, VolumeRecord volume, std::string_view state);
  Co<Result<MadeVolume>> MakeOf(VolumeRecord volume);
  static Co<void> RestoreOne(AgentVolumes* self, Volume volume);
  static Co<void> RestoreNow(AgentVolumes* self, Volume volume);

  const AgentVolumesOptions options_;
  std::set<std::string> busy_;  // ids of volumes that are being changed
};

// These two read the volumes in STORE for HostVolumesOptions.
std::optional<VolumeRecord> FindVolumeOf(const StateStore& store, const std::string& name_space,
                                         const std::string& name);
std::vector<std::string> VolumePathsOf(const StateStore& store);

// See StickyDiskHook::WaitEnded.
Co<Result<std::vector<std::string>>> WaitAllocEnded(StateStore* store, Context context,
                                                    std::string alloc_id);

}  // namespace drover
