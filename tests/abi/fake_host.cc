// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "fake_host.h"

#include <signal.h>
#include <stdlib.h>

#include <utility>

#include "driver_place.h"
#include "fake_state.h"

namespace drover_test {

drover_run_id RunOf(int number) {
  drover_run_id out = {};
  memcpy(out.bytes, &number, sizeof number);
  out.bytes[15] = 1;
  return out;
}

FakeHost::FakeHost() : host_(std::make_unique<Host>()) {
  ::signal(SIGPIPE, SIG_IGN);
  Service::Fill(host_.get());
  host_->self = this;
  for (int i = 0; i < 4; ++i) threads_.emplace_back([this] { PoolThread(); });
  threads_.emplace_back([this] { TimerThread(); });
}

FakeHost::~FakeHost() {
  HoldExits(false);
  HoldAttaches(false);
  if (instance_ != nullptr) Shutdown();
  std::vector<std::thread> watchers;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& item : processes_) {
      if (!item.second->exit) kill(-item.second->pid, SIGKILL);
    }
    watchers.swap(watchers_);
  }
  for (std::thread& thread : watchers) thread.join();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  // The threads first fire the remaining timers: the function of each frees its context.
  for (std::thread& thread : threads_) thread.join();
  Place()->Unload();
}

drover_host* FakeHost::raw() { return host_.get(); }

void FakeHost::Post(std::function<void()> job) {
  std::lock_guard<std::mutex> lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

void FakeHost::PoolThread() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

void FakeHost::TimerThread() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ending_ || !timers_.empty()) {
    if (timers_.empty()) {
      changed_.wait(lock);
      continue;
    }
    auto at = timers_.begin();
    // When the host ends, the remaining timers fire at once.
    auto when = at->first;  // a copy: the timer may be cancelled during the wait
    if (!ending_ && when > Now()) {
      if (stopped_at_) {
        changed_.wait(lock);
      } else {
        changed_.wait_until(lock, when);
      }
      continue;
    }
    Timer timer = at->second;
    timers_.erase(at);
    jobs_.push_back([timer] { timer.function(timer.context); });
    changed_.notify_all();
  }
}

std::chrono::steady_clock::time_point FakeHost::Now() const {
  return stopped_at_.value_or(std::chrono::steady_clock::now());
}

void FakeHost::StopClock() {
  std::lock_guard<std::mutex> lock(mutex_);
  stopped_at_ = std::chrono::steady_clock::now();
}

void FakeHost::Advance(std::chrono::nanoseconds time) {
  std::lock_guard<std::mutex> lock(mutex_);
  *stopped_at_ += time;
  changed_.notify_all();
}

bool FakeHost::AwaitTimer(std::chrono::nanoseconds delay, std::chrono::milliseconds limit) {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return timers_.count(Now() + delay) != 0; });
}

std::shared_ptr<FakeHost::Process> FakeHost::FindProcess(drover_run_id run) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = processes_.find(Key(run));
  if (found == processes_.end() || found->second->released) return nullptr;
  return found->second;
}

std::optional<Failure> FakeHost::TakeFailure(const std::string& function) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = failures_.find(function);
  if (found == failures_.end()) return std::nullopt;
  Failure out = found->second;
  failures_.erase(found);
  return out;
}

void FakeHost::FailNext(const std::string& function, Failure failure) {
  std::lock_guard<std::mutex> lock(mutex_);
  failures_[function] = std::move(failure);
}

void FakeHost::HoldNext(const std::string& function) {
  std::lock_guard<std::mutex> lock(mutex_);
  hold_next_ = function;
}

void FakeHost::HoldExits(bool held) {
  std::lock_guard<std::mutex> lock(mutex_);
  exits_held_ = held;
  changed_.notify_all();
}

void FakeHost::HoldAttaches(bool held) {
  std::lock_guard<std::mutex> lock(mutex_);
  attaches_held_ = held;
  changed_.notify_all();
}

void FakeHost::AnswerHeld() {
  std::vector<std::function<void()>> held;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    held.swap(held_);
  }
  for (auto& answer : held) answer();
}

const drover_driver* FakeHost::Load(const std::string& file) {
  std::string why;
  driver_ = Place()->Load(file, &why);
  if (driver_ == nullptr) log_ += why + "\n";
  return driver_;
}

std::uint64_t FakeHost::NewCall(drover_run_id run, drover_call* call, const char* verb) {
  auto open = std::make_shared<Open>();
  std::uint64_t id = 0;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    id = ++last_id_;
    open->verb = verb;
    open->call.struct_size = sizeof(drover_call);
    open->call.id = id;
    open->call.run_id = run;
    open->call.deadline = BootTime(60s);
    *call = open->call;
    calls_[id] = open;
  }
  if (std::exchange(cancel_next_, false)) CancelCall(id);
  return id;
}

const drover_call* FakeHost::NewCall(drover_run_id run, const char* verb) {
  NewCall(run, &own_call_, verb);
  return &own_call_;
}

void FakeHost::Returned(std::uint64_t id, int code, const drover_error& error) {
  if (code == DROVER_OK) return;
  std::lock_guard<std::mutex> lock(mutex_);
  Result& result = calls_[id]->result;
  result.refused = code;
  result.complete = true;
  result.error = Read(code, error);
  changed_.notify_all();
}

void FakeHost::Completed(std::uint64_t id, const drover_error* error, const void* raw) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = calls_.find(id);
  if (found == calls_.end()) abort();
  Open& open = *found->second;
  if (++open.completions > 1) return;
  Result& result = open.result;
  result.complete = true;
  changed_.notify_all();
  if (error != nullptr) {
    result.error = Read(0, *error);
    return;
  }
  if (open.verb == "create") {
    auto* in = static_cast<const drover_create_result*>(raw);
    result.instance = in->instance;
    if (DROVER_HAS(in, drover_create_result, info) && in->info != nullptr) {
      result.instance_isolation = in->info->fs_isolation;
      result.instance_name = Text(in->info->name);
    }
  } else if (open.verb == "start") {
    auto* in = static_cast<const drover_start_result*>(raw);
    result.handle = Text(in->handle->state);
    result.handle_version = in->handle->format_version;
    if (in->network != nullptr) {
      result.network_ip = Text(in->network->ip);
      result.network_advertise = in->network->auto_advertise != 0;
      for (std::size_t i = 0; i < in->network->ports.count; ++i) {
        auto* port = static_cast<const drover_port*>(in->network->ports.data) + i;
        result.network_ports[Text(port->label)] = port->value;
      }
    }
  } else if (open.verb == "recover") {
    auto* in = static_cast<const drover_recover_result*>(raw);
    result.state = in->state;
    if (in->handle != nullptr) result.handle = Text(in->handle->state);
    if (in->exit_result != nullptr) result.exit = ReadExit(in->exit_result);
  } else if (open.verb == "wait" || open.verb == "exec") {
    result.exit = ReadExit(static_cast<const drover_exit_result*>(raw));
  } else if (open.verb == "inspect") {
    auto* in = static_cast<const drover_task_status*>(raw);
    result.state = in->state;
    result.started_at = in->started_at;
    result.completed_at = in->completed_at;
    if (in->exit_result != nullptr) result.exit = ReadExit(in->exit_result);
    result.attributes = Pairs(in->attributes);
  }
}

Result FakeHost::Create(const std::string& config) { return Create(driver_, config); }

Result FakeHost::Create(const drover_driver* driver, const std::string& config) {
  driver_ = driver;
  drover_call call;
  std::uint64_t id = NewCall({}, &call, "create");
  drover_create_args args = {sizeof args, 0, Str(config)};
  drover_error error = NewError();
  Returned(id, driver->create(host_.get(), &call, &args, &error), error);
  Result result = Finish(id);
  instance_ = result.ok() ? result.instance : nullptr;
  return result;
}

}  // namespace drover_test
