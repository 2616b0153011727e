// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/devices/supervised_devices.h"

#include <utility>

#include "host/plugin/devices/loaded_devices.h"
#include "host/plugin/supervised_driver.h"

namespace drover {

const std::string& SupervisedDevices::plugin() const { return driver_->name_; }

Error SupervisedDevices::NoDevices() const {
  return Error(Code::kUnimplemented, "plugin " + plugin() + " offers no devices");
}

void SupervisedDevices::TakeCharge() {
  LoadedDevices* const of = driver_->instance_->driver()->devices();
  changes_ = of == nullptr ? Subscription() : of->OnChange([this] { Update(); });
  if (of == nullptr) last_.clear();
  Update();
}

void SupervisedDevices::Update() {
  if (driver_->state_ == SupervisedDriver::State::kServes) {
    const LoadedDevices* const of = driver_->instance_->driver()->devices();
    if (of != nullptr && of->told()) last_ = *of->told();
  }
  if (last_.empty() && groups_.empty()) return;
  DeviceGroups now = last_;
  const Fingerprint& health = driver_->fingerprint_;
  if (health.health != Health::kHealthy) {
    MarkUnhealthy("plugin " + plugin() + " is not healthy: " + health.description, &now);
  }
  if (now == groups_) return;
  groups_ = std::move(now);
  listeners_.Call();
}

Co<Result<DeviceReservation>> SupervisedDevices::Reserve(Context context, AllocatedDevice device) {
  DROVER_CO_ASSIGN(const SupervisedDriver::Instance instance,
                   co_await driver_->Admit(context, driver_->limits().relaunch_patience));
  LoadedDevices* const devices = instance->driver()->devices();
  if (devices == nullptr) co_return NoDevices();
  // A reload waits until the call has ended, and gives it up if that takes too long.
  const CallCount::Inside inside(&driver_->calls_);
  const Context issued = driver_->issue_;
  const JoinContext joined(context, issued);
  Result<DeviceReservation> reserved =
      co_await devices->Reserve(joined.context(), std::move(device));
  if (!reserved.ok() && issued.cancelled() && !context.cancelled()) {
    co_return Error(Code::kUnavailable, "plugin " + plugin() + " was reloaded meanwhile, try again",
                    /*recoverable=*/true);
  }
  co_return reserved;
}

Co<Status> SupervisedDevices::FollowDeviceStats(Context context, Duration interval,
                                                std::function<void(DeviceStats)> sink) {
  DROVER_CO_ASSIGN(const SupervisedDriver::Instance instance,
                   co_await driver_->Admit(context, driver_->limits().relaunch_patience));
  LoadedDevices* const devices = instance->driver()->devices();
  if (devices == nullptr) co_return NoDevices();
  const CallCount::Inside inside(&driver_->watches_);
  const Context issued = driver_->issue_;
  const JoinContext joined(context, issued);
  co_return co_await devices->FollowStats(joined.context(), interval, std::move(sink));
}

}  // namespace drover
