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

// The evaluations that wait for a place: those of the highest priority first, of these the oldest.
// It knows what each waits for, so that who leaves something behind does not look at all that wait.
class BlockedQueue {
 public:
  struct Entry {
    std::string id;
    // What an earlier look has left to be placed; absent: the whole job must be looked at.
    std::optional<Unplaced> unplaced;
  };

  // Puts EVAL in, or in the place of what is known of it. AWAITED: it is looked at when one of them
  // has come; empty: nobody knows what it waits for.
  void Put(const Evaluation& eval, std::set<Awaited> awaited, std::optional<Unplaced> unplaced);
  // Takes it out; it need not be there.
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
  std::map<std::string, Known> known_;  // by their ids

 public:
  // Whether what is awaited is there, as far as that can be said without a look at the whole job.
  using IsThere = std::function<bool(const Awaited&)>;

  // Goes through those that wait for something that may have come, in their order. The queue must
  // not change meanwhile.
  class Walk {
   public:
    // What is not there once is not there later in the same walk.
    Walk(BlockedQueue* queue, const Freed& freed, IsThere is_there);
    // The next one; null: there is none.
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
    // Those that wait for the same as FIRST, but for another room, or port if WHAT_ONLY.
    void Add(std::map<Awaited, Ranks>* waiting, const Awaited& first, bool what_only = false);
    void Push(const Awaited& awaited, Ranks* ranks);

    const IsThere is_there_;
    std::priority_queue<Class, std::vector<Class>, Later> classes_;
    std::optional<Rank> last_;
  };
};

}  // namespace drover
