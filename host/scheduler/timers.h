// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/base/loop.h"

namespace drover {

// All points in time at which the scheduler has to do something. There is one wake-up of the loop
// for all of them, the earliest. The times are of the loop: records have wall times, which are
// converted once, when a timer is set. So a clock that is put forward or back does not change a
// delay. Launches are the exception: see Recheck. [control]
class SchedulerTimers {
 public:
  enum class Kind {
    kFollowUp,    // id: the evaluation that is due
    kDeployment,  // id: the deployment whose deadline may have passed
    kNode,        // id: the node whose heartbeat is overdue, or whose drain goes on
    kLaunch,      // id: LaunchTimerId of the job that starts a child
    kRestart,     // id: the restart of a job whose next batch is due
  };
  using Key = std::pair<Kind, std::string>;

  explicit SchedulerTimers(Loop* loop) : loop_(loop) {}

  // Sets the timer KEY, or sets it anew. A time in the past is due at once.
  void Set(const Key& key, TimePoint at);
  void SetWall(const Key& key, WallTime at);
  void Erase(const Key& key);
  // Returns how long it is until the earliest timer, at most MOST, and never below 0.
  Duration Left(Duration most) const;
  // Removes and returns the timers that are due, the earliest first, and those of one time in the
  // order of their keys. There are at most MOST of them, so that thousands at once do not stop the
  // control thread.
  std::vector<Key> TakeDue(std::size_t most);
  // Returns whether the wall clock has jumped by more than a second since the last call. Then the
  // caller sets the timers of all launches anew. While there are launches, Left returns at most a
  // minute, so that a jump is seen.
  bool Recheck();
  std::size_t size() const { return at_.size(); }

 private:
  // Points into at_. The addresses of the keys must not decide, since they differ from run to run.
  using Due = std::pair<TimePoint, const Key*>;
  struct Earlier {
    bool operator()(const Due& a, const Due& b) const {
      return a.first != b.first ? a.first < b.first : *a.second < *b.second;
    }
  };

  Loop* const loop_;
  std::map<Key, TimePoint> at_;
  std::set<Due, Earlier> order_;
  std::size_t launches_ = 0;
  WallTime offset_ = 0;  // of the wall clock from the loop's, when last seen
};

// The id of the timer for the launches of a job, given as namespace and id, and back. Neither of
// them has the character 0 in it.
inline std::string LaunchTimerId(const std::pair<std::string, std::string>& job) {
  return job.first + '\0' + job.second;
}
inline std::pair<std::string, std::string> JobOfLaunchTimer(const std::string& id) {
  const std::size_t end = id.find('\0');
  return {id.substr(0, end), id.substr(end + 1)};
}

}  // namespace drover
