// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "drover/device_types.hpp"
#include "drover/entry.hpp"

// The base class of a plugin that offers devices. Like drover_device.h, this file is a draft.
namespace drover {
inline namespace sdk_v1 {

// A call of reserve. All copies are the same call, and only the first completion has an effect. If
// the last copy is destroyed without a completion, the host gets an error. [any-thread]
class ReserveCall : public CallView {
 public:
  using CallView::CallView;

  void Complete(const Reservation& value) const {
    state_->CompleteBy([&] {
      abi::WithReservation(value, [&](const void* out) { state_->Complete(nullptr, out); });
    });
  }
  void Fail(const Error& error) const { state_->Fail(error); }
  // Runs WORK. Completes the call with the result of WORK, or with the exception that WORK throws.
  template <typename Work>
  void Run(Work&& work) const noexcept {
    state_->Try([&] { Complete(work()); });
  }
};

// A plugin that offers devices and runs no tasks. Its class overrides Find and Reserve, and perhaps
// Measure. Describe must return kOffers as its offers.
class DeviceDriver : public Driver {
 public:
  static constexpr std::uint64_t kOffers = DROVER_CAP_ONLY_DEVICES;

  using Driver::Driver;

  // Returns the devices that are there. It is called every ProbeInterval, and after each Configure
  // and ProbeSoon. It may block. If it throws, the plugin and all its devices are unhealthy.
  virtual std::vector<DeviceGroup> Find() = 0;
  // Returns what a task needs to use devices that Find has returned. It may block. If it throws,
  // the task does not start. Several calls may run at the same time.
  virtual Reservation Reserve(const ReserveRequest& request, const CallView& call) = 0;
  // Returns statistics of the devices. It may block. It is called at each interval while somebody
  // looks at the statistics.
  virtual std::vector<DeviceGroupStats> Measure() {
    throw Error(Code::kUnimplemented, "this plugin has no statistics of its devices");
  }

  // Runs Reserve in the background. A plugin that asks somebody else overrides this, and completes
  // CALL later. [any-thread]
  virtual void ReserveAsync(ReserveRequest request, ReserveCall call) {
    host().Post([this, request = std::move(request), call] {
      call.Run([&] { return Reserve(request, call); });
    });
  }

  // Calls Find and sends what has changed. A class that overrides Probe calls this one.
  Fingerprint Probe() override {
    std::vector<DeviceGroup> found = Find();
    std::vector<std::shared_ptr<abi::StreamState>> told;
    {
      std::lock_guard<std::mutex> lock(devices_mutex_);
      watchers_.erase(std::remove_if(watchers_.begin(), watchers_.end(),
                                     [](const DeviceWatcher& w) { return w.stream->cancelled(); }),
                      watchers_.end());
      for (DeviceWatcher& watcher : watchers_) {
        if (!watcher.is_new && found == found_) continue;
        watcher.is_new = false;
        told.push_back(watcher.stream);
      }
      found_ = found;
    }
    for (const auto& stream : told) {
      abi::WithDevices(found, [&](const void* out) { stream->Send(out); });
    }
    return Fingerprint{};
  }

  // A plugin of devices runs no tasks, so the host never calls these.
  void Destroy(const RunId&, bool, const CallView&) override { NoTasks().Throw(); }
  void Wait(Call<ExitResult> call) override { call.Fail(NoTasks()); }
  TaskStatus Inspect(const RunId&) override {
    NoTasks().Throw();
    return TaskStatus{};
  }

  // The part of the C interface that drover_device.h describes. [any-thread]
  const void* Extension(std::string_view id) override;
  void OpenDevices(std::shared_ptr<abi::StreamState> stream) {
    {
      std::lock_guard<std::mutex> lock(devices_mutex_);
      watchers_.push_back(DeviceWatcher{std::move(stream), true});
    }
    ProbeSoon();
  }
  void OpenStats(Duration interval, std::shared_ptr<abi::StreamState> stream) {
    if (interval < std::chrono::milliseconds(10)) interval = std::chrono::milliseconds(10);
    host().Post([this, interval, stream = std::move(stream)] { SendStats(interval, stream); });
  }

 private:
  struct DeviceWatcher {
    std::shared_ptr<abi::StreamState> stream;
    bool is_new;  // nothing has been sent on the stream
  };

  static Error NoTasks() {
    return Error(Code::kUnimplemented, "this plugin offers devices and runs no tasks");
  }

  void SendStats(Duration interval, const std::shared_ptr<abi::StreamState>& stream) {
    if (stream->cancelled()) return;
    std::vector<DeviceGroupStats> stats;
    try {
      stats = Measure();
    } catch (...) {
      drover_error out = abi::EmptyError();
      abi::FillError(&out, abi::CurrentError());
      return stream->End(&out);
    }
    bool go_on = false;
    abi::WithDeviceStats(stats, [&](const void* out) { go_on = stream->Send(out); });
    if (!go_on) return;
    Timer timer = host().After(interval, [this, interval, stream] { OpenStats(interval, stream); });
    stream->OnCancel([timer]() mutable { timer.Cancel(); });
  }

  std::mutex devices_mutex_;  // guards the members below
  std::vector<DeviceWatcher> watchers_;
  std::vector<DeviceGroup> found_;
};

namespace abi {

inline std::int32_t OpenDevices(drover_instance* self, std::uint64_t stream,
                                drover_error* error) noexcept {
  return AcceptStream(self, stream, error, [](Driver& driver, std::shared_ptr<StreamState> open) {
    static_cast<DeviceDriver&>(driver).OpenDevices(std::move(open));
  });
}
inline std::int32_t ReserveDevices(drover_instance* self, const drover_call* call,
                                   const drover_reserve_args* args, drover_error* error) noexcept {
  return Accept(self, call, error, [&](Instance& to, std::shared_ptr<CallState> open) {
    static_cast<DeviceDriver&>(to.driver())
        .ReserveAsync(DecodeReserve(Sized(args, "the arguments of reserve")),
                      ReserveCall(std::move(open)));
  });
}
inline std::int32_t OpenDeviceStats(drover_instance* self, std::uint64_t stream,
                                    const drover_stats_args* args, drover_error* error) noexcept {
  return AcceptStream(self, stream, error, [&](Driver& driver, std::shared_ptr<StreamState> open) {
    const Duration interval(Sized(args, "the arguments of stats").interval);
    static_cast<DeviceDriver&>(driver).OpenStats(interval, std::move(open));
  });
}

}  // namespace abi

inline const void* DeviceDriver::Extension(std::string_view id) {
  static const drover_device_plugin kTable = {sizeof(drover_device_plugin), 0, &abi::OpenDevices,
                                              &abi::ReserveDevices, &abi::OpenDeviceStats};
  return id == DROVER_DEVICE_ID ? &kTable : nullptr;
}

}  // namespace sdk_v1
}  // namespace drover
