// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "host/scheduler/evaluating.h"

namespace drover {

// The evaluations that wait for room: those of the highest priority first, of these the oldest. It
// knows what each needs at least, so that who has a little room does not look at all that wait.
class BlockedQueue {
 public:
  struct Entry {
    std::string id;
    // What an earlier look has left to be placed; absent: the whole job must be looked at.
    std::optional<Unplaced> unplaced;
  };

  // Puts EVAL in, or in the place of what is known of it. JOB is its job; null: it has none.
  void Put(const Evaluation& eval, const Job* job, std::optional<Unplaced> unplaced);
  // Takes it out; it need not be there.
  void Erase(const std::string& id);
  bool empty() const { return waiting_.empty(); }

 private:
  using Rank = std::tuple<int, std::uint64_t, std::string>;
  using Ranks = std::map<Rank, Entry>;
  struct Known {
    GroupNeeds least;
    Rank rank;
  };

  std::map<GroupNeeds, Ranks> waiting_;  // by what they need at least
  std::map<std::string, Known> known_;   // by their ids

 public:
  // Goes through those that wait, in their order. The queue must not change meanwhile.
  class Walk {
   public:
    explicit Walk(BlockedQueue* queue);
    // The next one of those of which HAS_ROOM says that there is what they need at least; null:
    // there is none. What has found no room once has none later in the same walk.
    Entry* Next(const std::function<bool(const GroupNeeds&)>& has_room);

   private:
    struct Class {
      const GroupNeeds* least;
      Ranks::iterator next;
      Ranks::iterator end;
    };
    struct Later {
      bool operator()(const Class& a, const Class& b) const {
        return a.next->first > b.next->first;
      }
    };
    std::priority_queue<Class, std::vector<Class>, Later> classes_;
  };
};

}  // namespace drover
