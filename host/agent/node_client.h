// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "host/agent/alloc_updates.h"
#include "host/alloc/alloc_runner.h"
#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/scheduler/cluster_link.h"

namespace drover {

// Runs on this machine what a server wants run here: registers the node, says that it lives,
// fetches its allocations, gives each a runner, and tells what becomes of them. Control thread
// only.
class NodeClient {
 public:
  using MakeRunner =
      std::function<Result<std::unique_ptr<AllocRunner>>(std::shared_ptr<const Allocation>)>;

  // Hears of each change of an allocation that is here; BEFORE is null at the first.
  using Observe = std::function<void(const AllocSnapshot& before, const AllocState& now)>;

  // LINK outlives this.
  NodeClient(Loop* loop, ClusterLink* link, NodeRecord node, MakeRunner make_runner);
  ~NodeClient();

  // Before Run.
  void SetObserver(Observe observe) { observe_ = std::move(observe); }
  // The allocations that an earlier agent has begun here: they have a runner also when they are to
  // stop. Before Run.
  void SetRestored(std::set<std::string> ids) { restored_ = std::move(ids); }

  // Called when many allocations have gone from here and no further one is on its way, and when
  // many of those that an earlier agent has begun have got their runners, so that what was read of
  // them is not needed any more; Run waits for it.
  using ManyGone = std::function<Co<void>()>;
  static constexpr int kManyGone = 256;
  void SetManyGone(ManyGone many_gone) { many_gone_ = std::move(many_gone); }

  // Until CONTEXT ends; the runners go on.
  Co<void> Run(Context context);
  // Registers the node anew: its drivers have changed.
  void NodeChanged(NodeRecord node);

  // After Run: ends the tasks of all allocations in order and removes their traces. Find finds none
  // of them any more; those who have found one are inside CALLERS, which is closed before it goes.
  Co<Status> DestroyAll(Gate* callers);
  // After Run: leaves the tasks as they are. CALLERS as in DestroyAll.
  Co<void> ShutdownAll(Gate* callers);

  // Null when the allocation is not, or not any more, on this node. Valid until the next co_await.
  AllocRunner* Find(const std::string& alloc_id) const;
  std::vector<std::string> alloc_ids() const;
  std::size_t runners() const { return held_.size(); }

 private:
  class Held;

  Co<void> Introduce(Context context);
  Co<void> KeepAlive(Context context);
  Co<void> Follow(Context context);
  Co<void> Fetch(Context context);
  void Apply(Context context, const NodeAllocs& wanted);
  void StartOne(const std::shared_ptr<const Allocation>& alloc);
  Co<void> DestroyGone(Context context, std::shared_ptr<Held> held);
  static Co<void> InterruptDestroy(Context stop, Context over, std::shared_ptr<Held> held);
  Co<void> DestroyOne(std::shared_ptr<Held> held, Status* first);
  void Report(const AllocState& state);
  // Of an allocation without a runner.
  void Tell(const std::string& alloc_id, AllocStatus status);

  Loop* const loop_;
  ClusterLink* const link_;
  NodeRecord node_;
  const MakeRunner make_runner_;
  Observe observe_;
  std::set<std::string> restored_;
  AllocUpdates updates_;
  std::map<std::string, std::shared_ptr<Held>> held_;
  std::set<std::string> known_;  // what the server wanted when it was last heard
  Event ready_;                  // the server has heard that the node is
  Event node_changed_;           // it has to be registered again
  Gate destroying_;
  ManyGone many_gone_;
  int gone_ = 0;  // since that was called last
};

}  // namespace drover
