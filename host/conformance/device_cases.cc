// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Cases for plugins that offer devices.
#include <optional>

#include "drover/drover_device.h"
#include "host/conformance/kit_case.h"
#include "host/plugin/devices/loaded_devices.h"

namespace drover {
namespace {

// Waits for the devices of the plugin. Returns null, after a verdict, if there are none to test.
Co<LoadedDevices*> FindDevices(KitCase* kit, LoadedDriver* driver) {
  LoadedDevices* const devices = driver->devices();
  if (devices == nullptr) {
    kit->Skip("it offers no devices");
    co_return nullptr;
  }
  const Context patient = kit->Within(5s);
  (void)co_await devices->first()->Wait(patient);
  if (!devices->told()) {
    kit->Fail("it has reported no devices within 5 s, or wrong ones");
    co_return nullptr;
  }
  co_return devices;
}

Co<void> ReportsDevices(KitCase* kit, LoadedDriver* driver) {
  (void)co_await FindDevices(kit, driver);
}

// Returns a healthy device of GROUP; absent if there is none.
std::optional<AllocatedDevice> HealthyOf(const DeviceGroup& group) {
  for (const DeviceInstance& instance : group.instances) {
    if (instance.healthy) return AllocatedDevice{group.name, {instance.id}};
  }
  return std::nullopt;
}

Co<void> ReservesDevices(KitCase* kit, LoadedDriver* driver) {
  LoadedDevices* const devices = co_await FindDevices(kit, driver);
  if (devices == nullptr) co_return;
  int reserved = 0;
  const DeviceGroups groups = *devices->told();
  for (const DeviceGroup& group : groups) {
    const std::optional<AllocatedDevice> device = HealthyOf(group);
    if (!device) continue;
    // There is no end of a reservation, so the same device is reserved again and again.
    for (int i = 0; i < 2; ++i, ++reserved) {
      const Result<DeviceReservation> answer = co_await devices->Reserve(kit->context(), *device);
      KIT_EXPECT(answer.ok(), "reserve of " + device->group.Text() + " " + device->ids[0] + ": " +
                                  Describe(answer));
    }
  }
  if (reserved == 0) kit->Skip("this machine has no healthy devices of its");
}

Co<void> MeasuresDevices(KitCase* kit, LoadedDriver* driver) {
  LoadedDevices* const devices = co_await FindDevices(kit, driver);
  if (devices == nullptr) co_return;
  int samples = 0;
  const Context wanted = kit->Within(2s);
  std::function<void(DeviceStats)> sink = [&samples](const DeviceStats&) { ++samples; };
  const Status end = co_await devices->FollowStats(wanted, 50ms, std::move(sink));
  if (end.code() == Code::kUnimplemented) co_return kit->Skip("it has no statistics");
  KIT_EXPECT(samples >= 2, "in 2 s at intervals of 50 ms came " + std::to_string(samples) +
                               " samples; the stream ended with " + Describe(end));
}

}  // namespace

const std::vector<KitEntry>& DeviceCases() {
  static const std::vector<KitEntry> cases = {
      {"devices-list", "The devices are reported soon", ReportsDevices},
      {"devices-reserve", "A healthy device can be reserved, again and again", ReservesDevices},
      {"devices-stats", "Samples come at the interval", MeasuresDevices},
  };
  return cases;
}

}  // namespace drover
