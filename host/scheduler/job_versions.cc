// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/job_versions.h"

#include <utility>

namespace drover {
namespace {

constexpr std::size_t kMaxNameBytes = 128;
constexpr std::size_t kMaxDescriptionBytes = 1000;

Status CheckTag(const VersionTag& tag) {
  if (tag.name.empty()) return Error(Code::kInvalidArgument, "the tag must have a name");
  if (tag.name.size() > kMaxNameBytes) {
    return Error(Code::kInvalidArgument,
                 "the name of a tag has at most " + std::to_string(kMaxNameBytes) + " bytes");
  }
  if (tag.description.size() > kMaxDescriptionBytes) {
    return Error(Code::kInvalidArgument, "the description of a tag has at most " +
                                             std::to_string(kMaxDescriptionBytes) + " bytes");
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const JobRecord>> FindVersion(const Tables& tables, const JobKey& key,
                                                     std::optional<std::uint64_t> number) {
  const auto newest = Tables::Find(tables.jobs, key);
  if (newest == nullptr) return Error(Code::kNotFound, "job not found");
  if (!number) return newest;
  const auto version = Tables::Find(tables.versions.at(key), *number);
  if (version != nullptr) return version;
  return Error(Code::kNotFound, "job \"" + key.second + "\" in namespace \"" + key.first +
                                    "\" at version " + std::to_string(*number) + " not found");
}

Result<JobRecord> WithTag(const Tables& tables, const JobKey& key,
                          std::optional<std::uint64_t> number, VersionTag tag) {
  DROVER_TRY(CheckTag(tag));
  DROVER_ASSIGN(const std::shared_ptr<const JobRecord> version, FindVersion(tables, key, number));
  std::size_t tagged = 0;
  for (const auto& [other, record] : tables.versions.at(key)) {
    if (!record->tag || other == version->version) continue;
    ++tagged;
    if (record->tag->name != tag.name) continue;
    return Error(Code::kInvalidArgument, "version tag \"" + tag.name +
                                             "\" already exists on a different version, " +
                                             std::to_string(other) + ": remove it there first");
  }
  if (tagged >= kMaxTaggedVersions) {
    return Error(Code::kInvalidArgument, "the job has " + std::to_string(tagged) +
                                             " tagged versions, which is the most: remove a tag");
  }
  JobRecord changed = *version;
  changed.tag = std::move(tag);
  return changed;
}

Result<JobRecord> WithoutTag(const Tables& tables, const JobKey& key, const std::string& name) {
  DROVER_TRY(FindVersion(tables, key, std::nullopt));
  for (const auto& [number, record] : tables.versions.at(key)) {
    if (!record->tag || record->tag->name != name) continue;
    JobRecord changed = *record;
    changed.tag.reset();
    return changed;
  }
  return Error(Code::kNotFound, "tag \"" + name + "\" not found");
}

Result<JobRecord> WithStability(const Tables& tables, const JobKey& key, std::uint64_t number,
                                bool stable) {
  DROVER_ASSIGN(const std::shared_ptr<const JobRecord> version, FindVersion(tables, key, number));
  JobRecord changed = *version;
  changed.stable = stable;
  return changed;
}

}  // namespace drover
