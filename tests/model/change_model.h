// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/base/time.h"
#include "host/state/tables.h"

namespace drover {

// The rules of what happens when something changes, written down a second time: by what users read
// of them (docs/words-of-change.md), and not by the code that carries them out. The model sees only
// what a server has stored. It says which rule is broken.
//
// It knows jobs with one group "g" of one task "t", whose variable REV says what the task is: a new
// value needs a new allocation, and any other change of the job needs none.
class ChangeModel {
 public:
  // Call it with what was stored at NOW, after each group of writes.
  void Look(const Tables& tables, WallTime now);
  // Returns what is still missing so that each job is as wanted. Call it when nothing is in the
  // way: all nodes are ready, and the newest version of each job works.
  std::vector<std::string> Missing(const Tables& tables) const;

  // The rules that were broken, in words.
  const std::vector<std::string>& broken() const { return broken_; }

  // How long the next replacement of a failed allocation has to wait, by POLICY, after the
  // replacements PAST.
  static Duration NextDelay(const ReschedulePolicy& policy,
                            const std::vector<RescheduleEvent>& past, WallTime failed_at);

 private:
  using Record = std::shared_ptr<const AllocRecord>;
  // The index of an allocation and, for system jobs, its node.
  using Slot = std::pair<std::string, int>;

  // What a deployment has done so far.
  struct Rollout {
    std::set<Slot> begun;    // slots whose older allocation it has stopped
    std::set<Slot> healthy;  // slots in which it has had a healthy allocation
    std::string status;
  };

  // The newest deployment of the newest version of a job; null if it has none.
  static std::shared_ptr<const Deployment> DeploymentOf(const Tables& tables, const JobKey& key);
  static Slot SlotOf(const AllocRecord& record);

  void LookAtNew(const Tables& tables, const AllocRecord& record, WallTime now);
  void LookAtTracker(const AllocRecord& record, const AllocRecord& previous, WallTime now);
  void LookAtChange(const Tables& tables, const AllocRecord& before, const AllocRecord& now_is);
  void LookAtStop(const Tables& tables, const AllocRecord& before, const AllocRecord& stopped);
  void LookAtUpdateStop(const Tables& tables, const AllocRecord& stopped);
  void LookAtSlots(const Tables& tables, const JobKey& key);
  void LookAtWaits(const Tables& tables, const JobKey& key, WallTime now);
  void LookAtDeployments(const Tables& tables, const JobKey& key, WallTime now);
  void LookAtRollout(const Tables& tables, const JobKey& key, const Deployment& deployment);
  void LookAtFailure(const Tables& tables, const JobKey& key, const Deployment& failed);
  void LookAtEvals(const Tables& tables, WallTime now);
  void LookAtStatus(const Tables& tables, const JobKey& key);
  void Break(std::string rule) { broken_.push_back(std::move(rule)); }

  std::map<std::string, Record> seen_;
  std::map<std::string, Rollout> rollouts_;  // by the id of the deployment
  // As they were at the last look: the oldest one goes when a newer one comes.
  std::map<JobKey, std::map<std::uint64_t, std::shared_ptr<const JobRecord>>> versions_;
  std::vector<std::string> broken_;
};

}  // namespace drover
