// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/container_info.h"

#include <utility>

#include "drover/error.hpp"
#include "engine/engine_error.h"
#include "engine/json_read.h"

namespace drover_docker {
namespace {

std::string WithoutSlash(std::string name) {
  if (!name.empty() && name[0] == '/') name.erase(0, 1);
  return name;
}

void ReadAddresses(const nlohmann::json& networks, ContainerInfo* out) {
  if (!networks.is_object()) return;
  for (auto at = networks.begin(); at != networks.end(); ++at) {
    std::string ip = TextAt(*at, {"IPAddress"});
    if (ip.empty()) ip = TextAt(*at, {"GlobalIPv6Address"});
    if (ip.empty()) continue;
    if (out->ip.empty()) out->ip = ip;
    out->ips[at.key()] = std::move(ip);
  }
}

std::string LowerCase(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

[[noreturn]] void RefuseContainer(const char* what) {
  throw drover::Error(drover::Code::kUnavailable,
                      std::string("the container engine describes a container without ") + what,
                      true);
}

}  // namespace

drover::ExitResult ContainerInfo::Exit() const { return ExitOf(exit_code, oom_killed, error); }

drover::ExitResult ExitOf(int exit_code, bool oom_killed, std::string error) {
  drover::ExitResult out;
  out.exit_code = exit_code;
  out.oom_killed = oom_killed;
  out.error = std::move(error);
  return out;
}

std::optional<int> ExitCodeAt(const nlohmann::json& state) {
  constexpr std::int64_t kNone = INT64_MIN;
  const std::int64_t code = IntAt(state, {"ExitCode"}, kNone);
  if (code < INT32_MIN || code > INT32_MAX) return std::nullopt;
  return static_cast<int>(code);
}

ContainerInfo ReadContainer(nlohmann::json json) {
  ContainerInfo out;
  out.id = TextAt(json, {"Id"});
  if (out.id.empty()) RefuseContainer("an id");
  const nlohmann::json& state = At(json, {"State"});
  if (!state.is_object()) RefuseContainer("a state");
  out.name = WithoutSlash(TextAt(json, {"Name"}));
  out.image = TextAt(json, {"Config", "Image"});
  out.image_id = TextAt(json, {"Image"});
  out.labels = TextsAt(json, {"Config", "Labels"});
  out.status = LowerCase(TextAt(state, {"Status"}));
  const bool says_running = At(state, {"Running"}).is_boolean();
  if (out.status.empty() && !says_running) RefuseContainer("a status");
  out.running = BoolAt(state, {"Running"}, out.status == "running" || out.status == "paused");
  out.paused = BoolAt(state, {"Paused"});
  if (out.status.empty()) out.status = out.running ? "running" : "exited";
  out.oom_killed = BoolAt(state, {"OOMKilled"});
  out.tty = BoolAt(json, {"Config", "Tty"});
  out.pid = static_cast<int>(IntAt(state, {"Pid"}));
  out.error = Printable(TextAt(state, {"Error"}));
  if (const auto code = ExitCodeAt(state)) {
    out.exit_code = *code;
  } else if (!out.running) {
    out.exit_code = -1;
    out.error += (out.error.empty() ? "" : ": ") + std::string(kNoExitCode);
  }
  out.created_at = ParseTime(TextAt(json, {"Created"}));
  out.started_at = ParseTime(TextAt(state, {"StartedAt"}));
  out.finished_at = ParseTime(TextAt(state, {"FinishedAt"}));
  out.network_mode = TextAt(json, {"HostConfig", "NetworkMode"});
  out.sandbox_key = TextAt(json, {"NetworkSettings", "SandboxKey"});
  ReadAddresses(At(json, {"NetworkSettings", "Networks"}), &out);
  if (out.ip.empty()) out.ip = TextAt(json, {"NetworkSettings", "IPAddress"});
  out.raw = std::move(json);
  return out;
}

ContainerInfo ReadListedContainer(nlohmann::json json) {
  ContainerInfo out;
  out.id = TextAt(json, {"Id"});
  if (out.id.empty()) RefuseContainer("an id");
  const nlohmann::json& names = At(json, {"Names"});
  if (names.is_array()) {
    for (const nlohmann::json& one : names) {
      std::string name = one.is_string() ? WithoutSlash(one.get<std::string>()) : std::string();
      // Another slash is in the name that a link of another container gives it.
      if (out.name.empty() || name.find('/') == name.npos) out.name = std::move(name);
    }
  }
  out.image = TextAt(json, {"Image"});
  out.image_id = TextAt(json, {"ImageID"});
  out.labels = TextsAt(json, {"Labels"});
  out.status = LowerCase(TextAt(json, {"State"}));
  out.paused = out.status == "paused";
  out.running = out.status == "running" || out.paused;
  const std::int64_t created = IntAt(json, {"Created"});  // in s
  if (created > 0 && created < 9'000'000'000) out.created_at = created * 1'000'000'000;
  out.network_mode = TextAt(json, {"HostConfig", "NetworkMode"});
  ReadAddresses(At(json, {"NetworkSettings", "Networks"}), &out);
  out.raw = std::move(json);
  return out;
}

}  // namespace drover_docker
