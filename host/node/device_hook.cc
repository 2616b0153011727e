// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/device_hook.h"

#include <string>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

// The keys of the hook's stored data: the devices, and the answer for them.
constexpr char kDevicesKey[] = "devices";
constexpr char kReservationKey[] = "reservation";

// Returns the stored answer for the devices of LIST; absent if there is none.
std::optional<DeviceReservation> Stored(const StringMap& data, const std::string& list) {
  const auto devices = data.find(kDevicesKey);
  const auto reservation = data.find(kReservationKey);
  if (devices == data.end() || devices->second != list || reservation == data.end()) {
    return std::nullopt;
  }
  Result<DeviceReservation> decoded = DecodeReservation(reservation->second);
  if (!decoded.ok()) return std::nullopt;
  return std::move(*decoded);
}

// Removes from RESERVED what a task that sees the files of the machine has anyway. An error if it
// needs something at another path than that of the machine.
Status FitToMachine(const std::string& driver, DeviceReservation* reserved) {
  const auto error = [&driver](const std::string& host_path, const std::string& task_path) {
    return Error(Code::kInvalidArgument,
                 "driver " + Quoted(driver) + " cannot give its tasks " + Quoted(host_path) +
                     " as " + Quoted(task_path) +
                     ": they see the files of the machine as they are; use a driver such as exec");
  };
  for (const TaskDevice& device : reserved->devices) {
    if (device.task_path != device.host_path) return error(device.host_path, device.task_path);
  }
  for (const TaskMount& mount : reserved->mounts) {
    if (mount.task_path != mount.host_path) return error(mount.host_path, mount.task_path);
  }
  reserved->devices.clear();
  reserved->mounts.clear();
  return {};
}

}  // namespace

Co<Result<PrestartResponse>> DeviceHook::Prestart(Context context, PrestartRequest request) {
  const auto allocated = request.alloc->devices.find(request.task->name);
  if (allocated == request.alloc->devices.end()) {
    co_return Error(Code::kFailedPrecondition,
                    "the allocation has no devices for this task: run the job again");
  }
  const std::string list = DeviceList(allocated->second);
  DeviceReservation reserved;
  PrestartResponse response;
  std::optional<DeviceReservation> stored;
  if (request.running) stored = Stored(request.data, list);
  if (stored) {
    reserved = std::move(*stored);
    response.data = request.data;
  } else {
    const std::shared_ptr<DeviceManager> devices = devices_;
    DROVER_CO_ASSIGN(reserved, co_await devices->Reserve(context, allocated->second));
    response.data = {{kDevicesKey, list}, {kReservationKey, EncodeReservation(reserved)}};
  }
  if (request.driver.fs_isolation == FsIsolation::kNone) {
    DROVER_CO_TRY(FitToMachine(request.driver.name, &reserved));
  }
  response.device_env = std::move(reserved.env);
  response.mounts = std::move(reserved.mounts);
  response.devices = std::move(reserved.devices);
  co_return response;
}

}  // namespace drover
