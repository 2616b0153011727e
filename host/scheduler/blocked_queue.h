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

// The queue of blocked evaluations: the highest priority first, then the oldest. It knows the least
// that each evaluation needs, so a little free room does not cause a look at all of them.
class BlockedQueue {
 public:
  struct Entry {
    std::string id;
    // The places that an earlier attempt left open; absent: the whole job must be reconciled.
    std::optional<Unplaced> unplaced;
  };

  // Adds EVAL, or replaces its entry. JOB is its job; null: it has none.
  void Put(const Evaluation& eval, const Job* job, std::optional<Unplaced> unplaced);
  // Removes an evaluation, if it is there.
  void Erase(const std::string& id);
  bool empty() const { return waiting_.empty(); }

 private:
  using Rank = std::tuple<int, std::uint64_t, std::string>;
  using Ranks = std::map<Rank, Entry>;
  struct Known {
    GroupNeeds least;
    Rank rank;
  };

  std::map<GroupNeeds, Ranks> waiting_;  // by the least that they need
  std::map<std::string, Known> known_;   // by evaluation id

 public:
  // Visits the waiting evaluations in their order. The queue must not change meanwhile.
  class Walk {
   public:
    explicit Walk(BlockedQueue* queue);
    // Returns the next evaluation for whose least needs HAS_ROOM is true; null: there is none.
    // HAS_ROOM is not called again for needs for which it was false in this walk.
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
