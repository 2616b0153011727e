// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/scratch.h"
#include "host/node/node.h"

namespace drover::bench {

struct LocalNodeOptions {
  std::vector<PluginConfig> more_plugins;  // beside raw_exec and mock_driver
  DriverLimits limits;
};

// A node in this process with the drivers of the build and its directories in SCRATCH. Its tasks
// end with the process, however that ends. Aborts when it cannot be made: there is nothing to
// measure then.
class LocalNode {
 public:
  LocalNode(RealLoop* loop, const Scratch& scratch, LocalNodeOptions options = {});
  ~LocalNode();  // call it when no runner runs any more

  Node* operator->() { return node_.get(); }
  Node* get() { return node_.get(); }
  RealLoop* loop() { return loop_; }
  const std::string& alloc_dir() const { return alloc_dir_; }

 private:
  RealLoop* const loop_;
  const std::string alloc_dir_;
  std::unique_ptr<Node> node_;
};

// Makes a task named "t", which is not restarted. CONFIG_JSON is its configuration.
Task MakeTask(const std::string& driver, const std::string& config_json);
// A batch job of one group with this task.
std::shared_ptr<const Job> MakeJob(Task task);

// One allocation on its way through a node: Start, then the work of a test, then Finish.
class LocalAlloc : public AllocObserver {
 public:
  LocalAlloc(LocalNode* node, std::shared_ptr<const Job> job);
  ~LocalAlloc() override;

  void Start();
  // Asks for its end.
  void Stop();
  // Returns when its state satisfies DONE, or when the allocation has ended.
  Co<void> WaitUntil(std::function<bool(const AllocState&)> done);
  // Waits until task "t" runs or has ended. Returns whether it runs.
  Co<bool> WaitRunning();
  // Waits for its end and removes every trace of it.
  Co<Status> Finish();

  AllocRunner* runner() { return runner_.get(); }
  const Allocation& alloc() const { return *alloc_; }
  // The last known record of task "t", also after Finish.
  const TaskStateRecord& record() const { return *record_; }
  // When the first event of TYPE happened to it; 0: none did.
  WallTime EventTime(std::string_view type) const;
  // When Start was called.
  WallTime started() const { return started_; }

  void OnAllocState(const AllocSnapshot& state) override;

 private:
  LocalNode* const node_;
  std::shared_ptr<const Allocation> alloc_;
  std::unique_ptr<AllocRunner> runner_;
  TaskSnapshot record_;
  WallTime started_ = 0;
  Event changed_;
};

}  // namespace drover::bench
