// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/placement/awaited.h"
#include "host/placement/constraint.h"
#include "host/placement/device_use.h"
#include "host/placement/placement.h"
#include "host/placement/preemption.h"
#include "host/placement/volume_use.h"

namespace drover {

// The parts of a node that an allocation has alone.
struct TakenParts {
  ReservedCores cores;
  AllocatedDevices devices;
  std::shared_ptr<const NodeRecord> node = nullptr;  // that has them
  AllocRecords preempted = {};  // must end first: the allocation has their room
};

// Returns the failure for a port that could not be taken. TAKEN is the static port that is in use;
// null if no dynamic port is free.
NoPlace NoPort(const Error& error, const TakenPort* taken);

struct RoomOptions {
  PortsOf ports_of = {};  // empty if ports are not looked at
  // Who may displace others. Nobody if absent.
  std::optional<PreemptionConfig> preemption = {};
};

// The free room on all nodes that are ready and eligible. Several evaluations, one after another,
// take room from the same object. Of the nodes that fit, the one with the fewest allocations of the
// group is taken, then the one with the most free memory.
class Room {
 public:
  // TABLES must outlive this object.
  explicit Room(const Tables& tables, RoomOptions options = {});

  // Returns whether no node is ready.
  bool empty() const { return sites_.empty(); }
  // A quick test whether some node has what an evaluation waits for, which is room and perhaps a
  // port. The room may be that of allocations with a lower priority.
  bool HasSome(const Awaited& awaited);
  // Returns the priority of JOB if it may displace others; otherwise 0. [see Awaited]
  int Displaces(const Job& job) const;

  // Takes room for the allocation INDEX of GROUP, which is a group of JOB, on the node NODE_ID, or
  // on any if that is empty. Counts the allocation in HERE, and sets PARTS to its node, cores and
  // devices. If there is no room, returns the reason and takes nothing. If TakeAfter has been
  // called for this allocation before, COUNTED must be true.
  std::optional<NoPlace> Take(const Job& job, const TaskGroup& group, int index, GroupCounts* here,
                              TakenParts* parts, bool counted, const std::string& node_id = {});
  // Like Take, but takes the room that the nodes will have after the stopped allocations and
  // LEAVING have ended.
  std::optional<NoPlace> TakeAfter(const Allocation& leaving, const Job& job,
                                   const TaskGroup& group, int index, GroupCounts* here,
                                   const std::string& node_id = {});
  // Adds the room of LEAVING, which will stop, to `later`.
  void WillLeave(const Allocation& leaving);
  // From now on nothing displaces the allocation ID, since an evaluation has changed it.
  void Spare(const std::string& id) { preempted_.insert(id); }
  // Begins a new evaluation, which has not stopped any allocation yet.
  void Begin();
  // Returns FAILURE with three more facts: the node pool of JOB, the number of nodes in it, and the
  // number of available nodes by datacenter.
  PlacementFailure Described(const Job& job, PlacementFailure failure) const;

 private:
  struct Free {
    NodeCapacity capacity;
    VolumeUse volumes;
    DeviceUse devices;
  };
  struct Site {
    std::shared_ptr<const NodeRecord> node;
    Free free;
    // What is free after all allocations that this evaluation stops have ended.
    Free later;
  };
  // The open allocations of a job on each node, by group. A constraint that limits the allocations
  // with one property counts those of each node by themselves.
  using NodeCounts = std::map<std::string, GroupCounts>;

  // Returns the sites in the order in which they are tried.
  std::vector<Site*> Choose(const Job& job, const TaskGroup& group, const std::string& node_id);
  NodeCounts& CountsOf(const Job& job);
  // Returns the usage of a node; null if there is none.
  const NodeUsage* Usage(const NodeRecord& node) const;
  // HERE has the open allocations on the site. If there are several nodes, ENDS, which may be null,
  // does not count for a property that nodes share.
  std::optional<NoPlace> TakeOf(const Site& site, Free* from, const Job& job,
                                const TaskGroup& group, int index, const GroupCounts& here,
                                const Allocation* ends, TakenParts* parts);
  // Returns HERE, the counts of NODE, and those of all other nodes with the same value of PROPERTY.
  GroupCounts Alike(const Job& job, const NodeRecord& node, const GroupCounts& here,
                    const Allocation* ends, const std::string& property);
  // Returns the static port of GROUP that is taken on a node. LEAVING, if it is not null, ends.
  std::optional<TakenPort> FindTaken(const TaskGroup& group, const Site& site,
                                     const Allocation* leaving) const;
  // Returns whether a site has what is awaited after all that may be displaced has ended.
  bool HasWithOthers(const Site& site, const Awaited& awaited);
  void TakeLater(Site* site, const Job& job, const TaskGroup& group, int index) const;
  // Takes room of allocations with a lower priority, if the job may have it.
  bool TakeOfOthers(const std::vector<Site*>& sites, const Job& job, const TaskGroup& group,
                    int index, const GroupCounts& here, TakenParts* parts);
  void CountTaken(const Job& job, const TaskGroup& group, const std::string& node_id,
                  GroupCounts* here);

  const Tables* tables_;
  RoomOptions options_;
  // Whether there are several nodes, also if one of them is ready.
  bool several_ = false;
  std::vector<Site> sites_;
  std::map<JobKey, NodeCounts> counts_;  // empty if there is one node
  std::set<std::string> preempted_;  // ids of allocations whose room is taken already, or spared
  // The resources that may be displaced on each node, by priority. [filled as needed]
  std::map<std::string, std::map<int, GroupNeeds>> displaceable_;
  std::string after_;  // the node of the last TakeAfter
};

}  // namespace drover
