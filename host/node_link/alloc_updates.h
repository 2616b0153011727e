// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/scheduler/cluster_link.h"

namespace drover {

// The queue of allocation updates from a node to the server. The node sends all waiting updates in
// one batch. An update that changes a client status is urgent: the node sends it as soon as
// UpdatePace::tick has passed since the last batch. Other updates wait for the next
// UpdatePace::slow_tick. The queue holds only the newest update of each allocation. If a batch
// fails, each of its updates is sent again, unless a newer update of the same allocation is
// waiting. Control thread only.
class AllocUpdates {
 public:
  // ALL says that UPDATES has the states of all allocations; see Resend.
  using Send =
      std::function<Co<Status>(Context context, std::vector<AllocUpdate> updates, bool all)>;

  // The pause after a failed batch. A random time up to the same length is added.
  static constexpr Duration kRetry = 5s;

  AllocUpdates(Loop* loop, UpdatePace pace, Send send);

  // Queues UPDATE in place of an older update of the same allocation. Returns at once.
  void Put(AllocUpdate update);
  // Queues STATES, the newest of all allocations, since the server may have other ones for them.
  // The next batch is sent as soon as possible, even if it is empty. Does nothing if such a batch
  // is already queued or under way.
  void Resend(std::vector<AllocUpdate> states);
  // Drops the waiting update and the last status of the allocation ID, which has left this node.
  void Forget(const std::string& id);

  // Sends one batch after the other until CONTEXT ends.
  Co<void> Run(Context context);

  std::size_t waiting() const { return waiting_.size(); }
  std::size_t acknowledged() const { return acknowledged_.size(); }

 private:
  void Wait(AllocUpdate update);
  // Decides again whether the waiting update of ID, if there is one, is urgent.
  void Judge(const std::string& id);
  TimePoint Due() const;
  Co<bool> SendBatch(Context context);
  Co<void> Pause(Context context);

  Loop* const loop_;
  const UpdatePace pace_;
  const Send send_;
  const TimePoint began_;
  TimePoint last_sent_;
  std::map<std::string, AllocUpdate> waiting_;
  std::set<std::string> urgent_;                      // the ids of urgent updates in waiting_
  std::map<std::string, ClientStatus> acknowledged_;  // by allocation, the last accepted status
  // The ids for which Forget was called during a send. If the batch fails, its updates of these
  // ids are not sent again.
  std::set<std::string> forgotten_;
  bool sending_ = false;
  bool resend_ = false;     // the next batch has all states
  bool resending_ = false;  // the batch under way has all states
  Event wake_;
};

}  // namespace drover
