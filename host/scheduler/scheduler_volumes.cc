// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The writes of the volumes of clients.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "host/scheduler/scheduler.h"

namespace drover {
namespace {

constexpr TableMask kVolumes = MaskOf(Table::kVolumes);

std::shared_ptr<const VolumeRecord> FindClaimed(const Tables& tables, const std::string& claim_id) {
  for (const auto& [id, volume] : tables.volumes) {
    if (std::ranges::find(volume->claims, claim_id, &VolumeClaim::id) != volume->claims.end()) {
      return volume;
    }
  }
  return nullptr;
}

}  // namespace

Result<std::shared_ptr<const VolumeRecord>> Scheduler::PutVolume(VolumeRecord volume) {
  std::shared_ptr<const VolumeRecord> before;
  std::size_t count = 0;
  store_->Read([&](const Tables& tables) {
    before = Tables::Find(tables.volumes, volume.id);
    count = tables.volumes.size();
  });
  if (before == nullptr) {
    if (options_.check_room) DROVER_TRY(options_.check_room());
    if (count >= options_.most_volumes) {
      return Error(Code::kResourceExhausted,
                   "there are " + std::to_string(count) +
                       " volumes already: delete those that nobody needs");
    }
  }
  auto record = std::make_shared<VolumeRecord>(std::move(volume));
  record->modify_time = loop_->Wall();
  record->create_time = before == nullptr ? record->modify_time : before->create_time;
  if (before != nullptr) record->claims = before->claims;
  store_->Write(cause::kVolumePut, [&](Tables* tables, std::uint64_t index) {
    record->modify_index = index;
    record->create_index = before == nullptr ? index : before->create_index;
    tables->Put(std::shared_ptr<const VolumeRecord>(record));
    return kVolumes;
  });
  RetryBlocked({.all = true});
  return std::shared_ptr<const VolumeRecord>(std::move(record));
}

void Scheduler::EraseVolume(const std::string& id) {
  std::shared_ptr<const VolumeRecord> volume;
  store_->Read([&](const Tables& tables) { volume = Tables::Find(tables.volumes, id); });
  if (volume == nullptr) return;
  store_->Write(cause::kVolumeDeleted, [&](Tables* tables, std::uint64_t) {
    tables->Erase(*volume);
    return kVolumes;
  });
  // A volume of the configuration may have the same name.
  RetryBlocked({.all = true});
}

Status Scheduler::DeleteClaim(const std::string& id) {
  std::shared_ptr<const VolumeRecord> volume;
  store_->Read([&](const Tables& tables) { volume = FindClaimed(tables, id); });
  if (volume == nullptr) return Error(Code::kNotFound, "claim not found");
  store_->Write(cause::kVolumePut, [&](Tables* tables, std::uint64_t index) {
    auto without = std::make_shared<VolumeRecord>(*volume);
    std::erase_if(without->claims, [&id](const VolumeClaim& claim) { return claim.id == id; });
    without->modify_index = index;
    tables->Put(std::shared_ptr<const VolumeRecord>(std::move(without)));
    return kVolumes;
  });
  return {};
}

}  // namespace drover
