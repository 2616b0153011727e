// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "host/alloc/alloc_runner.h"
#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/node_link/alloc_updates.h"
#include "host/node_link/contact_watch.h"
#include "host/node_link/paced_queue.h"
#include "host/scheduler/cluster_link.h"

namespace drover {

// Runs the allocations that a server wants on this machine. It registers the node, sends
// heartbeats, fetches the node's allocations, gives each allocation a runner, and reports their
// states. Control thread only.
class NodeClient {
 public:
  using MakeRunner =
      std::function<Result<std::unique_ptr<AllocRunner>>(std::shared_ptr<const Allocation>)>;

  // Called at each change of an allocation on this node. BEFORE is null at the first change.
  using Observe = std::function<void(const AllocSnapshot& before, const AllocState& now)>;

  // LINK must outlive this object.
  NodeClient(Loop* loop, ClusterLink* link, NodeRecord node, MakeRunner make_runner);
  ~NodeClient();

  // Call SetObserver before Run.
  void SetObserver(Observe observe) { observe_ = std::move(observe); }
  // IDS are the allocations that an earlier agent has begun on this node. Each of them gets a
  // runner, even if the server wants the allocation to stop. Call SetRestored before Run.
  void SetRestored(std::set<std::string> ids) { restored_ = std::move(ids); }

  // Called once, when each allocation of SetRestored has received its runner or has been removed.
  // The records that were read for these allocations are freed by then. COUNT is the number of
  // these allocations.
  using RestoreDone = std::function<void(int count)>;
  void SetRestoreDone(RestoreDone done) { restore_done_ = std::move(done); }

  // Returns when CONTEXT ends. The runners continue.
  Co<void> Run(Context context);
  // Registers the node again, since its record has changed to NODE.
  void NodeChanged(NodeRecord node);

  // Ends the tasks of all allocations gracefully and removes everything that belongs to the
  // allocations. Call DestroyAll after Run. From the call on, Find returns null for every
  // allocation. All work that uses a runner must run inside the gate CALLERS. DestroyAll closes
  // CALLERS before it deletes the runners.
  Co<Status> DestroyAll(Gate* callers);
  // Shuts down the runners but leaves the tasks running. Call it after Run. CALLERS is used as in
  // DestroyAll.
  Co<void> ShutdownAll(Gate* callers);

  // Returns null if the allocation is not, or not any more, on this node. Also returns null if the
  // allocation waits for other allocations to start first. The pointer is valid until the next
  // co_await.
  AllocRunner* Find(const std::string& alloc_id) const;
  std::vector<std::string> alloc_ids() const;
  std::size_t runners() const { return held_.size(); }              // for tests
  std::size_t reported() const { return updates_.acknowledged(); }  // for tests

 private:
  class Held;

  Co<void> Introduce(Context context);
  Co<void> KeepAlive(Context context);
  Co<void> Follow(Context context);
  Co<void> Fetch(Context context);
  void Apply(Context context, const NodeAllocs& wanted);
  // BeginStart and BeginRemoval return false if nothing is left to do for ID.
  bool BeginStart(const std::string& id);
  bool BeginRemoval(Context context, const std::string& id);
  void StartOne(const std::shared_ptr<const Allocation>& alloc);
  // Queues the start of the allocation ID, which is in to_start_, when those of AFTER that are on
  // this node have ended.
  void QueueStart(Context context, const std::string& id, const std::vector<std::string>& after);
  Co<void> QueueAfter(Context context, std::string id, std::vector<std::shared_ptr<Held>> others);
  void Remove(Context context, const std::string& id);
  Co<void> DestroyGone(Context context, std::shared_ptr<Held> held);
  static Co<void> InterruptDestroy(Context stop, Context over, std::shared_ptr<Held> held);
  Co<void> DestroyOne(std::shared_ptr<Held> held, Status* first);
  AllocUpdate UpdateOf(const AllocState& state) const;
  void Report(const AllocState& state);
  // Reports the states of all allocations, since the server has regarded this node as lost.
  void ReportAll();
  // Sends a batch of updates. ALL says that it has the states of all allocations.
  Co<Status> Send(Context context, std::vector<AllocUpdate> updates, bool all);
  // Notes how long the allocation may run without contact to the server.
  void WatchContact(const Allocation& alloc);
  // Stops an allocation that has run without contact for as long as it may.
  void StopWithoutContact(const std::string& id);
  // Reports the status of an allocation that gets no runner.
  void Refuse(const std::string& alloc_id, AllocStatus status);

  Loop* const loop_;
  ClusterLink* const link_;
  NodeRecord node_;
  const MakeRunner make_runner_;
  Observe observe_;
  std::set<std::string> restored_;
  AllocUpdates updates_;
  ContactWatch contact_;
  // Allocations that contact_ has stopped and that the server wants to run. They are reported as
  // lost: they did not complete, and their job decides what becomes of them.
  std::set<std::string> stopped_alone_;
  std::map<std::string, std::shared_ptr<Held>> held_;
  // Allocations that the server wants but that get no runner. Their status is already queued or
  // sent to the server.
  std::set<std::string> refused_;
  Event ready_;                // set after the first heartbeat that the server has answered
  Event beats_;                // set when the next heartbeat must not wait for its time
  bool node_changed_ = false;  // the node must be registered again
  bool fetched_ = false;       // the allocations of SetRestored have their runners
  bool reports_all_ = false;   // ReportAll must be called as soon as they have
  // Allocations that wait for their turn. to_start_ holds allocations that get a runner.
  // to_remove_ holds runners that have ended and must be destroyed.
  std::map<std::string, std::shared_ptr<const Allocation>> to_start_;
  std::map<std::string, std::shared_ptr<Held>> to_remove_;
  PacedQueue starts_;
  PacedQueue removals_;
  Gate destroying_;
  Gate waiting_;  // of starts that wait for the end of other allocations
  RestoreDone restore_done_;
};

}  // namespace drover
