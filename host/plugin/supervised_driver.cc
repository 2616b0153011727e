// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/supervised_driver.h"

#include "host/base/patience.h"

namespace drover {

SupervisedDriver::SupervisedDriver(std::string name, Parts parts)
    : name_(std::move(name)),
      parts_(std::move(parts)),
      released_(parts_.loop),
      back_(parts_.loop),
      issue_(parts_.loop),
      calls_(parts_.loop),
      starts_(parts_.loop),
      watches_(parts_.loop),
      reloads_(parts_.loop),
      start_turns_(parts_.loop),
      life_(parts_.loop),
      relaunch_(life_.Child()),
      relaunches_(parts_.loop),
      gate_(parts_.loop) {
  info_.name = name_;
  Update();
}

SupervisedDriver::~SupervisedDriver() = default;

void SupervisedDriver::Expect(std::string reason) {
  Hold();
  reason_ = std::move(reason);
  Update();
}

void SupervisedDriver::SetReason(std::string reason) {
  if (has_instance()) return;
  reason_ = std::move(reason);
  Update();
  Release();
}

// Holds all calls until Release. This also wakes the calls that wait for a process to come back, so
// that they wait for Release instead.
void SupervisedDriver::Hold() {
  held_ = true;
  released_.Reset();
  back_.Set();
}

void SupervisedDriver::Release() {
  held_ = false;
  released_.Set();
}

void SupervisedDriver::Update() {
  Fingerprint now;
  if (state_ == State::kServes) {
    now = instance_->driver()->fingerprint();
  } else {
    now.health = Health::kUnhealthy;
    now.description = reason_;
  }
  if (now == fingerprint_) return;
  fingerprint_ = std::move(now);
  devices_.Update();
  fingerprint_listeners_.Call();
}

void SupervisedDriver::Log(PluginLogLevel level, const std::string& message) const {
  if (parts_.log) parts_.log(level, name_, nullptr, message);
}

Co<void> SupervisedDriver::Shutdown() {
  if (ending_) co_return;
  ending_ = true;
  life_.Cancel("the driver is being shut down");
  released_.Set();
  back_.Set();
  co_await prepares_.things()->Close();
  co_await reloads_.none()->Wait();
  co_await relaunches_.Close();
  co_await gate_.Close();
  health_.Cancel();
  if (!has_instance()) co_return;
  co_await instance_->End();
  state_ = State::kNone;
  reason_ = "the driver has been shut down";
  Update();
}

Co<void> SupervisedDriver::AwaitFirstFingerprint(Context context) {
  if (!Serves()) co_return;
  const Instance instance = instance_;
  co_await instance->AwaitFirstFingerprint(context);
}

ContainerStatus SupervisedDriver::status() const {
  ContainerStatus status = last_;
  const Instance& latest = coming_ ? coming_ : instance_;
  if (!latest) return status;
  status.pid = latest->pid();
  if (std::string output = latest->output(); !output.empty()) status.output = std::move(output);
  return status;
}

Duration SupervisedDriver::LimitOf(Duration DriverLimits::* which) const {
  return has_instance() ? limits().*which : Duration(0);
}

Subscription SupervisedDriver::OnFingerprint(std::function<void()> changed) {
  return fingerprint_listeners_.Add(std::move(changed));
}

Subscription SupervisedDriver::OnEvents(RunId run, std::function<void(const DriverEvent&)> hear) {
  return event_listeners_.Add(run, std::move(hear));
}

Subscription SupervisedDriver::OnHandle(RunId run, std::function<void(const TaskHandle&)> hear) {
  return handle_listeners_.Add(run, std::move(hear));
}

Subscription SupervisedDriver::OnNews(RunId run, std::function<void(const TaskNews&)> hear) {
  Run* const known = FindRun(run);
  if (known != nullptr && !std::exchange(known->listened, true)) {
    const TaskNews early{run, std::exchange(known->early, {})};
    hear(early);
  }
  return news_listeners_.Add(run, std::move(hear));
}

Result<std::string> SupervisedDriver::NormalizeConfigAt(const std::string& place,
                                                        const std::string& config_json,
                                                        bool final) {
  if (!has_instance()) return Unavailable();
  const auto& checker = code_->driver.task_checker;
  if (!checker) return config_json;
  // An instance knows which parts of the configuration no error may show.
  if (Serves()) return instance_->driver()->NormalizeConfigAt(place, config_json, final);
  return checker->Normalize(place, config_json, final);
}

// ---------------------------------------------------------------------- which instance is asked

Error SupervisedDriver::Unavailable() const {
  if (state_ == State::kNone) return Error(Code::kUnavailable, "driver " + name_ + ": " + reason_);
  const std::string why = ending_ ? "driver " + name_ + " is being shut down" : reason_;
  return Error(Code::kUnavailable, why, true);
}

Co<Status> SupervisedDriver::AwaitRelease(Context context, Duration limit) {
  if (!held_) co_return Status();
  std::optional<Patience> patience;
  if (limit.count() > 0) patience.emplace(context, limit);
  const Context until = patience ? patience->context() : context;
  while (held_ && !ending_) {
    const Status waited = co_await released_.Wait(until);
    if (context.cancelled()) co_return context.status();
    if (!waited.ok()) {
      co_return Error(Code::kUnavailable, "driver " + name_ + " is being loaded", true);
    }
  }
  co_return Status();
}

Co<Result<SupervisedDriver::Instance>> SupervisedDriver::Admit(Context context, Duration back,
                                                               Duration held) {
  std::optional<Patience> patience;
  while (true) {
    if (held_ && !ending_) {
      patience.reset();
      DROVER_CO_TRY(co_await AwaitRelease(context, held));
      continue;
    }
    if (ending_ || state_ == State::kNone) co_return Unavailable();
    if (Serves()) co_return instance_;
    back_.Reset();
    if (!patience && back.count() > 0) patience.emplace(context, back);
    const Context until = patience ? patience->context() : context;
    const Status waited = co_await back_.Wait(until);
    if (context.cancelled()) co_return context.status().error();
    if (!waited.ok()) co_return Unavailable();
  }
}

SupervisedDriver::Run* SupervisedDriver::FindRun(const RunId& run) {
  const auto found = runs_.find(run);
  return found == runs_.end() ? nullptr : &found->second;
}

void SupervisedDriver::Forget(const RunId& id) {
  Run* const run = FindRun(id);
  if (run == nullptr) return;
  run->Seen();
  if (prepares_.in_use() && run->config) prepares_.things()->RunEnded(run->config);
  runs_.erase(id);
}

}  // namespace drover
