// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <string>
#include <utility>
#include <vector>

#include "drover/host.hpp"
#include "engine/cancel_token.h"

#if __has_include("drover/progress.hpp")
#include "drover/progress.hpp"
#define DROVER_DOCKER_HAS_PROGRESS 1
#endif
#if __has_include("drover/node.hpp")
#include "drover/node.hpp"
#define DROVER_DOCKER_HAS_NODE 1
#endif
#if __has_include("drover/command.hpp")
#include "drover/command.hpp"
#define DROVER_DOCKER_HAS_COMMAND 1
#endif
#if __has_include("drover/task_env.hpp")
#include "drover/task_env.hpp"
#define DROVER_DOCKER_HAS_TASK_ENV 1
#endif
#if __has_include("drover/task_place.hpp")
#include "drover/task_place.hpp"
#define DROVER_DOCKER_HAS_TASK_PLACE 1
#endif

// The drafts of host services that this driver uses where the SDK and the host have them. Without
// them it works, but shows and knows less.
namespace drover_docker {

// How far a pull is, as ReportPull shows it.
struct PullState {
  std::string phase;
  std::uint64_t done = 0;   // bytes
  std::uint64_t total = 0;  // bytes; 0: unknown
  std::string text;
};

// Shows how far a pull of CALL is. Returns false if the host cannot show it. [any-thread]
inline bool ReportPull(const drover::Host& host, const drover::CallView& call,
                       const PullState& state) {
#ifdef DROVER_DOCKER_HAS_PROGRESS
  drover::Progress progress;
  progress.phase = state.phase;
  progress.done = state.done;
  progress.total = state.total;
  progress.unit = "bytes";
  progress.text = state.text;
  return drover::Report(host, call, progress);
#else
  (void)host, (void)call, (void)state;
  return false;
#endif
}

// Asks the host for more time for CALL. [any-thread]
inline void AskForTime(const drover::Host& host, const drover::CallView& call,
                       drover::Duration more) {
#ifdef DROVER_DOCKER_HAS_PROGRESS
  drover::Extend(host, call, more);
#else
  (void)host, (void)call, (void)more;
#endif
}

// Returns the id of the node, or an empty text if the host does not say it.
inline std::string NodeIdOf(const drover::Host& host) {
#ifdef DROVER_DOCKER_HAS_NODE
  if (const auto node = drover::GetNode(host)) return node->node_id;
#else
  (void)host;
#endif
  return "";
}

// Replaces the references ${...} in the values of TEXTS, which the operator has written, with the
// values of RUN. They stay where the host cannot replace them. Blocks. Throws drover::Error.
inline void ReplaceReferences(const drover::Host& host, const drover::RunId& run,
                              drover::StringMap* texts) {
#ifdef DROVER_DOCKER_HAS_TASK_ENV
  std::vector<std::string> values;
  bool any = false;
  for (const auto& [name, value] : *texts) {
    any = any || value.find("${") != std::string::npos;
    values.push_back(value);
  }
  if (!any || !drover::CanInterpolate(host)) return;
  values = drover::InterpolateAll(host, run, values);
  std::size_t at = 0;
  for (auto& [name, value] : *texts) {
    if (at < values.size()) value = std::move(values[at++]);
  }
#else
  (void)host, (void)run, (void)texts;
#endif
}

// Returns the cgroup of the host below which the engine starts the processes of RUN, or an empty
// text if the host has none. Blocks. Throws drover::Error.
inline std::string CgroupOf(const drover::Host& host, const drover::RunId& run) {
#ifdef DROVER_DOCKER_HAS_TASK_PLACE
  if (!drover::HasPlaces(host)) return "";
  try {
    return drover::MakePlace(host, run)->cgroup;
  } catch (const drover::Error& error) {
    const drover::Code code = error.code();
    const bool none =
        code == drover::Code::kFailedPrecondition || code == drover::Code::kUnimplemented;
    if (!none) throw;
    return "";
  }
#else
  (void)host, (void)run;
  return "";
#endif
}

#ifdef DROVER_DOCKER_HAS_COMMAND
// Runs a helper program. The host's error for one that it has killed ends with the last words of
// the program, which may have secrets. So another error takes its place.
inline drover::CommandResult RunInTime(const drover::Host& host, const drover::CommandSpec& spec,
                                       const drover::CallView& call) {
  try {
    return drover::RunCommand(host, spec, &call);
  } catch (const drover::Error& error) {
    if (error.code() != drover::Code::kTimeout) throw;
    throw drover::Error(drover::Code::kTimeout,
                        spec.argv.front() + " has not ended in time and was killed");
  }
}
#endif

// Runs a helper program with INPUT, and returns its output. The program is killed when the host
// gives CALL up, whose token is CANCEL. Blocks. Throws drover::Error, without the output of the
// program, which may have secrets.
inline std::string RunProgram(const drover::Host& host, const drover::CallView& call,
                              const CancelToken& cancel, std::vector<std::string> argv,
                              std::string input) {
#ifdef DROVER_DOCKER_HAS_COMMAND
  // RunCommand takes the place of the function that cancels the token.
  struct TokenAgain {
    const drover::CallView& call;
    const CancelToken& cancel;
    ~TokenAgain() {
      call.OnCancel([token = cancel] { token.Cancel(); });
    }
  } const again{call, cancel};
  drover::CommandSpec spec;
  spec.argv = std::move(argv);
  spec.input = std::move(input);
  for (const char* variable : {"PATH", "HOME"}) {
    if (const char* value = ::getenv(variable)) spec.env[variable] = value;
  }
  spec.timeout = std::chrono::seconds(30);
  spec.max_output = 64 * 1024;
  const drover::CommandResult result = RunInTime(host, spec, call);
  if (result.ok()) return result.output;
  std::string why = result.exit.signal != 0
                        ? " was killed by signal " + std::to_string(result.exit.signal)
                        : " has failed with exit code " + std::to_string(result.exit.exit_code);
  // A credential helper that does not know the registry says so in its output, and fails.
  const char kUnknown[] = "credentials not found";
  if (result.output.find(kUnknown) != std::string::npos) why += std::string(": ") + kUnknown;
  throw drover::Error(drover::Code::kFailedPrecondition, spec.argv.front() + why);
#else
  (void)host, (void)call, (void)cancel, (void)argv, (void)input;
  throw drover::Error(drover::Code::kUnimplemented,
                      "this host runs no programs for drivers, so the credential helper "
                      "cannot be used");
#endif
}

}  // namespace drover_docker
