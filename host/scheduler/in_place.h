// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "host/reconcile/in_place_rule.h"
#include "host/state/tables.h"

namespace drover {

// Decides which live allocations of a job can run on when a newer version of the job is wanted.
class InPlaceUpdate {
 public:
  // GROUP is a group of JOB, the newer version. The arguments must outlive this object.
  InPlaceUpdate(const Job& job, const TaskGroup& group, const Tables& tables)
      : job_(job), group_(group), tables_(tables) {}

  // RECORD is a live allocation of the group. Besides what CanUpdateInPlace requires, its node must
  // be one that would also be chosen for a new allocation: in a datacenter, the node pool and the
  // region of the job, and as its constraints require.
  bool Allows(const AllocRecord& record);

 private:
  bool MayStayOn(const std::string& node_id) const;

  const Job& job_;
  const TaskGroup& group_;
  const Tables& tables_;
  // The earlier answers, which are the same for all allocations of one version on one node.
  std::map<std::pair<const Job*, std::string>, bool> answers_;
};

}  // namespace drover
