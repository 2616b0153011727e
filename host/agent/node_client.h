// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "host/agent/alloc_updates.h"
#include "host/agent/paced_queue.h"
#include "host/alloc/alloc_runner.h"
#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/scheduler/cluster_link.h"

namespace drover {

// Runs the allocations that a server wants on this machine: registers the node, sends heartbeats,
// fetches its allocations, gives each a runner, and reports their states. Control thread only.
class NodeClient {
 public:
  using MakeRunner =
      std::function<Result<std::unique_ptr<AllocRunner>>(std::shared_ptr<const Allocation>)>;

  // Called at each change of an allocation on this node; BEFORE is null at its first.
  using Observe = std::function<void(const AllocSnapshot& before, const AllocState& now)>;

  // LINK outlives this.
  NodeClient(Loop* loop, ClusterLink* link, NodeRecord node, MakeRunner make_runner);
  ~NodeClient();

  // Call it before Run.
  void SetObserver(Observe observe) { observe_ = std::move(observe); }
  // IDS are the allocations that an earlier agent has begun here: they get a runner even if they
  // must stop. Call it before Run.
  void SetRestored(std::set<std::string> ids) { restored_ = std::move(ids); }

  // Called once, when the allocations of SetRestored have got their runners, or have gone: the
  // records that were read for them are freed now. COUNT is how many there were.
  using RestoreDone = std::function<void(int count)>;
  void SetRestoreDone(RestoreDone done) { restore_done_ = std::move(done); }

  // Returns when CONTEXT ends; the runners go on.
  Co<void> Run(Context context);
  // Registers the node again, since something about it has changed.
  void NodeChanged(NodeRecord node);

  // After Run: ends the tasks of all allocations in order and removes all their traces. Find finds
  // none of them any more. All users of a runner must be inside CALLERS, which is closed before the
  // runners are deleted.
  Co<Status> DestroyAll(Gate* callers);
  // After Run: leaves the tasks as they are. CALLERS as in DestroyAll.
  Co<void> ShutdownAll(Gate* callers);

  // Null if the allocation is not (any more) on this node, or waits for others to start first.
  // Valid until the next co_await.
  AllocRunner* Find(const std::string& alloc_id) const;
  std::vector<std::string> alloc_ids() const;
  std::size_t runners() const { return held_.size(); }  // for tests

 private:
  class Held;

  Co<void> Introduce(Context context);
  Co<void> KeepAlive(Context context);
  Co<void> Follow(Context context);
  Co<void> Fetch(Context context);
  void Apply(Context context, const NodeAllocs& wanted);
  // Return false if there is nothing to do any more.
  bool BeginStart(const std::string& id);
  bool BeginRemoval(Context context, const std::string& id);
  void StartOne(const std::shared_ptr<const Allocation>& alloc);
  void Remove(Context context, const std::string& id);
  Co<void> DestroyGone(Context context, std::shared_ptr<Held> held);
  static Co<void> InterruptDestroy(Context stop, Context over, std::shared_ptr<Held> held);
  Co<void> DestroyOne(std::shared_ptr<Held> held, Status* first);
  void Report(const AllocState& state);
  // Reports the status of an allocation that gets no runner.
  void Refuse(const std::string& alloc_id, AllocStatus status);

  Loop* const loop_;
  ClusterLink* const link_;
  NodeRecord node_;
  const MakeRunner make_runner_;
  Observe observe_;
  std::set<std::string> restored_;
  AllocUpdates updates_;
  std::map<std::string, std::shared_ptr<Held>> held_;
  std::set<std::string> refused_;  // the server wants them, and knows that they get no runner
  Event ready_;                    // the server knows that the node is ready
  Event node_changed_;             // it must be registered again
  // Waiting for their turn: allocations that get a runner, and runners that have ended and must be
  // destroyed.
  std::map<std::string, std::shared_ptr<const Allocation>> to_start_;
  std::map<std::string, std::shared_ptr<Held>> to_remove_;
  PacedQueue starts_;
  PacedQueue removals_;
  Gate destroying_;
  RestoreDone restore_done_;
};

}  // namespace drover
