// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/rights.h"

namespace drover {
namespace {

constexpr RightName<Capability> kCapabilityNames[] = {
    {Capability::kDeny, "deny"},
    {Capability::kListJobs, "list-jobs"},
    {Capability::kParseJob, "parse-job"},
    {Capability::kReadJob, "read-job"},
    {Capability::kSubmitJob, "submit-job"},
    {Capability::kDispatchJob, "dispatch-job"},
    {Capability::kReadLogs, "read-logs"},
    {Capability::kReadFs, "read-fs"},
    {Capability::kAllocExec, "alloc-exec"},
    {Capability::kAllocNodeExec, "alloc-node-exec"},
    {Capability::kAllocLifecycle, "alloc-lifecycle"},
    {Capability::kSentinelOverride, "sentinel-override"},
    {Capability::kCsiRegisterPlugin, "csi-register-plugin"},
    {Capability::kCsiWriteVolume, "csi-write-volume"},
    {Capability::kCsiReadVolume, "csi-read-volume"},
    {Capability::kCsiListVolume, "csi-list-volume"},
    {Capability::kCsiMountVolume, "csi-mount-volume"},
    {Capability::kHostVolumeCreate, "host-volume-create"},
    {Capability::kHostVolumeRegister, "host-volume-register"},
    {Capability::kHostVolumeRead, "host-volume-read"},
    {Capability::kHostVolumeWrite, "host-volume-write"},
    {Capability::kHostVolumeDelete, "host-volume-delete"},
    {Capability::kListScalingPolicies, "list-scaling-policies"},
    {Capability::kReadScalingPolicy, "read-scaling-policy"},
    {Capability::kReadJobScaling, "read-job-scaling"},
    {Capability::kScaleJob, "scale-job"},
    {Capability::kSubmitRecommendation, "submit-recommendation"},
};
constexpr RightName<VariableRight> kVariableNames[] = {
    {VariableRight::kDeny, "deny"},       {VariableRight::kList, "list"},
    {VariableRight::kRead, "read"},       {VariableRight::kWrite, "write"},
    {VariableRight::kDestroy, "destroy"},
};
constexpr RightName<VolumeRight> kVolumeNames[] = {
    {VolumeRight::kDeny, "deny"},
    {VolumeRight::kMountReadOnly, "mount-readonly"},
    {VolumeRight::kMountReadWrite, "mount-readwrite"},
};
constexpr RightName<PoolRight> kPoolNames[] = {
    {PoolRight::kDeny, "deny"},
    {PoolRight::kRead, "read"},
    {PoolRight::kWrite, "write"},
    {PoolRight::kDelete, "delete"},
};

constexpr RightSet<Capability> kScaleSet = {Capability::kListScalingPolicies,
                                            Capability::kReadScalingPolicy,
                                            Capability::kReadJobScaling, Capability::kScaleJob};
constexpr RightSet<Capability> kReadSet = {Capability::kListJobs,
                                           Capability::kParseJob,
                                           Capability::kReadJob,
                                           Capability::kCsiListVolume,
                                           Capability::kCsiReadVolume,
                                           Capability::kReadJobScaling,
                                           Capability::kListScalingPolicies,
                                           Capability::kReadScalingPolicy,
                                           Capability::kHostVolumeRead};
constexpr RightSet<Capability> kOnlyWriteSet = {
    Capability::kScaleJob,        Capability::kSubmitJob,
    Capability::kDispatchJob,     Capability::kReadLogs,
    Capability::kReadFs,          Capability::kAllocExec,
    Capability::kAllocLifecycle,  Capability::kCsiMountVolume,
    Capability::kCsiWriteVolume,  Capability::kSubmitRecommendation,
    Capability::kHostVolumeCreate};

constexpr RightSet<Capability> WriteSet() {
  RightSet<Capability> both = kReadSet;
  both.Merge(kOnlyWriteSet);
  return both;
}

constexpr const char* kLevelNames[] = {"", "list", "read", "write", "deny"};
constexpr const char* kAreaNames[] = {"agent", "node", "operator", "quota", "plugin"};

}  // namespace

template <>
std::span<const RightName<Capability>> RightNames<Capability>() {
  return kCapabilityNames;
}
template <>
std::span<const RightName<VariableRight>> RightNames<VariableRight>() {
  return kVariableNames;
}
template <>
std::span<const RightName<VolumeRight>> RightNames<VolumeRight>() {
  return kVolumeNames;
}
template <>
std::span<const RightName<PoolRight>> RightNames<PoolRight>() {
  return kPoolNames;
}

std::optional<RightSet<Capability>> NamespaceWord(std::string_view word) {
  if (word == "deny") return RightSet<Capability>{Capability::kDeny};
  if (word == "read") return kReadSet;
  if (word == "write") return WriteSet();
  if (word == "scale") return kScaleSet;
  return std::nullopt;
}

std::optional<RightSet<VolumeRight>> VolumeWord(std::string_view word) {
  using enum VolumeRight;
  if (word == "deny") return RightSet<VolumeRight>{kDeny};
  if (word == "read") return RightSet<VolumeRight>{kMountReadOnly};
  if (word == "write") return RightSet<VolumeRight>{kMountReadOnly, kMountReadWrite};
  return std::nullopt;
}

std::optional<RightSet<PoolRight>> PoolWord(std::string_view word) {
  if (word == "deny") return RightSet<PoolRight>{PoolRight::kDeny};
  if (word == "read") return RightSet<PoolRight>{PoolRight::kRead};
  if (word == "write") {
    return RightSet<PoolRight>{PoolRight::kRead, PoolRight::kWrite, PoolRight::kDelete};
  }
  return std::nullopt;
}

std::optional<AclLevel> LevelWord(AclArea area, std::string_view word) {
  if (word == "deny") return AclLevel::kDeny;
  if (word == "read") return AclLevel::kRead;
  // Plugins can only be looked at.
  if (word == "list" && area == AclArea::kPlugin) return AclLevel::kList;
  if (word == "write" && area != AclArea::kPlugin) return AclLevel::kWrite;
  return std::nullopt;
}

const char* NameOf(AclArea area) { return kAreaNames[static_cast<int>(area)]; }
const char* NameOf(AclLevel level) { return kLevelNames[static_cast<int>(level)]; }

RightSet<VariableRight> WithImplied(RightSet<VariableRight> rights) {
  if (rights.denies()) return {VariableRight::kDeny};
  if (rights.Has(VariableRight::kRead)) rights.Add(VariableRight::kList);
  return rights;
}

}  // namespace drover
