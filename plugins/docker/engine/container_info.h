// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "drover/types.hpp"

namespace drover_docker {

// A container as the engine describes it.
struct ContainerInfo {
  std::string id;
  std::string name;   // without the leading slash
  std::string image;  // what the creator named
  std::string image_id;
  drover::StringMap labels;
  std::string status;    // created, running, paused, restarting, removing, exited, dead; lower case
  bool running = false;  // true for a paused container, too
  bool paused = false;
  bool oom_killed = false;
  bool tty = false;
  int pid = 0;
  int exit_code = 0;
  std::string error;             // why the container could not start; may be empty
  std::int64_t created_at = 0;   // ns since 1970; 0: unknown
  std::int64_t started_at = 0;   // 0: never
  std::int64_t finished_at = 0;  // 0: not yet
  std::string network_mode;
  std::string ip;           // the first address of the container's networks; may be empty
  drover::StringMap ips;    // by the name of the network
  std::string sandbox_key;  // the path of its network namespace; may be empty
  nlohmann::json raw;       // everything that the engine said

  // Returns whether it has ended, or never will run: exited or dead.
  bool ended() const { return status == "exited" || status == "dead" || status == "stopped"; }
  // The result of a container that has ended.
  drover::ExitResult Exit() const;
};

// Reads the answer to an inspection of a container. Throws Error(kUnavailable) if it has no id or
// no state. A container that does not run and has no exit code has -1, with kNoExitCode as the
// error.
ContainerInfo ReadContainer(nlohmann::json json);
// Reads one entry of a list of containers, which has fewer members.
ContainerInfo ReadListedContainer(nlohmann::json json);

inline constexpr char kNoExitCode[] = "the engine reports no exit code";
// Returns the member ExitCode of what an engine says about a container or a command; nothing if it
// is missing, no integer or too large.
std::optional<int> ExitCodeAt(const nlohmann::json& state);

// Makes the result of a container: an exit code of 129 to 192 after a signal stays a code, as
// engines do not report the signal itself.
drover::ExitResult ExitOf(int exit_code, bool oom_killed, std::string error);

}  // namespace drover_docker
