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

// The queue of allocation updates from a node to the server. A change of a client status after a
// quiet time goes at once; further ones gather for a tick. Other updates wait for the next slow
// tick. Only the newest update of an allocation goes. A failed update is sent again, unless there
// is a newer one. Control thread only.
class AllocUpdates {
 public:
  using Send = std::function<Co<Status>(Context context, std::vector<AllocUpdate> updates)>;

  static constexpr Duration kRetry = 5s;  // plus a random time up to the same length

  AllocUpdates(Loop* loop, UpdatePace pace, Send send);

  // Never waits.
  void Put(AllocUpdate update);
  // Drops everything about an allocation that has left this node.
  void Forget(const std::string& id);

  // Sends one batch after the other until CONTEXT ends.
  Co<void> Run(Context context);

  std::size_t waiting() const { return waiting_.size(); }

 private:
  void Wait(AllocUpdate update);
  // Decides again whether the waiting update of ID, if there is one, is urgent.
  void Judge(const std::string& id);
  TimePoint Due() const;
  Co<bool> SendBatch(Context context);

  Loop* const loop_;
  const UpdatePace pace_;
  const Send send_;
  const TimePoint began_;
  TimePoint last_sent_;
  std::map<std::string, AllocUpdate> waiting_;
  std::set<std::string> urgent_;                      // ids in waiting_, to avoid scans of it
  std::map<std::string, ClientStatus> acknowledged_;  // the last that the server accepted
  std::set<std::string> forgotten_;  // during a send: its batch may hold updates of these
  bool sending_ = false;
  Event wake_;
};

}  // namespace drover
