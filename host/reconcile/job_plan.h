// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/spec/allocation.h"
#include "host/state/records.h"

namespace drover {

// The steps that bring the allocations of one group in line with the job. Records in lists are
// never null.
struct GroupPlan {
  struct Stop {
    std::shared_ptr<const AllocRecord> alloc;
    std::string description;
    bool for_new = false;  // `alloc` runs on unless its replacement in `place` will find room
    // What the scheduler itself reports for the allocation, since its node cannot: lost.
    std::optional<ClientStatus> reports = {};
  };
  struct Place {
    int index = 0;                                // the index in the allocation's name
    std::shared_ptr<const AllocRecord> replaces;  // null if the new allocation replaces none
    // `replaces` must stop first, but only if the new allocation will find room.
    bool stops = false;
    bool canary = false;
    bool rescheduled = false;    // counts in the tracker; see AfterReschedule
    bool lost = false;           // the node of `replaces` is lost
    bool in_deployment = false;  // the allocation gets the id of the plan's deployment
    std::string node_id = {};    // the only node where it may be; empty: any (not for system jobs)
    // The version to place, an older one while canaries are not promoted; null: the wanted one.
    std::shared_ptr<const JobRecord> job = nullptr;
  };
  struct FollowUp {
    std::shared_ptr<const AllocRecord> alloc;
    // When the evaluation is due. All follow-ups of a plan with the same time and cause share one
    // evaluation.
    WallTime at = 0;
    std::string triggered_by;  // "alloc-failure" or "max-disconnect-timeout"
  };
  std::vector<Stop> stop;
  std::vector<Place> place;
  AllocRecords update;      // allocations that get the new job and run on
  AllocRecords disconnect;  // become unknown
  AllocRecords reconnect;   // an unknown one has come back and stays; gets one more state
  std::vector<FollowUp> follow_ups;
  int ignore = 0;
  int destructive = 0;  // how many of `place` replace an allocation that cannot take over the job
  int migrate = 0;      // how many of `place` replace an allocation that was asked to leave
  int canaries = 0;     // how many of `place` are canaries
  bool waits = false;   // something is left for when an allocation is healthy, or for a request
};

struct JobPlan {
  std::map<std::string, GroupPlan> groups;  // by name
  // The job's new deployment, or its current one after a change; absent if there is no change.
  // A new one has an empty id and no indexes.
  std::optional<Deployment> deployment;
  // An older deployment that ends because of this plan; absent if none.
  std::optional<Deployment> ended;
};

}  // namespace drover
