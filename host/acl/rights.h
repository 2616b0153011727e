// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace drover {

// What a policy may grant in a namespace. The names are those of Nomad; see RightNames.
enum class Capability {
  kDeny,
  kListJobs,
  kParseJob,
  kReadJob,
  kSubmitJob,
  kDispatchJob,
  kReadLogs,
  kReadFs,
  kAllocExec,
  kAllocNodeExec,
  kAllocLifecycle,
  kSentinelOverride,
  kCsiRegisterPlugin,
  kCsiWriteVolume,
  kCsiReadVolume,
  kCsiListVolume,
  kCsiMountVolume,
  kHostVolumeCreate,
  kHostVolumeRegister,
  kHostVolumeRead,
  kHostVolumeWrite,
  kHostVolumeDelete,
  kListScalingPolicies,
  kReadScalingPolicy,
  kReadJobScaling,
  kScaleJob,
  kSubmitRecommendation,
};

// What a policy may grant for paths of variables.
enum class VariableRight { kDeny, kList, kRead, kWrite, kDestroy };
// What a policy may grant for host volumes.
enum class VolumeRight { kDeny, kMountReadOnly, kMountReadWrite };
// What a policy may grant for node pools.
enum class PoolRight { kDeny, kRead, kWrite, kDelete };

// The parts of an agent for which a policy grants a level.
enum class AclArea { kAgent, kNode, kOperator, kQuota, kPlugin };
inline constexpr int kAclAreas = 5;
// The levels of an area. Each level includes the levels before it, except that kDeny grants
// nothing. kUnset means that no policy has a rule for the area, which grants nothing either.
enum class AclLevel { kUnset, kList, kRead, kWrite, kDeny };

// A set of rights of one kind, with one bit for each.
template <typename Right>
class RightSet {
 public:
  constexpr RightSet() = default;
  constexpr RightSet(std::initializer_list<Right> rights) {  // NOLINT: a list is a set
    for (const Right right : rights) Add(right);
  }

  constexpr bool Has(Right right) const { return (bits_ & BitOf(right)) != 0; }
  constexpr bool denies() const { return Has(Right::kDeny); }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr void Add(Right right) { bits_ |= BitOf(right); }
  // Adds the rights of OTHER. If one of the sets denies, the result denies and has no other right.
  constexpr void Merge(RightSet other) {
    bits_ |= other.bits_;
    if (denies()) bits_ = BitOf(Right::kDeny);
  }
  // Returns whether the sets have a right in common.
  constexpr bool HasAnyOf(RightSet other) const { return (bits_ & other.bits_) != 0; }

  constexpr bool operator==(const RightSet&) const = default;

 private:
  static constexpr std::uint64_t BitOf(Right right) {
    return std::uint64_t{1} << static_cast<unsigned>(right);
  }
  std::uint64_t bits_ = 0;
};

template <typename Right>
struct RightName {
  Right right;
  const char* name;
};

// Returns the names of all rights of a kind, in the order of the enumeration.
template <typename Right>
std::span<const RightName<Right>> RightNames();
template <>
std::span<const RightName<Capability>> RightNames<Capability>();
template <>
std::span<const RightName<VariableRight>> RightNames<VariableRight>();
template <>
std::span<const RightName<VolumeRight>> RightNames<VolumeRight>();
template <>
std::span<const RightName<PoolRight>> RightNames<PoolRight>();

template <typename Right>
std::optional<Right> RightNamed(std::string_view name) {
  for (const RightName<Right>& one : RightNames<Right>()) {
    if (name == one.name) return one.right;
  }
  return std::nullopt;
}

// Returns the rights for which the word of a policy ("read", "write" ...) stands, or nothing if
// the word means nothing for this kind of rights.
std::optional<RightSet<Capability>> NamespaceWord(std::string_view word);
std::optional<RightSet<VolumeRight>> VolumeWord(std::string_view word);
std::optional<RightSet<PoolRight>> PoolWord(std::string_view word);
// Returns the level of AREA for which the word stands, or nothing if it means nothing there.
std::optional<AclLevel> LevelWord(AclArea area, std::string_view word);

const char* NameOf(AclArea area);
const char* NameOf(AclLevel level);  // empty for kUnset

// A right to read variables includes the right to list them. Other sets stay as they are.
RightSet<VariableRight> WithImplied(RightSet<VariableRight> rights);

}  // namespace drover
