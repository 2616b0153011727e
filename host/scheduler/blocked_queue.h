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

// The queue of blocked evaluations: the highest priority first, then the oldest. It knows what each
// evaluation waits for, so a small change does not cause a look at all of them.
class BlockedQueue {
 public:
  struct Entry {
    std::string id;
    // The places that an earlier attempt left open; absent: the whole job must be reconciled.
    std::optional<Unplaced> unplaced;
  };

  // Adds EVAL, or replaces its entry. EVAL is visited after one of AWAITED has come; empty: nobody
  // knows what it waits for.
  void Put(const Evaluation& eval, std::set<Awaited> awaited, std::optional<Unplaced> unplaced);
  // Removes an evaluation, if it is there.
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

  std::map<Awaited, Ranks> waiting_;    // by each thing that they wait for
  std::map<std::string, Known> known_;  // by evaluation id

 public:
  // Whether the awaited thing is there, as far as this shows without a look at the whole job.
  using IsThere = std::function<bool(const Awaited&)>;

  // Visits the waiting evaluations for which something may have come, in their order. The queue
  // must not change meanwhile.
  class Walk {
   public:
    // IS_THERE is not called again for a thing for which it was false in this walk.
    Walk(BlockedQueue* queue, const Freed& freed, IsThere is_there);
    // Returns the next evaluation; null: there is none.
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
    // Adds the evaluations that wait for the same thing as FIRST; with WHAT_ONLY, for any port.
    // Their rooms may differ.
    void Add(std::map<Awaited, Ranks>* waiting, const Awaited& first, bool what_only = false);
    void Push(const Awaited& awaited, Ranks* ranks);

    const IsThere is_there_;
    std::priority_queue<Class, std::vector<Class>, Later> classes_;
    std::optional<Rank> last_;
  };
};

}  // namespace drover
