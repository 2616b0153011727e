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

// What the allocations of a node have become, on its way to the server. A change of a client status
// after a quiet time goes at once, further ones gather for a tick, all else waits for the next slow
// tick. Only the newest update of an allocation goes; what could not be sent is sent again, unless
// there is a newer one. Control thread only.
class AllocUpdates {
 public:
  using Send = std::function<Co<Status>(Context context, std::vector<AllocUpdate> updates)>;

  static constexpr Duration kRetry = 5s;  // and up to as much again

  AllocUpdates(Loop* loop, UpdatePace pace, Send send);

  // Never waits.
  void Put(AllocUpdate update);
  // The allocation is not this node's any more.
  void Forget(const std::string& id);

  // Sends, one batch after the other, until CONTEXT ends.
  Co<void> Run(Context context);

  std::size_t waiting() const { return waiting_.size(); }

 private:
  void Wait(AllocUpdate update);
  // Finds out anew whether the update of ID that waits, if one does, is urgent.
  void Judge(const std::string& id);
  TimePoint Due() const;
  Co<bool> SendBatch(Context context);

  Loop* const loop_;
  const UpdatePace pace_;
  const Send send_;
  const TimePoint began_;
  TimePoint last_sent_;
  std::map<std::string, AllocUpdate> waiting_;
  std::set<std::string> urgent_;                      // of those, so that nobody looks at all
  std::map<std::string, ClientStatus> acknowledged_;  // what the server was told last
  std::set<std::string> forgotten_;  // while a batch is under way, which may have them
  bool sending_ = false;
  Event wake_;
};

}  // namespace drover
