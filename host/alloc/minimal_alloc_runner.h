// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/alloc/alloc_runner.h"
#include "host/base/event.h"

namespace drover {

// The smallest allocation runner that fulfills the contract of AllocRunner. Each task is only a
// state, running or dead. This class shows that a runner can do without drivers, directories and a
// coordinator. The tests of the contract also check this class.
class MinimalAllocRunner : public AllocRunner {
 public:
  MinimalAllocRunner(Loop* loop, std::shared_ptr<const Allocation> alloc);

  const std::string& id() const override { return alloc_->id; }
  void Start() override;
  bool ended() const override { return ended_.is_set(); }
  Co<void> WaitEnded() override { return ended_.Wait(); }
  void Update(std::shared_ptr<const Allocation> alloc) override;
  void Kill() override {
    if (started_) StopAll();
  }
  Co<Status> Destroy() override;
  Co<void> Shutdown() override;
  AllocSnapshot snapshot() const override { return snapshot_; }
  void AddObserver(AllocObserver* observer) override { observers_.push_back(observer); }
  void RemoveObserver(AllocObserver* observer) override { std::erase(observers_, observer); }
  Co<Status> RestartTask(std::string task) override;
  Co<Status> RestartRunning() override;
  Co<Status> RestartAll() override;
  Co<Status> Signal(std::string task, std::string signal) override;
  Co<Status> Pause(std::string task, bool paused) override;
  Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, std::string task,
                                                    ExecRequest request) override;
  Co<AllocUsage> Usage(Context context, std::string task, UsageDetail detail) override;

  // For tests: all tasks end by themselves, with success or not, or a health watcher decides.
  void End(bool failed);
  void Judge(bool healthy);

 protected:
  // Instead of Start: the tasks had ended as in TASKS before the runner was made.
  void StartEnded(TaskStates tasks);

 private:
  void Change(const std::string& task, RunnerState state, bool restarted = false);
  void StopAll();
  void Publish();
  bool stopped() const;

  Loop* const loop_;
  std::shared_ptr<const Allocation> alloc_;
  TaskStates tasks_;
  AllocSnapshot snapshot_;
  std::optional<AllocHealth> health_;
  std::vector<AllocObserver*> observers_;
  Event ended_;
  bool started_ = false;
};

}  // namespace drover
