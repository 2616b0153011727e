// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/listener_list.h"
#include "host/driver/driver.h"
#include "host/driver/prepared_item.h"

namespace drover {

// The driver, as PreparedThings needs it. Each function asks the instance that is in charge.
class PrepareSource {
 public:
  virtual ~PrepareSource() = default;
  virtual Co<Result<std::string>> Key(Context context,
                                      std::shared_ptr<const TaskConfig> config) = 0;
  virtual Co<Result<std::uint64_t>> Prepare(Context context,
                                            std::shared_ptr<const TaskConfig> config,
                                            std::string key, HearProgress hear) = 0;
  virtual Co<Result<std::vector<PreparedItem>>> List(Context context) = 0;
  virtual Co<Status> Remove(Context context, std::string key) = 0;
  // The configurations of all runs that the host knows.
  virtual std::vector<std::shared_ptr<const TaskConfig>> Runs() const = 0;
  // How long a thing stays that no run needs. 0: for ever.
  virtual Duration Age() const = 0;
  virtual void Report(const std::string& what) = 0;
};

// What one driver prepares for tasks before their start. Tasks with the same key wait for one call
// together. Things that no task has used for a while are removed. Control thread only.
class PreparedThings {
 public:
  PreparedThings(Loop* loop, PrepareSource* source);
  ~PreparedThings();
  PreparedThings(const PreparedThings&) = delete;
  PreparedThings& operator=(const PreparedThings&) = delete;

  // Prepares what the task of CONFIG needs. HEAR gets the reports of progress until the call
  // returns, beginning with the newest one. If CONTEXT ends, the call goes on for the other tasks
  // that wait for it, and is given up if there are none.
  Co<Status> Prepare(Context context, std::shared_ptr<const TaskConfig> config, HearProgress hear);
  // Removes what no run needs and has needed for the time Age. If a collection runs already,
  // another one follows.
  void CollectSoon();
  // Reports that the run of CONFIG exists no longer.
  void RunEnded(std::shared_ptr<const TaskConfig> config);
  // Reports that an instance is in charge, which may know things of earlier ones.
  void Begin();
  // Ends everything. Must be called before destruction.
  Co<void> Close();

  // For tests.
  bool has_timer() const { return timer_ != 0; }
  std::size_t active() const { return active_.size(); }

 private:
  // One call of prepare that tasks wait for.
  struct Shared {
    Shared(Loop* loop, const Context& life) : context(life.Child()), done(loop) {}
    Context context;
    Event done;
    Status status;
    int waiting = 0;
    std::optional<TaskProgress> latest;
    ListenerList<const TaskProgress&> hear;
  };

  Co<void> Run(std::shared_ptr<Shared> shared, std::shared_ptr<const TaskConfig> config,
               std::string key);
  Co<void> NoteUse(std::shared_ptr<const TaskConfig> config);
  Co<void> CollectLoop();
  Co<Status> Collect();
  // Adds the keys of all runs that are not in SEEN to KEYS, and the runs to SEEN.
  Co<Status> AddUsedKeys(std::set<std::shared_ptr<const TaskConfig>>* seen,
                         std::set<std::string>* keys);
  void SetTimer(Duration delay);

  Loop* const loop_;
  PrepareSource* const source_;
  std::map<std::string, std::shared_ptr<Shared>> active_;
  std::map<std::string, std::shared_ptr<Event>> removing_;  // set when the removal has ended
  // When each key was last known to be in use, or was first seen without a use.
  std::map<std::string, TimePoint> used_;
  Loop::TimerId timer_ = 0;
  TimePoint due_{};  // of the timer
  bool collecting_ = false;
  bool again_ = false;
  Context life_;
  Gate gate_;
};

}  // namespace drover
