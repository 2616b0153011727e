// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/devices/loaded_devices.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "host/abi/abi_write.h"
#include "host/abi/device_read.h"
#include "host/plugin/loaded_driver.h"

namespace drover {
namespace {

Result<CallValue> DecodeReserved(const void* result) {
  DROVER_ASSIGN(DeviceReservation reservation,
                ReadReservation(static_cast<const drover_reserve_result*>(result)));
  return CallValue(std::move(reservation));
}

}  // namespace

LoadedDevices::LoadedDevices(LoadedDriver* driver, const drover_device_plugin* table)
    : driver_(driver), table_(table), first_(driver->loop()) {}

void LoadedDevices::Lose(const std::string& why) {
  driver_->host_->Log(PluginLogLevel::kWarn, why);
  first_.Set();
  if (!told_) return;
  MarkUnhealthy(why, &*told_);
  listeners_.Call();
}

Co<void> LoadedDevices::Follow() {
  const Context life = driver_->life_;
  const DriverLimits& limits = driver_->limits();
  LoadedDriver::Subscribe subscribe =
      [container = driver_->container_, table = table_, self = driver_->instance_](
          std::uint64_t id, drover_error* error) { return table->devices(self, id, error); };
  std::function<void(StreamMessage)> hear = [this](StreamMessage message) {
    heard_ = true;
    told_ = std::move(std::get<DeviceGroups>(message));
    first_.Set();
    listeners_.Call();
  };
  Duration delay = limits.resubscribe_first;
  while (!life.cancelled()) {
    heard_ = false;
    const auto returned = std::make_shared<Event>(driver_->loop());
    const Status end = co_await driver_->RunStream(life, "devices", RunId(), DROVER_MESSAGE_DEVICES,
                                                   /*control=*/true, subscribe, hear, returned);
    if (life.cancelled()) break;
    Lose("its stream of devices has ended" + (end.ok() ? "" : ": " + end.error().message()));
    if (end.ok() || !end.error().recoverable()) co_return;
    // See LoadedDriver::KeepStream.
    if (end.code() == Code::kTimeout) (void)co_await returned->Wait(life);
    if (heard_) delay = limits.resubscribe_first;
    (void)co_await Sleep(life, delay);
    delay = std::min(delay * 2, limits.resubscribe_last);
  }
  first_.Set();
}

Co<Result<DeviceReservation>> LoadedDevices::Reserve(Context context, AllocatedDevice device) {
  DROVER_CO_TRY(driver_->Usable());
  const auto wanted = std::make_shared<const AllocatedDevice>(std::move(device));
  const auto call = driver_->NewCall("reserve", RunId(), DecodeReserved);
  LoadedDriver::Verb verb = [container = driver_->container_, table = table_,
                             self = driver_->instance_,
                             wanted](const drover_call* frame, drover_error* error) {
    std::vector<drover_str> ids;
    for (const std::string& id : wanted->ids) ids.push_back(ToStr(id));
    auto args = NewStruct<drover_reserve_args>();
    args.vendor = ToStr(wanted->group.vendor);
    args.type = ToStr(wanted->group.type);
    args.name = ToStr(wanted->group.name);
    args.ids = ToArray(ids);
    return table->reserve(self, frame, &args, error);
  };
  Result<CallValue> value = co_await driver_->Call(context, call, driver_->limits().recover,
                                                   /*control=*/false, std::move(verb));
  if (!value.ok()) co_return value.error();
  co_return std::get<DeviceReservation>(std::move(*value));
}

Co<Status> LoadedDevices::FollowStats(Context context, Duration interval,
                                      std::function<void(DeviceStats)> sink) {
  DROVER_CO_TRY(driver_->Usable());
  LoadedDriver::Subscribe subscribe = [container = driver_->container_, table = table_,
                                       self = driver_->instance_,
                                       interval](std::uint64_t id, drover_error* error) {
    auto args = NewStruct<drover_stats_args>();
    args.interval = interval.count();
    return table->stats(self, id, &args, error);
  };
  std::function<void(StreamMessage)> hear = [sink = std::move(sink)](StreamMessage message) {
    sink(std::move(std::get<DeviceStats>(message)));
  };
  co_return co_await driver_->RunStream(
      std::move(context), "device stats", RunId(), DROVER_MESSAGE_DEVICE_STATS, /*control=*/false,
      std::move(subscribe), std::move(hear), std::make_shared<Event>(driver_->loop()));
}

}  // namespace drover
