// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drover/driver.hpp"
#include "drover/signals.hpp"
#include "drover/task_table.hpp"

// The base of a driver whose task is one process of the host's process service. The driver
// overrides Plan, which describes the process. This class implements start, recover, wait, stop,
// signals, statistics and exec. No thread waits for a task.
namespace drover {
inline namespace sdk_v1 {

class ProcessDriver : public Driver {
 public:
  using Driver::Driver;

  // The offers and needs of this class, for the Info of a driver that derives from it.
  static constexpr std::uint64_t kOffers = DROVER_CAP_SIGNALS | DROVER_CAP_EXEC | DROVER_CAP_STATS;
  static constexpr std::uint64_t kNeeds = DROVER_NEEDS_PROCESS_SERVICE;

  // Returns the description of the process that runs TASK. Plan is called on a thread of
  // Lane::kStart and may block. It throws drover::Error to refuse the task.
  virtual ProcessSpec Plan(const TaskConfig& task) = 0;

  // Returns the number of the signal that stops a task. REQUESTED is the name of the signal. By
  // default, an empty name means SIGINT.
  virtual int StopSignal(const std::string& requested) const {
    if (requested.empty()) return SIGINT;
    return NeedSignal(requested);
  }
  // Returns the number of the signal NAME, which is to be sent to the task of RUN.
  virtual int SignalToSend(const RunId& run, const std::string& name) const {
    (void)run;
    return NeedSignal(name);
  }
  // Returns the result of a task, which is then sent to the host. RESULT is the result of the
  // task's process. By default both are the same.
  virtual ExitResult Ended(ExitResult result) const { return result; }

  void StartAsync(TaskConfig task, Call<Started> call) override {
    auto entry = std::make_shared<Task>();
    entry->run = task.run_id;
    if (!tasks_.Insert(entry->run, entry)) {
      throw Error(Code::kFailedPrecondition, "task with ID \"" + task.id + "\" already started");
    }
    try {
      auto config = std::make_shared<TaskConfig>(std::move(task));
      const auto start = [this, config, entry, call] { PlanAndStart(*config, entry, call); };
      host().Post(start, Lane::kStart);
    } catch (...) {
      tasks_.Erase(entry->run, entry);
      throw;
    }
  }

  void RecoverAsync(TaskConfig task, std::optional<TaskHandle> handle,
                    Call<Recovered> call) override {
    (void)handle;  // the run's id is enough to find the process
    if (auto known = tasks_.Find(task.run_id)) return call.Complete(RecoveredAs(*known));
    auto entry = std::make_shared<Task>();
    entry->run = task.run_id;
    host().process().Attach(entry->run, [this, entry, call](Outcome<ProcessState> outcome) {
      if (!outcome.ok()) return call.Fail(outcome.error());
      const ProcessState& state = outcome.value();
      entry->pid = state.pid;
      entry->started_at = state.started_at;
      entry->running = true;
      const bool exited = state.state == TaskState::kExited;
      // The end is set before another recover of the run can find the task.
      if (exited) {
        SetExited(entry, state.exit_result.value_or(ExitResult{-1, 0, false, "unknown result"}));
      }
      // Another recover of the run may have inserted its task meanwhile. That task stays and awaits
      // the end, and this call gets the same answer.
      const bool first = tasks_.Insert(entry->run, entry);
      if (first && !exited) AwaitEnd(entry);
      call.Complete(RecoveredAs(*entry));
    });
  }

  void Wait(Call<ExitResult> call) override {
    auto task = tasks_.Need(call.run_id());
    std::unique_lock<std::mutex> lock(task->mutex);
    if (!task->exited) {
      AddWaiter(&task->waiters, std::move(call));
      return;
    }
    ExitResult result = *task->exited;
    lock.unlock();
    call.Complete(result);
  }

  void StopAsync(StopRequest request, Call<Empty> call) override {
    auto task = tasks_.Need(call.run_id());
    int number = request.timeout.count() > 0 ? StopSignal(request.signal) : SIGKILL;
    {
      std::lock_guard<std::mutex> lock(task->mutex);
      if (task->exited) return call.Complete(Empty{});
    }
    // The timer completes the call if the process cannot be killed, so that the call always ends.
    Duration limit = std::min<Duration>(request.timeout, std::chrono::hours(24 * 365));
    Timer late = host().After(limit + kStopGrace, [call] {
      call.Fail(Error(Code::kTimeout, "the task has not ended 15 s after it was killed"));
    });
    auto finish = [this, task, call, late](Outcome<Empty> outcome) mutable {
      if (!outcome.ok()) {
        late.Cancel();
        if (outcome.error().code() == Code::kNotFound) outcome = Empty{};
        return call.Finish(outcome);
      }
      // The process has ended, but this driver may not know it yet. So wait for the report of the
      // end.
      host().process().Wait(task->run, [this, task, call, late](Outcome<ExitResult> end) mutable {
        late.Cancel();
        if (end.ok()) SetExited(task, end.value());
        call.Complete(Empty{});
      });
    };
    if (request.timeout.count() > 0) {
      host().process().Stop(task->run, number, request.timeout, std::move(finish));
    } else {
      host().process().Kill(task->run, std::move(finish));
    }
  }

  void DestroyAsync(bool force, Call<Empty> call) override {
    auto task = tasks_.Find(call.run_id());
    if (task != nullptr && !force) {
      std::lock_guard<std::mutex> lock(task->mutex);
      if (!task->exited) {
        throw Error(Code::kFailedPrecondition, "cannot destroy running task");
      }
    }
    // Release the run even if it is not in tasks_, for example after a start that failed halfway.
    RunId run = call.run_id();
    bool known = task != nullptr;
    host().process().Release(run, [this, run, known, call](Outcome<Empty> outcome) {
      if (!outcome.ok() && !(known && outcome.error().code() == Code::kNotFound)) {
        return call.Fail(outcome.error());
      }
      auto gone = tasks_.Erase(run);
      if (gone != nullptr) {
        SetExited(gone, ExitResult{-1, SIGKILL, false, "the task was destroyed"});
      }
      call.Complete(Empty{});
    });
  }
  void Destroy(const RunId&, bool, const CallView&) final {}  // never called: see DestroyAsync

  TaskStatus Inspect(const RunId& run) override {
    auto task = tasks_.Need(run);
    std::lock_guard<std::mutex> lock(task->mutex);
    TaskStatus out;
    out.state = task->exited    ? TaskState::kExited
                : task->running ? TaskState::kRunning
                                : TaskState::kUnknown;
    out.started_at = task->started_at;
    out.completed_at = task->completed_at;
    out.exit_result = task->exited;
    out.attributes["pid"] = std::to_string(task->pid);
    return out;
  }

  void SignalAsync(std::string name, Call<Empty> call) override {
    auto task = tasks_.Need(call.run_id());
    int number = SignalToSend(task->run, name);
    {
      std::lock_guard<std::mutex> lock(task->mutex);
      if (task->exited || !task->running) {
        throw Error(Code::kFailedPrecondition, "the task is not running");
      }
    }
    host().process().Signal(task->run, number,
                            [call](Outcome<Empty> outcome) { call.Finish(outcome); });
  }

  void TaskStats(const RunId& run, const StatsRequest& request, Stream<Stats> stream) override {
    auto task = tasks_.Need(run);
    bool processes = request.processes;
    SampleEvery(request.interval, std::move(stream), [this, task, processes](Done<Stats> done) {
      Sample(*task, processes, std::move(done));
    });
  }

  void Exec(ExecRequest request, Call<ExitResult> call) override {
    tasks_.Need(request.run_id);
    std::uint64_t id = call.id();
    // The session is added before the command runs, since the command may end before Exec has
    // returned. The callback keeps the session alive until the command ends.
    auto session = std::make_shared<Session>();
    sessions_.Add(id, session);
    auto running = host().process().Exec(std::move(request),
                                         [this, id, call, session](Outcome<ExitResult> outcome) {
                                           sessions_.Remove(id);
                                           call.Finish(outcome);
                                         });
    {
      std::lock_guard<std::mutex> lock(session->mutex);
      session->exec = running;
    }
    call.OnCancel([running] { running->End(); });
  }

  void Resize(std::uint64_t session_id, int width, int height) override {
    std::shared_ptr<ExecSession> exec;
    if (auto session = sessions_.Find(session_id)) {
      std::lock_guard<std::mutex> lock(session->mutex);
      exec = session->exec;
    }
    if (exec == nullptr) throw Error(Code::kNotFound, "there is no such session");
    exec->Resize(width, height);
  }

 private:
  static constexpr std::chrono::seconds kStopGrace{15};

  struct Task {
    RunId run;
    std::mutex mutex;  // guards the members below
    bool running = false;
    int pid = 0;
    std::int64_t started_at = 0;
    std::int64_t completed_at = 0;
    std::optional<ExitResult> exited;
    std::vector<Call<ExitResult>> waiters;
  };
  struct Session {
    std::mutex mutex;
    std::shared_ptr<ExecSession> exec;
  };

  static int NeedSignal(const std::string& name) {
    auto number = SignalNumber(name);
    if (!number) throw Error(Code::kInvalidArgument, "unknown signal: " + name);
    return *number;
  }

  void PlanAndStart(const TaskConfig& config, const std::shared_ptr<Task>& task,
                    const Call<Started>& call) {
    try {
      if (call.cancelled()) abi::GivenUpInQueue().Throw();
      ProcessSpec spec = Plan(config);
      if (tasks_.Find(task->run) != task) throw Error(Code::kCancelled, "the start was given up");
      host().process().Start(task->run, spec, [this, task, call](Outcome<int> outcome) {
        if (!outcome.ok()) {
          tasks_.Erase(task->run, task);
          return call.Fail(outcome.error());
        }
        if (tasks_.Find(task->run) != task) return ReleaseLate(task, call);
        {
          std::lock_guard<std::mutex> lock(task->mutex);
          task->running = true;
          task->pid = outcome.value();
          task->started_at = WallNow();
        }
        AwaitEnd(task);
        call.Complete(Started{HandleOf(*task), std::nullopt});
      });
    } catch (...) {
      tasks_.Erase(task->run, task);
      call.Fail(abi::CurrentError());
    }
  }

  // Releases a process that was started too late: before the start succeeded, the host gave the
  // start up and destroyed the task.
  void ReleaseLate(const std::shared_ptr<Task>& task, const Call<Started>& call) {
    host().process().Release(task->run, [call](Outcome<Empty>) {
      call.Fail(Error(Code::kCancelled, "the start was given up"));
    });
  }

  Recovered RecoveredAs(Task& task) const {
    std::lock_guard<std::mutex> lock(task.mutex);
    return Recovered{task.exited, HandleOf(task)};
  }

  void AwaitEnd(const std::shared_ptr<Task>& task) {
    host().process().Wait(task->run, [this, task](Outcome<ExitResult> outcome) {
      SetExited(task, outcome.ok() ? outcome.value()
                                   : ExitResult{-1, 0, false, outcome.error().message()});
    });
  }

  void SetExited(const std::shared_ptr<Task>& task, ExitResult result) {
    std::vector<Call<ExitResult>> waiters;
    {
      std::lock_guard<std::mutex> lock(task->mutex);
      if (task->exited) return;
      result = Ended(std::move(result));
      task->running = false;
      task->exited = result;
      task->completed_at = WallNow();
      waiters.swap(task->waiters);
    }
    for (const Call<ExitResult>& waiter : waiters) waiter.Complete(result);
  }

  void Sample(Task& task, bool processes, Done<Stats> done) {
    {
      std::lock_guard<std::mutex> lock(task.mutex);
      if (task.exited) {
        return done(Error(Code::kFailedPrecondition, "the task is not running"));
      }
    }
    host().process().Usage(task.run, processes, std::move(done));
  }

  TaskHandle HandleOf(const Task& task) const {
    Json::Object state;
    state["pid"] = Json(task.pid);
    state["started_at"] = Json(task.started_at);
    return TaskHandle{1, Json(std::move(state)).Text(), ""};
  }

  TaskTable<Task> tasks_;
  abi::OpenTable<Session> sessions_;
};

}  // namespace sdk_v1
}  // namespace drover
