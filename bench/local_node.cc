// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/local_node.h"

#include <sys/stat.h>

#include <cstdio>

#include "host/base/gate.h"

namespace drover::bench {
namespace {

PluginConfig Plugin(const std::string& name, const std::string& config_json) {
  PluginConfig plugin;
  plugin.name = name;
  plugin.config_json = config_json;
  return plugin;
}

Co<void> StartNode(Node* node, Loop* loop) {
  const Context context(loop);
  const std::vector<PluginReport> reports = co_await node->Start(context);
  for (const PluginReport& report : reports) {
    if (report.loaded) continue;
    std::fprintf(stderr, "driver %s: %s\n", report.name.c_str(), report.message.c_str());
    std::abort();
  }
}

}  // namespace

LocalNode::LocalNode(RealLoop* loop, const Scratch& scratch, LocalNodeOptions options)
    : loop_(loop), alloc_dir_(scratch.path() + "/allocs") {
  DROVER_CHECK(mkdir(alloc_dir_.c_str(), 0755) == 0);
  NodeOptions node_options;
  node_options.foreground = true;
  node_options.config.client.alloc_dir = alloc_dir_;
  node_options.config.client.run_dir = scratch.run_dir();
  node_options.config.plugin_dirs = {DROVER_BENCH_PLUGINS};
  node_options.config.plugins = {Plugin("raw_exec", R"({"enabled": true})"),
                                 Plugin("mock_driver", "{}")};
  for (PluginConfig& plugin : options.more_plugins) {
    node_options.config.plugins.push_back(std::move(plugin));
  }
  node_options.driver_limits = options.limits;
  Result<std::unique_ptr<Node>> node = Node::Create(loop, std::move(node_options));
  if (!node.ok()) {
    std::fprintf(stderr, "the node cannot be made: %s\n", node.error().message().c_str());
    std::abort();
  }
  node_ = std::move(*node);
  DROVER_CHECK(loop->RunToEnd(StartNode(node_.get(), loop)));
}

LocalNode::~LocalNode() { DROVER_CHECK(loop_->RunToEnd(node_->Shutdown())); }

Task MakeTask(const std::string& driver, const std::string& config_json) {
  Task task;
  task.name = "t";
  task.driver = driver;
  task.config_json = config_json;
  return task;
}

std::shared_ptr<const Job> MakeJob(Task task) {
  auto job = std::make_shared<Job>();
  job->id = job->name = "load";
  job->type = JobType::kBatch;
  TaskGroup group;
  group.name = "g";
  group.restart_policy.attempts = 0;
  group.tasks.push_back(std::move(task));
  job->groups.push_back(std::move(group));
  return job;
}

LocalAlloc::LocalAlloc(LocalNode* node, std::shared_ptr<const Job> job)
    : node_(node), record_(std::make_shared<TaskStateRecord>()), changed_(node->loop()) {
  auto placed = (*node)->Place(std::move(job));
  DROVER_CHECK(placed.ok() && placed->size() == 1);
  alloc_ = placed->front();
  auto runner = (*node)->MakeRunner(alloc_);
  DROVER_CHECK(runner.ok());
  runner_ = std::move(*runner);
  runner_->AddObserver(this);
}

LocalAlloc::~LocalAlloc() { runner_->RemoveObserver(this); }

void LocalAlloc::Start() {
  started_ = WallNow();
  runner_->Start();
}

void LocalAlloc::Stop() {
  auto stopped = std::make_shared<Allocation>(*alloc_);
  stopped->desired_status = DesiredStatus::kStop;
  stopped->alloc_modify_index = alloc_->alloc_modify_index + 1;
  alloc_ = std::move(stopped);
  runner_->Update(alloc_);
}

Co<void> LocalAlloc::WaitUntil(std::function<bool(const AllocState&)> done) {
  for (;;) {
    const AllocSnapshot state = runner_->snapshot();
    if (done(*state) || runner_->ended() || state->terminal()) co_return;
    changed_.Reset();
    co_await changed_.Wait();
  }
}

Co<bool> LocalAlloc::WaitRunning() {
  std::function<bool(const AllocState&)> running = [this](const AllocState&) {
    return record_->state == RunnerState::kRunning;
  };
  co_await WaitUntil(std::move(running));
  co_return record_->state == RunnerState::kRunning;
}

Co<Status> LocalAlloc::Finish() {
  co_await runner_->WaitEnded();
  const Status destroyed = co_await runner_->Destroy();
  (*node_)->Release(*alloc_);
  co_return destroyed;
}

WallTime LocalAlloc::EventTime(std::string_view type) const {
  for (const TaskEvent& event : record_->events) {
    if (event.type == type) return event.time;
  }
  return 0;
}

void LocalAlloc::OnAllocState(const AllocSnapshot& state) {
  if (const auto task = state->tasks.find("t"); task != state->tasks.end()) record_ = task->second;
  changed_.Set();
}

}  // namespace drover::bench
