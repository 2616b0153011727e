// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "config/text.h"
#include "container/names.h"
#include "driver/docker_driver.h"
#include "drover/signals.hpp"
#include "engine/json_read.h"

namespace drover_docker {
namespace {

using drover::Code;
using drover::Empty;
using drover::Error;
using drover::ExitResult;

constexpr std::chrono::seconds kStopGrace{5};  // the host waits for 10 s
constexpr std::chrono::seconds kStartWait{20};
constexpr std::chrono::hours kLongestStop{24 * 365};
constexpr int kLastSignal = 64;
const char kDefaultSignal[] = "SIGTERM";

std::string SignalName(const std::string& name) {
  if (!drover::SignalNumber(name)) Invalid("unknown signal: " + Quoted(name));
  return HasPrefix(name, "SIG") ? name : "SIG" + name;
}

// Returns the stop signal of the image, in a form that engines take. Podman reports its number.
std::string StopSignalOf(const ContainerInfo& info) {
  const std::string text = TextAt(info.raw, {"Config", "StopSignal"});
  if (drover::SignalNumber(text)) return SignalName(text);
  const bool number = !text.empty() && text.size() <= 2 && text[0] != '0' &&
                      text.find_first_not_of("0123456789") == std::string::npos &&
                      std::stoi(text) <= kLastSignal;
  const bool real_time = HasPrefix(text, "SIGRTMIN") || HasPrefix(text, "SIGRTMAX");
  return number || real_time ? text : kDefaultSignal;
}

}  // namespace

void DockerDriver::Watch(const TaskPtr& task) {
  std::string id;
  {
    std::lock_guard<std::mutex> lock(task->mutex);
    id = task->container;
  }
  std::weak_ptr<DockerTask> weak = task;
  const std::uint64_t number =
      engine_->watch().Await(id, [this, weak](drover::Outcome<ContainerInfo> found) {
        if (auto ended = weak.lock()) ContainerEnded(ended, found);
      });
  std::lock_guard<std::mutex> lock(task->mutex);
  task->watch = number;
}

void DockerDriver::ContainerEnded(const TaskPtr& task,
                                  const drover::Outcome<ContainerInfo>& found) {
  if (closing_.cancelled()) return;  // the task goes on without this instance
  if (found.ok()) return EndTask(task, found.value().Exit());
  if (found.error().code() == Code::kCancelled) return;
  EndTask(task, ExitResult{-1, 0, false,
                           "the container of the task is gone: " + found.error().message()});
}

// The end is told when the last output is with the host, so that nobody misses it.
void DockerDriver::EndTask(const TaskPtr& task, const ExitResult& result) {
  std::shared_ptr<LogCopy> logs;
  {
    std::lock_guard<std::mutex> lock(task->mutex);
    if (task->exited || std::exchange(task->ending, true)) return;
    logs = task->logs;
  }
  if (logs == nullptr) return SetExited(task, result);
  std::weak_ptr<DockerTask> weak = task;
  logs->Finish([this, weak, result] {
    if (auto ended = weak.lock()) SetExited(ended, result);
  });
}

void DockerDriver::SetExited(const TaskPtr& task, const ExitResult& result) {
  std::vector<drover::Call<ExitResult>> waiters;
  std::vector<drover::Call<Empty>> stoppers;
  {
    std::lock_guard<std::mutex> lock(task->mutex);
    if (task->exited) return;
    task->exited = result;
    task->completed_at = drover::WallNow();
    waiters.swap(task->waiters);
    stoppers.swap(task->stoppers);
    task->changed.notify_all();
  }
  for (const auto& waiter : waiters) waiter.Complete(result);
  for (const auto& stopper : stoppers) stopper.Complete(Empty{});
}

void DockerDriver::StopAsync(drover::StopRequest request, drover::Call<Empty> call) {
  auto task = tasks_.Need(call.run_id());
  {
    std::lock_guard<std::mutex> lock(task->mutex);
    if (task->exited) return call.Complete(Empty{});
    if (task->container.empty()) {
      throw Error(Code::kFailedPrecondition, "the task has not started yet");
    }
  }
  host().Post(
      [this, task, request, call] {
        try {
          StopContainer(task, request, call);
        } catch (const Error& error) {
          call.Fail(error);
        }
      },
      drover::Lane::kStop);
}

void DockerDriver::StopContainer(const TaskPtr& task, const drover::StopRequest& request,
                                 const drover::Call<Empty>& call) {
  const CancelToken cancel = CancelOf(call);
  std::string id;
  std::string signal = request.signal;
  {
    std::lock_guard<std::mutex> lock(task->mutex);
    id = task->container;
    if (signal.empty()) signal = task->stop_signal;
  }
  ContainerInfo info;
  try {
    info = engine_->InspectContainer(id, cancel);
  } catch (const EngineError& error) {
    if (!error.not_found()) throw;
    EndTask(task, ExitResult{-1, 0, false, "the container of the task is gone"});
    return call.Complete(Empty{});
  }
  if (info.ended()) {
    EndTask(task, info.Exit());
  } else {
    const bool known = drover::SignalNumber(signal).has_value();
    signal = known ? SignalName(signal) : StopSignalOf(info);
    const bool at_once = request.timeout.count() <= 0;
    // The engine delivers no signal to a container that is paused.
    if (info.paused) engine_->UnpauseContainer(id, cancel);
    try {
      engine_->KillContainer(id, at_once ? "SIGKILL" : signal, cancel);
    } catch (const EngineError& error) {
      if (at_once || known || signal == kDefaultSignal || error.not_found()) throw;
      host().Log(drover::LogLevel::kWarn, task->run,
                 "the stop signal of the image is not delivered, and SIGTERM is sent instead: " +
                     error.message());
      engine_->KillContainer(id, kDefaultSignal, cancel);
    }
    const drover::Duration limit = std::min<drover::Duration>(request.timeout, kLongestStop);
    if (!at_once) {
      std::weak_ptr<DockerTask> weak = task;
      host().After(limit, [this, weak] {
        if (auto late = weak.lock()) KillNow(late);
      });
    }
    host().After((at_once ? drover::Duration(0) : limit) + kStopGrace, [call] {
      call.Fail(Error(Code::kTimeout, "the container has not ended 5 s after it was killed"));
    });
  }
  std::unique_lock<std::mutex> lock(task->mutex);
  const bool ended = task->exited.has_value();
  if (!ended) drover::AddWaiter(&task->stoppers, call);
  lock.unlock();
  if (ended) return call.Complete(Empty{});
  // Only the end is waited for now. AddWaiter removes what has been cancelled.
  call.FailOnCancel();
}

// Kills a container that has not ended within the time of its stop.
void DockerDriver::KillNow(const TaskPtr& task) {
  host().Post(
      [this, task] {
        std::string id;
        {
          std::lock_guard<std::mutex> lock(task->mutex);
          if (task->exited || task->ending) return;
          id = task->container;
        }
        try {
          engine_->KillContainer(id, "SIGKILL", closing_);
        } catch (const Error& error) {
          host().Log(drover::LogLevel::kWarn, task->run,
                     "the container is not killed: " + error.message());
        }
      },
      drover::Lane::kStop);
}

void DockerDriver::Signal(const drover::RunId& run, const std::string& name,
                          const drover::CallView& call) {
  auto task = tasks_.Need(run);
  const std::string signal = SignalName(name);
  std::string id;
  {
    std::lock_guard<std::mutex> lock(task->mutex);
    if (task->exited || task->container.empty()) {
      throw Error(Code::kFailedPrecondition, "the task is not running");
    }
    id = task->container;
  }
  if (!engine_->KillContainer(id, signal, CancelOf(call))) {
    throw Error(Code::kFailedPrecondition, "the task is not running");
  }
}

void DockerDriver::Pause(const drover::RunId& run, bool paused, const drover::CallView& call) {
  auto task = tasks_.Need(run);
  std::string id;
  {
    std::lock_guard<std::mutex> lock(task->mutex);
    if (task->exited || task->container.empty()) {
      throw Error(Code::kFailedPrecondition, "the task is not running");
    }
    id = task->container;
  }
  if (paused) {
    engine_->PauseContainer(id, CancelOf(call));
  } else {
    engine_->UnpauseContainer(id, CancelOf(call));
  }
}

// Removes all containers of a run, and its part of the pause container. Returns whether there was
// any. KNOWN is the id of the container if it is known, which may have another name now.
bool DockerDriver::RemoveRun(const drover::RunId& run, const std::string& known,
                             const CancelToken& cancel) {
  bool any = false;
  const std::vector<std::string> labels{std::string(kRunLabel) + "=" + run.Text()};
  for (const ContainerInfo& info : engine_->ListContainers(labels, cancel)) {
    if (info.id != known && !IsNamedAsOurs(info.name, info.labels)) continue;
    any = engine_->RemoveContainer(info.id, /*force=*/true, /*volumes=*/true, cancel) || any;
  }
  pauses_->Leave(run.Text(), cancel);
  return any;
}

void DockerDriver::Destroy(const drover::RunId& run, bool force, const drover::CallView& call) {
  const CancelToken cancel = CancelOf(call);
  auto task = tasks_.Find(run);
  if (task != nullptr) {
    std::unique_lock<std::mutex> lock(task->mutex);
    if (!task->exited && !force) {
      throw Error(Code::kFailedPrecondition, "cannot destroy running task");
    }
    task->given_up = true;
    if (task->starting) task->start_cancel.Cancel();
    task->changed.wait_for(lock, kStartWait, [&] { return !task->starting; });
  }
  bool any = false;
  try {
    any = DestroyNow(run, task, cancel);
  } catch (...) {
    // The host may not ask again, so what is left is removed when the engine answers.
    std::lock_guard<std::mutex> lock(mutex_);
    restored_.erase(run.Text());
    given_up_.insert(run);
    throw;
  }
  if (!any) throw Error(Code::kNotFound, "task not found for given id");
}

// Removes what the engine has of a run, and forgets the run. TASK is null if the run has none; a
// start that was given up may have left its container. Returns whether there was anything. It can
// be called again after it has thrown.
bool DockerDriver::DestroyNow(const drover::RunId& run, const TaskPtr& task,
                              const CancelToken& cancel) {
  if (task == nullptr) {
    const bool removed = RemoveRun(run, "", cancel);
    std::lock_guard<std::mutex> lock(mutex_);
    const bool was_given_up = given_up_.erase(run) != 0;
    return restored_.erase(run.Text()) != 0 || was_given_up || removed;
  }
  bool ended = false;
  std::string id;
  {
    std::lock_guard<std::mutex> lock(task->mutex);
    ended = task->exited.has_value();
    id = task->container;
  }
  const auto settings = this->settings();
  if (settings->gc_container || id.empty()) {
    RemoveRun(run, id, cancel);
  } else {
    // The operator keeps containers, to look at them. The label goes with none of them, so a later
    // agent takes them for leftovers only after the grace.
    try {
      if (!ended) engine_->KillContainer(id, "SIGKILL", cancel);
    } catch (const EngineError& error) {
      if (!error.not_found()) throw;
    }
    pauses_->Leave(run.Text(), cancel);
  }
  std::shared_ptr<LogCopy> logs;
  std::uint64_t watch = 0;
  {
    std::lock_guard<std::mutex> lock(task->mutex);
    logs.swap(task->logs);
    std::swap(watch, task->watch);
  }
  // Without the lock, for which a call of the watch may wait.
  if (watch != 0) engine_->watch().Forget(watch);
  if (logs != nullptr) logs->Stop();
  PositionFile::Remove(task->task_dir, run);
  images_->Release(run.Text(), !settings->gc_image || !settings->gc_container,
                   settings->gc_image_delay);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    restored_.erase(run.Text());
    given_up_.erase(run);
  }
  tasks_.Erase(run, task);
  SetExited(task, ExitResult{-1, 9, false, "the task was destroyed"});
  return true;
}

// Destroys the runs whose destruction has failed, without a grace. Those that fail again wait for
// the next call.
void DockerDriver::RemoveGivenUp() {
  std::set<drover::RunId> runs;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (given_up_.empty() || std::exchange(removing_given_up_, true)) return;
    runs = given_up_;
  }
  for (const drover::RunId& run : runs) {
    if (closing_.cancelled()) break;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (given_up_.count(run) == 0) continue;
    }
    try {
      DestroyNow(run, tasks_.Find(run), closing_);
      host().Log(drover::LogLevel::kInfo, run, "what was left of the task is removed");
    } catch (const EngineError& error) {
      host().Log(drover::LogLevel::kDebug, run,
                 "what is left of the task stays for now: " + error.message());
    } catch (...) {
      break;  // the engine is away
    }
  }
  std::lock_guard<std::mutex> lock(mutex_);
  removing_given_up_ = false;
}

}  // namespace drover_docker
