// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/device/device_manager.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <utility>

#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/patience.h"
#include "host/spec/strict_json.h"

namespace drover {

DeviceManager::DeviceManager(Loop* loop, std::vector<DeviceSource*> sources,
                             std::function<void(const std::string&)> report)
    : loop_(loop), sources_(std::move(sources)), report_(std::move(report)) {
  for (DeviceSource* source : sources_) {
    changes_.push_back(source->OnDevices([this] { listeners_.Call(); }));
  }
}

DeviceGroups DeviceManager::Groups() {
  DeviceGroups all;
  std::map<DeviceName, const DeviceSource*> owners;
  for (const DeviceSource* source : sources_) {
    for (const DeviceGroup& group : source->devices()) {
      const auto [owner, fresh] = owners.try_emplace(group.name, source);
      if (fresh) {
        all.push_back(group);
        continue;
      }
      const std::string message = "plugins " + owner->second->plugin() + " and " +
                                  source->plugin() + " both offer the devices " +
                                  group.name.Text() + ": those of " + source->plugin() +
                                  " are left out; configure one of the two";
      if (reported_.insert(message).second && report_) report_(message);
    }
  }
  return all;
}

DeviceSource* DeviceManager::FindSource(const DeviceName& group) const {
  for (DeviceSource* source : sources_) {
    const DeviceGroups& of_source = source->devices();
    if (std::ranges::find(of_source, group, &DeviceGroup::name) != of_source.end()) return source;
  }
  return nullptr;
}

Co<DeviceSource*> DeviceManager::AwaitSource(Context context, DeviceName group) {
  const Patience patience(context, kAppearLimit);
  while (true) {
    DeviceSource* const source = FindSource(group);
    if (source != nullptr) co_return source;
    Event changed(loop_);
    const Subscription heard = OnChange([&changed] { changed.Set(); });
    if (!(co_await changed.Wait(patience.context())).ok()) co_return nullptr;
  }
}

Co<Result<DeviceReservation>> DeviceManager::Reserve(Context context,
                                                     std::vector<AllocatedDevice> devices) {
  DeviceReservation sum;
  for (AllocatedDevice& device : devices) {
    const std::string name = device.group.Text();
    DeviceSource* const source = co_await AwaitSource(context, device.group);
    DROVER_CO_TRY(context.status());
    if (source == nullptr) {
      co_return Error(Code::kUnavailable,
                      "no plugin offers the devices " + name + " now: look at the plugin",
                      /*recoverable=*/true);
    }
    const std::string what = "plugin " + source->plugin() + ", devices " + name;
    Result<DeviceReservation> one = co_await source->Reserve(context, std::move(device));
    if (!one.ok()) co_return one.error().WithContext(what);
    if (const Status added = AddReservation(std::move(*one), &sum); !added.ok()) {
      co_return added.error().WithContext(what);
    }
  }
  co_return sum;
}

Co<void> DeviceManager::MeasureOne(Context context, DeviceSource* source, DeviceStats* out) {
  const Patience patience(context, kMeasureLimit);
  Context until = patience.context().Child();
  // One sample is enough, so the interval has no meaning but its length.
  (void)co_await source->FollowDeviceStats(until, std::chrono::minutes(1),
                                           [until, out](DeviceStats stats) mutable {
                                             if (until.cancelled()) return;
                                             *out = std::move(stats);
                                             until.Cancel("the sample is there");
                                           });
}

Co<DeviceStats> DeviceManager::Measure(Context context) {
  std::vector<DeviceSource*> sources = sources_;
  std::erase_if(sources, [](const DeviceSource* source) { return source->devices().empty(); });
  return MeasureEach(std::move(context), std::move(sources));
}

Co<DeviceStats> DeviceManager::MeasureOnly(Context context, std::vector<AllocatedDevice> devices) {
  std::vector<DeviceSource*> sources;
  for (const AllocatedDevice& device : devices) {
    DeviceSource* const source = FindSource(device.group);
    if (source == nullptr || std::ranges::find(sources, source) != sources.end()) continue;
    sources.push_back(source);
  }
  co_return StatsOf(co_await MeasureEach(context, std::move(sources)), devices);
}

Co<DeviceStats> DeviceManager::MeasureEach(Context context, std::vector<DeviceSource*> sources) {
  std::vector<DeviceStats> measured(sources.size());
  std::vector<Co<void>> asked;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    asked.push_back(MeasureOne(context, sources[i], &measured[i]));
  }
  if (!asked.empty()) co_await InParallel(loop_, std::move(asked));
  DeviceStats all;
  for (DeviceStats& of_source : measured) {
    std::move(of_source.begin(), of_source.end(), std::back_inserter(all));
  }
  co_return all;
}

}  // namespace drover
