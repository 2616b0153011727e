// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/foreground_run.h"

#include "host/cli/exit_code.h"

namespace drover {

// One allocation: its runner, and the state that the view showed last.
class ForegroundRun::Watched : public AllocObserver {
 public:
  Watched(ForegroundRun* run, std::shared_ptr<const Allocation> alloc)
      : run_(run), alloc_(std::move(alloc)) {}

  Status Start() {
    DROVER_ASSIGN(runner_, run_->node_->MakeRunner(alloc_));
    runner_->AddObserver(this);
    run_->view_->Placed(*alloc_);
    if (run_->options_.logs) {
      LogFollowOptions options;
      options.pool = &run_->log_readers_;
      options.watcher = &run_->log_watcher_;
      logs_ = std::make_unique<LogPrinter>(run_->loop_, run_->view_, alloc_,
                                           run_->node_->LogDir(*alloc_), options);
    }
    runner_->Start();
    return {};
  }

  void OnAllocState(const AllocSnapshot& state) override {
    for (const auto& [task, record] : state->tasks) ShowTask(task, record);
    if (last_ == nullptr || last_->status != state->status) {
      run_->view_->AllocStatus(*alloc_, state->status.status, state->status.description);
    }
    last_ = state;
  }

  void Stop(bool no_delay) {
    auto stopped = std::make_shared<Allocation>(*alloc_);
    stopped->desired_status = DesiredStatus::kStop;
    stopped->desired_description = "interrupted";
    stopped->no_shutdown_delay = no_delay;
    stopped->alloc_modify_index = alloc_->alloc_modify_index + 1;
    alloc_ = std::move(stopped);
    runner_->Update(alloc_);
  }

  AllocRunner* runner() { return runner_.get(); }
  LogPrinter* logs() { return logs_.get(); }
  const Allocation& alloc() const { return *alloc_; }
  bool failed() const {
    return last_ == nullptr || last_->status.status != ClientStatus::kComplete;
  }

 private:
  void ShowTask(const std::string& task, const TaskSnapshot& record) {
    const TaskSnapshot before = last_ ? Find(last_->tasks, task) : nullptr;
    if (before == record) return;
    ShowChange(run_->view_, *alloc_, task, before.get(), *record);
    if (logs_ != nullptr && record->state == RunnerState::kRunning) logs_->Begin(task);
  }

  static TaskSnapshot Find(const TaskStates& states, const std::string& task) {
    const auto found = states.find(task);
    return found == states.end() ? nullptr : found->second;
  }

  ForegroundRun* const run_;
  std::shared_ptr<const Allocation> alloc_;
  std::unique_ptr<AllocRunner> runner_;
  std::unique_ptr<LogPrinter> logs_;
  AllocSnapshot last_;
};

ForegroundRun::ForegroundRun(Loop* loop, Node* node, RunView* view, ForegroundOptions options)
    : loop_(loop), node_(node), view_(view), options_(options), log_watcher_(loop) {}

ForegroundRun::~ForegroundRun() = default;

Co<int> ForegroundRun::Run(std::vector<std::shared_ptr<const Allocation>> allocations) {
  for (auto& alloc : allocations) {
    auto watched = std::make_unique<Watched>(this, std::move(alloc));
    if (const Status started = watched->Start(); !started.ok()) {
      view_->Note(started.error().message());
      cleanup_failed_ = true;
      continue;
    }
    watched_.push_back(std::move(watched));
  }
  // If an interrupt came before the allocations existed, it takes effect here.
  if (interrupts_ > 0) {
    for (const auto& watched : watched_) {
      watched->Stop(interrupts_ > 1);
      if (interrupts_ > 1) watched->runner()->Kill();
    }
  }
  Context looking(loop_);
  Gate background(loop_);
  if (options_.stats) background.Spawn(FollowUsage(looking));

  std::vector<Co<void>> finishing;
  for (const auto& watched : watched_) finishing.push_back(FinishOne(watched.get()));
  co_await InParallel(loop_, std::move(finishing));

  looking.Cancel();
  co_await background.Close();
  bool failed = cleanup_failed_;
  for (const auto& watched : watched_) failed = failed || watched->failed();
  watched_.clear();
  if (interrupts_ > 0) co_return kExitInterrupted;
  co_return failed ? kExitFailed : kExitOk;
}

Co<void> ForegroundRun::FinishOne(Watched* watched) {
  co_await watched->runner()->WaitEnded();
  if (watched->logs() != nullptr) co_await watched->logs()->Finish();
  watched->runner()->RemoveObserver(watched);
  if (options_.keep) {
    view_->Note("kept " + node_->LogDir(watched->alloc()));
    co_await watched->runner()->Shutdown();
  } else if (const Status destroyed = co_await watched->runner()->Destroy(); !destroyed.ok()) {
    view_->Note(destroyed.error().message());
    cleanup_failed_ = true;
  }
  node_->Release(watched->alloc());
}

Co<void> ForegroundRun::FollowUsage(Context context) {
  while (!context.cancelled()) {
    std::vector<RunView::TaskLine> lines;
    for (const auto& watched : watched_) {
      const AllocSnapshot state = watched->runner()->snapshot();
      if (watched->runner()->ended()) continue;
      const Context soon = context.WithTimeout(options_.stats_interval);
      const AllocUsage usage = co_await watched->runner()->Usage(soon, "", UsageDetail::kTotals);
      for (const auto& [task, record] : state->tasks) {
        RunView::TaskLine line;
        line.alloc_name = watched->alloc().name;
        line.task = task;
        line.state = record->state;
        if (const auto sample = usage.tasks.find(task); sample != usage.tasks.end()) {
          line.has_usage = true;
          line.rss = sample->second->total.memory.rss;
          line.cpu_percent = sample->second->total.cpu.percent;
        }
        lines.push_back(std::move(line));
      }
    }
    view_->Usage(lines);
    if (const Status slept = co_await Sleep(context, options_.stats_interval); !slept.ok()) break;
  }
}

void ForegroundRun::Interrupt() {
  ++interrupts_;
  if (interrupts_ == 1) view_->Note("stopping; interrupt again to kill");
  if (interrupts_ == 2) view_->Note("killing");
  if (interrupts_ <= 2) {
    for (const auto& watched : watched_) watched->Stop(interrupts_ == 2);
  }
  if (interrupts_ < 2) return;
  // A second interrupt kills the tasks. The poststop tasks still run after that, but only for their
  // kill timeout, which begins now.
  for (const auto& watched : watched_) watched->runner()->Kill();
  node_->KillAll();
}

}  // namespace drover
