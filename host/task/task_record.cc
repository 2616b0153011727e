// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_record.h"

#include <nlohmann/json.hpp>

#include "host/base/base64.h"

namespace drover {
namespace {

using nlohmann::json;

std::string Text(const json& of, const char* key) { return of.value(key, std::string()); }

TaskEvent DecodeEvent(const json& of) {
  TaskEvent event;
  event.type = Text(of, "type");
  event.time = of.value("time", WallTime{0});
  event.details = of.value("details", StringMap());
  event.display_message = Text(of, "message");
  return event;
}

Result<RunnerState> DecodeState(const std::string& name) {
  for (const RunnerState state :
       {RunnerState::kPending, RunnerState::kRunning, RunnerState::kDead}) {
    if (name == RunnerStateName(state)) return state;
  }
  return Error(Code::kInvalidArgument, "unknown task state \"" + name + "\"");
}

constexpr std::pair<RunWish, const char*> kWishes[] = {{RunWish::kNone, ""},
                                                       {RunWish::kKill, "kill"},
                                                       {RunWish::kRestart, "restart"},
                                                       {RunWish::kRestartFailure, "fail"}};

const char* WishName(RunWish wish) {
  for (const auto& [each, name] : kWishes) {
    if (each == wish) return name;
  }
  return "";
}

Result<RunWish> DecodeWish(const std::string& name) {
  for (const auto& [wish, each] : kWishes) {
    if (name == each) return wish;
  }
  return Error(Code::kInvalidArgument, "unknown request \"" + name + "\" to a run");
}

json EncodeHook(const HookState& hook) {
  json out = {{"done", hook.prestart_done}, {"data", hook.data}, {"env", hook.env}};
  if (!hook.user.empty()) out["user"] = hook.user;
  return out;
}

json EncodeHandle(const TaskHandle& handle) {
  return {{"driver", handle.driver},
          {"driver_version", handle.driver_version},
          {"format", handle.format_version},
          {"state", Base64(handle.state)}};
}

json EncodeExit(const ExitResult& exit) {
  return {{"code", exit.exit_code},
          {"signal", exit.signal},
          {"oom_killed", exit.oom_killed},
          {"error", exit.error},
          {"ended_at", exit.ended_at}};
}

json EncodeNetwork(const DriverNetwork& network) {
  return {{"ports", network.port_map}, {"ip", network.ip}, {"advertise", network.auto_advertise}};
}

std::int64_t EncodeTime(TimePoint time) { return time.time_since_epoch().count(); }

std::optional<TimePoint> DecodeTime(const json& of, const char* key) {
  if (!of.contains(key)) return std::nullopt;
  return TimePoint(Duration(of.at(key).get<std::int64_t>()));
}

Result<TaskHandle> DecodeHandle(const json& of) {
  TaskHandle handle;
  handle.driver = Text(of, "driver");
  handle.driver_version = Text(of, "driver_version");
  handle.format_version = of.value("format", 0u);
  const auto bytes = FromBase64(Text(of, "state"));
  if (!bytes) return Error(Code::kInvalidArgument, "the handle is not in base64");
  handle.state = *bytes;
  return handle;
}

json EncodeMount(const TaskMount& mount) {
  return {{"task_path", mount.task_path},
          {"host_path", mount.host_path},
          {"read_only", mount.read_only},
          {"propagation", mount.propagation},
          {"no_links", mount.no_links}};
}

TaskMount DecodeMount(const json& of) {
  return {Text(of, "task_path"), Text(of, "host_path"), of.value("read_only", false),
          Text(of, "propagation"), of.value("no_links", false)};
}

json EncodeDevice(const TaskDevice& device) {
  return {{"task_path", device.task_path},
          {"host_path", device.host_path},
          {"permissions", device.permissions}};
}

TaskDevice DecodeDevice(const json& of) {
  return {Text(of, "task_path"), Text(of, "host_path"), Text(of, "permissions")};
}

Result<LocalState> ReadLocalState(const json& of) {
  LocalState state;
  const json hooks = of.value("hooks", json::object());
  for (const auto& [name, hook] : hooks.items()) {
    state.hooks[name] = {hook.value("done", false), hook.value("data", StringMap()),
                         hook.value("env", StringMap()), Text(hook, "user")};
  }
  if (const std::string run = Text(of, "run"); !run.empty()) {
    DROVER_ASSIGN(state.run_id, RunId::Parse(run));
  }
  state.task_config_id = Text(of, "config_id");
  for (const json& mount : of.value("mounts", json::array())) {
    state.mounts.push_back(DecodeMount(mount));
  }
  for (const json& device : of.value("devices", json::array())) {
    state.devices.push_back(DecodeDevice(device));
  }
  state.device_env = of.value("device_env", StringMap());
  if (of.contains("handle")) {
    DROVER_ASSIGN(state.handle, DecodeHandle(of.at("handle")));
  }
  if (of.contains("exit")) {
    const json& exit = of.at("exit");
    state.exit =
        ExitResult{exit.value("code", 0), exit.value("signal", 0), exit.value("oom_killed", false),
                   Text(exit, "error"), exit.value("ended_at", WallTime{0})};
  }
  DROVER_ASSIGN(state.wish, DecodeWish(Text(of, "wish")));
  state.delay_until = DecodeTime(of, "delay_until");
  state.stop_since = DecodeTime(of, "stop_since");
  if (of.contains("network")) {
    const json& network = of.at("network");
    state.network = DriverNetwork{network.value("ports", std::map<std::string, int>()),
                                  Text(network, "ip"), network.value("advertise", false)};
  }
  state.run_complete = of.value("complete", false);
  return state;
}

Result<TaskStateRecord> ReadTaskState(const json& of) {
  TaskStateRecord state;
  DROVER_ASSIGN(state.state, DecodeState(Text(of, "state")));
  state.failed = of.value("failed", false);
  state.restarts = of.value("restarts", std::uint64_t{0});
  state.last_restart = of.value("last_restart", WallTime{0});
  state.started_at = of.value("started_at", WallTime{0});
  state.finished_at = of.value("finished_at", WallTime{0});
  state.attempts = of.value("attempts", 0);
  state.attempts_since = of.value("attempts_since", WallTime{0});
  state.paused = of.value("paused", false);
  state.unhealthy = of.value("unhealthy", false);
  for (const json& event : of.value("events", json::array())) {
    state.events.push_back(DecodeEvent(event));
  }
  return state;
}

}  // namespace

json EncodeTaskState(const TaskStateRecord& state) {
  json events = json::array();
  for (const TaskEvent& event : state.events) {
    events.push_back({{"type", event.type},
                      {"time", event.time},
                      {"details", event.details},
                      {"message", event.display_message}});
  }
  json out = {{"state", RunnerStateName(state.state)},
              {"failed", state.failed},
              {"restarts", state.restarts},
              {"last_restart", state.last_restart},
              {"started_at", state.started_at},
              {"finished_at", state.finished_at},
              {"attempts", state.attempts},
              {"attempts_since", state.attempts_since},
              {"events", std::move(events)}};
  if (state.paused) out["paused"] = true;
  if (state.unhealthy) out["unhealthy"] = true;
  return out;
}

Result<TaskStateRecord> DecodeTaskState(const json& json) {
  try {
    return ReadTaskState(json);
  } catch (const nlohmann::json::exception& error) {
    return Error(Code::kInvalidArgument, error.what());
  }
}

json EncodeLocalState(const LocalState& state) {
  json out = {{"config_id", state.task_config_id}, {"complete", state.run_complete}};
  for (const auto& [name, hook] : state.hooks) out["hooks"][name] = EncodeHook(hook);
  if (state.run_id) out["run"] = state.run_id->ToString();
  for (const TaskMount& mount : state.mounts) out["mounts"].push_back(EncodeMount(mount));
  for (const TaskDevice& device : state.devices) out["devices"].push_back(EncodeDevice(device));
  if (!state.device_env.empty()) out["device_env"] = state.device_env;
  if (state.handle) out["handle"] = EncodeHandle(*state.handle);
  if (state.exit) out["exit"] = EncodeExit(*state.exit);
  if (state.wish != RunWish::kNone) out["wish"] = WishName(state.wish);
  if (state.delay_until) out["delay_until"] = EncodeTime(*state.delay_until);
  if (state.stop_since) out["stop_since"] = EncodeTime(*state.stop_since);
  if (state.network) out["network"] = EncodeNetwork(*state.network);
  return out;
}

Result<LocalState> DecodeLocalState(const json& json) {
  try {
    return ReadLocalState(json);
  } catch (const nlohmann::json::exception& error) {
    return Error(Code::kInvalidArgument, error.what());
  }
}

}  // namespace drover
