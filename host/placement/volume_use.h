// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "host/state/tables.h"

namespace drover {

// The reason why a node does not fit a group that wants volumes, in the words that clients know.
inline constexpr char kNoVolumes[] = "missing compatible host volumes";

enum class VolumeFit {
  kFits,
  kMissing,  // the node has no such volume, or none that may be used in this way
  kBusy,     // another allocation has the volume, and lets nobody else write
};

// The volumes that allocations use. Tables counts those of placed allocations, this class those
// that an evaluation adds and removes.
class VolumeUse {
 public:
  // Adds the volumes of the allocation INDEX of GROUP, which is a group of JOB, if all of them fit.
  VolumeFit Take(const Tables& tables, const NodeRecord& node, const Job& job,
                 const TaskGroup& group, int index);
  // Removes the volumes of LEAVING, which Tables counts.
  void Give(const Allocation& leaving);

 private:
  struct Change {
    int writers = 0;
    int exclusive = 0;
  };

  VolumeFit Look(const Tables& tables, const NodeRecord& node, const VolumeName& name,
                 const VolumeRequest& request) const;
  void Add(const Job& job, const TaskGroup& group, int index, int sign);

  std::map<VolumeName, Change> changes_;
};

// Adds to TABLES the claims of ALLOC on its sticky volumes, unless its group has them already.
// Returns the tables that it has written to.
TableMask ClaimVolumes(Tables* tables, const Allocation& alloc, std::uint64_t index);

}  // namespace drover
