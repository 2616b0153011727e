// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/placement/volume_use.h"

#include <algorithm>
#include <memory>

#include "host/base/ids.h"

namespace drover {
namespace {

// Returns whether an allocation with REQUEST lets nobody else write to VOLUME.
bool IsExclusive(const VolumeRecord& volume, const VolumeRequest& request) {
  if (!request.access_mode.empty()) return request.access_mode == access_mode::kSingleWriter;
  return std::ranges::all_of(volume.capabilities, [](const VolumeCapability& one) {
    return one.access_mode == access_mode::kSingleWriter ||
           one.access_mode == access_mode::kReaderOnly;
  });
}

}  // namespace

VolumeFit VolumeUse::Look(const Tables& tables, const NodeRecord& node, const VolumeName& name,
                          const VolumeRequest& request) const {
  const auto volume = tables.FindVolume(name);
  if (volume == nullptr || volume->node_id != node.id) {
    const auto configured = node.host_volumes.find(name.second);
    if (configured == node.host_volumes.end()) return VolumeFit::kMissing;
    const bool writes = !request.read_only;
    return writes && configured->second.read_only ? VolumeFit::kMissing : VolumeFit::kFits;
  }
  if (!Offers(*volume, request)) return VolumeFit::kMissing;
  if (!Writes(request)) return VolumeFit::kFits;
  int writers = 0, exclusive = 0;
  if (const auto users = tables.volume_users.find(name); users != tables.volume_users.end()) {
    writers = users->second.writers;
    exclusive = users->second.exclusive;
  }
  if (const auto change = changes_.find(name); change != changes_.end()) {
    writers += change->second.writers;
    exclusive += change->second.exclusive;
  }
  const bool busy = exclusive > 0 || (IsExclusive(*volume, request) && writers > 0);
  return busy ? VolumeFit::kBusy : VolumeFit::kFits;
}

VolumeFit VolumeUse::Take(const Tables& tables, const NodeRecord& node, const Job& job,
                          const TaskGroup& group, int index) {
  if (group.volumes.empty()) return VolumeFit::kFits;
  VolumeFit worst = VolumeFit::kFits;
  for (const auto& [name, request] : group.volumes) {
    const VolumeName key(job.job_namespace, SourceOf(request, index));
    const VolumeFit fit = Look(tables, node, key, request);
    if (fit == VolumeFit::kMissing) return fit;
    if (fit == VolumeFit::kBusy) worst = fit;
  }
  if (worst == VolumeFit::kFits) Add(job, group, index, 1);
  return worst;
}

void VolumeUse::Give(const Allocation& leaving) {
  if (const TaskGroup* const group = leaving.group()) Add(*leaving.job, *group, leaving.index, -1);
}

void VolumeUse::Add(const Job& job, const TaskGroup& group, int index, int sign) {
  for (const auto& [name, request] : group.volumes) {
    if (!Writes(request)) continue;
    Change& change = changes_[VolumeName(job.job_namespace, SourceOf(request, index))];
    change.writers += sign;
    if (request.access_mode == access_mode::kSingleWriter) change.exclusive += sign;
  }
}

TableMask ClaimVolumes(Tables* tables, const Allocation& alloc, std::uint64_t index) {
  const TaskGroup* const group = alloc.group();
  if (group == nullptr || alloc.server_terminal()) return 0;
  const Job& job = *alloc.job;
  TableMask written = 0;
  for (const auto& [name, request] : group->volumes) {
    if (!request.sticky) continue;
    const auto volume =
        tables->FindVolume(VolumeName(job.job_namespace, SourceOf(request, alloc.index)));
    if (volume == nullptr) continue;  // a volume of the configuration, which is always there
    const bool claimed = std::ranges::any_of(volume->claims, [&](const VolumeClaim& claim) {
      return claim.job_namespace == job.job_namespace && claim.job_id == job.id &&
             claim.group == group->name;
    });
    if (claimed) continue;
    auto changed = std::make_shared<VolumeRecord>(*volume);
    changed->claims.push_back({RandomUuid(), job.job_namespace, job.id, group->name, alloc.id});
    changed->modify_index = index;
    tables->Put(std::shared_ptr<const VolumeRecord>(std::move(changed)));
    written = MaskOf(Table::kVolumes);
  }
  return written;
}

}  // namespace drover
