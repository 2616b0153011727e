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

// The queue of blocked evaluations. Evaluations with a higher priority come first. Among
// evaluations of equal priority, older ones come first. The queue stores the events that each
// evaluation waits for. So after a small change only some evaluations must be tried again.
class BlockedQueue {
 public:
  struct Entry {
    std::string id;
    // The allocations that an earlier attempt could not place; absent if the whole job must be
    // evaluated again.
    std::optional<Unplaced> unplaced;
  };

  // Adds EVAL, or replaces its entry. A walk visits EVAL after any event of AWAITED has occurred.
  // If AWAITED is empty, the event is unknown, and each walk may visit EVAL.
  void Put(const Evaluation& eval, std::set<Awaited> awaited, std::optional<Unplaced> unplaced);
  // Removes the evaluation ID if it is in the queue.
  void Erase(const std::string& id);
  bool empty() const { return known_.empty(); }

 private:
  using Rank = std::tuple<int, std::uint64_t, std::string>;
  using Ranks = std::map<Rank, Entry*>;
  struct Known {
    Entry entry;
    Rank rank;
    std::set<Awaited> awaited;
  };

  std::map<Awaited, Ranks> waiting_;    // blocked evaluations, by the event that they wait for
  std::map<std::string, Known> known_;  // by evaluation id

 public:
  // A quick test whether an awaited event seems to have occurred. The test does not evaluate the
  // job.
  using IsThere = std::function<bool(const Awaited&)>;

  // Visits, in the order of the queue, the evaluations whose awaited event may have occurred. The
  // queue must not change during the walk.
  class Walk {
   public:
    // If IS_THERE returns false for an event, the walk does not call IS_THERE again for that
    // event.
    Walk(BlockedQueue* queue, const Freed& freed, IsThere is_there);
    // Returns the next evaluation, or null after the last one.
    Entry* Next();

   private:
    struct Class {
      const Awaited* awaited;
      Ranks::iterator next;
      Ranks::iterator end;
    };
    struct Later {
      bool operator()(const Class& a, const Class& b) const {
        return a.next->first > b.next->first;
      }
    };
    // Adds the evaluations that wait for an event with the same `what`, `port` and `job` as FIRST.
    // If WHAT_ONLY is true, `port` and `job` may differ.
    void Add(std::map<Awaited, Ranks>* waiting, const Awaited& first, bool what_only = false);
    void Push(const Awaited& awaited, Ranks* ranks);

    const IsThere is_there_;
    std::priority_queue<Class, std::vector<Class>, Later> classes_;
    std::optional<Rank> last_;
  };
};

}  // namespace drover
