// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/device/device_reservation.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostPath = 4096;
constexpr std::string_view kPropagations[] = {"", "private", "host-to-task", "bidirectional"};

Error ReservationMistake(const std::string& what) {
  return Error(Code::kInternal, "its reservation: " + what);
}

Status CheckPath(const std::string& path, const char* what) {
  const std::string whole = path + "/";
  const bool plain = path.starts_with('/') && path.size() < kMostPath &&
                     path.find('\0') == std::string::npos &&
                     whole.find("/../") == std::string::npos;
  if (plain) return {};
  return ReservationMistake(std::string(what) + " " + Quoted(path) +
                            " is no absolute path without \"..\"");
}

Status CheckMount(const TaskMount& mount) {
  DROVER_TRY(CheckPath(mount.task_path, "the path in the task"));
  DROVER_TRY(CheckPath(mount.host_path, "the path on the machine"));
  if (std::ranges::find(kPropagations, mount.propagation) != std::end(kPropagations)) return {};
  return ReservationMistake("the propagation " + Quoted(mount.propagation) + " is not known");
}

Status CheckNode(const TaskDevice& device) {
  DROVER_TRY(CheckPath(device.task_path, "the path in the task"));
  DROVER_TRY(CheckPath(device.host_path, "the path on the machine"));
  const std::string& letters = device.permissions;
  if (!letters.empty() && letters.size() <= 3 &&
      letters.find_first_not_of("rwm") == std::string::npos) {
    return {};
  }
  return ReservationMistake("the permissions " + Quoted(letters) + " of " +
                            Quoted(device.host_path) + " must be some of the letters \"rwm\"");
}

Status CheckVariable(const std::string& name, const std::string& value) {
  const bool right = !name.empty() && name.find('=') == std::string::npos &&
                     name.find('\0') == std::string::npos && value.find('\0') == std::string::npos;
  if (!right) return ReservationMistake("the variable " + Quoted(name) + " cannot be set");
  if (!name.starts_with("NOMAD_")) return {};
  return ReservationMistake("the variable " + Quoted(name) + " belongs to the host");
}

// Adds those elements of MORE to SUM that are not there. Two that differ must not have one path.
template <typename T>
Status AddEach(std::vector<T> more, std::vector<T>* sum) {
  for (T& one : more) {
    const auto same = std::ranges::find(*sum, one.task_path, &T::task_path);
    if (same == sum->end()) {
      sum->push_back(std::move(one));
    } else if (!(*same == one)) {
      return ReservationMistake("two devices want different things at the path " +
                                Quoted(one.task_path));
    }
  }
  return {};
}

}  // namespace

Status CheckReservation(const DeviceReservation& reservation) {
  if (reservation.env.size() + reservation.mounts.size() + reservation.devices.size() >
      kMostReserved) {
    return ReservationMistake("it has more than " + std::to_string(kMostReserved) +
                              " mounts, nodes and variables");
  }
  for (const TaskMount& mount : reservation.mounts) DROVER_TRY(CheckMount(mount));
  for (const TaskDevice& device : reservation.devices) DROVER_TRY(CheckNode(device));
  for (const auto& [name, value] : reservation.env) DROVER_TRY(CheckVariable(name, value));
  if (EncodeReservation(reservation).size() > kMostReservedBytes) {
    return ReservationMistake("it is larger than " + std::to_string(kMostReservedBytes) + " bytes");
  }
  return {};
}

Status AddReservation(DeviceReservation more, DeviceReservation* sum) {
  for (auto& [name, value] : more.env) {
    const auto [there, fresh] = sum->env.try_emplace(name, value);
    if (!fresh && there->second != value) {
      return ReservationMistake("two devices set the variable " + Quoted(name) +
                                " to different values");
    }
  }
  DROVER_TRY(AddEach(std::move(more.mounts), &sum->mounts));
  return AddEach(std::move(more.devices), &sum->devices);
}

std::string EncodeReservation(const DeviceReservation& reservation) {
  json mounts = json::array(), devices = json::array();
  for (const TaskMount& mount : reservation.mounts) {
    mounts.push_back({{"task_path", mount.task_path},
                      {"host_path", mount.host_path},
                      {"read_only", mount.read_only},
                      {"propagation", mount.propagation}});
  }
  for (const TaskDevice& device : reservation.devices) {
    devices.push_back({{"task_path", device.task_path},
                       {"host_path", device.host_path},
                       {"permissions", device.permissions}});
  }
  return JsonText(
      {{"env", reservation.env}, {"mounts", std::move(mounts)}, {"devices", std::move(devices)}});
}

Result<DeviceReservation> DecodeReservation(const std::string& text) {
  try {
    const json from = json::parse(text);
    DeviceReservation reservation;
    from.at("env").get_to(reservation.env);
    for (const json& mount : from.at("mounts")) {
      TaskMount& to = reservation.mounts.emplace_back();
      mount.at("task_path").get_to(to.task_path);
      mount.at("host_path").get_to(to.host_path);
      mount.at("read_only").get_to(to.read_only);
      mount.at("propagation").get_to(to.propagation);
    }
    for (const json& device : from.at("devices")) {
      TaskDevice& to = reservation.devices.emplace_back();
      device.at("task_path").get_to(to.task_path);
      device.at("host_path").get_to(to.host_path);
      device.at("permissions").get_to(to.permissions);
    }
    return reservation;
  } catch (const json::exception& error) {
    return Error(Code::kInvalidArgument, std::string("a stored reservation: ") + error.what());
  }
}

std::string DeviceList(const std::vector<AllocatedDevice>& devices) {
  json list = json::array();
  for (const AllocatedDevice& device : devices) {
    list.push_back({device.group.vendor, device.group.type, device.group.name, device.ids});
  }
  return JsonText(list);
}

}  // namespace drover
