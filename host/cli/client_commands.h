// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/client/api_client.h"

namespace drover {

// The commands that ask an agent. They print for themselves and return the exit code.

// What all of them take.
struct ClientCommandOptions {
  ClientOptions client;
  std::string id;        // of what the command is about, or the beginning of it
  bool json = false;     // prints what the agent has answered
  std::string form;      // prints it by this template
  bool verbose = false;  // ids in full
  bool detach = false;   // does not wait for what comes of it
  bool yes = false;      // does not ask
  bool no_shutdown_delay = false;

  // Whether what the agent has answered is printed, and no table.
  bool raw() const { return json || !form.empty(); }
};

struct JobOptions : ClientCommandOptions {
  std::string file;
  std::optional<std::uint64_t> check_index;
  std::optional<std::uint64_t> version;
  bool follow = false;
  bool purge = false;
  bool all = false;
  std::string tag;  // of a version
  std::string description;
  // Of an action, whose name is the ID.
  std::string job;    // the job, or the beginning of its name
  std::string alloc;  // the allocation, or the beginning of its id; empty: one that runs
  std::string group;  // empty: the only one that has the action
  std::string task;   // the same
  bool input = false;
  bool tty = false;
};
inline constexpr int kExitPlanError = 255;
int JobRunCommand(const JobOptions& options);
int JobPlanCommand(const JobOptions& options);
int JobStopCommand(const JobOptions& options);
int JobStatusCommand(const JobOptions& options);
int JobInspectCommand(const JobOptions& options);
int JobHistoryCommand(const JobOptions& options);
int JobAllocsCommand(const JobOptions& options);
int JobActionCommand(const JobOptions& options);
int JobTagApplyCommand(const JobOptions& options);
int JobTagUnsetCommand(const JobOptions& options);

struct AllocOptions : ClientCommandOptions {
  bool of_job = false;  // the id is that of a job: the newest of its allocations is meant
  std::string group;    // of that job; empty: any
  std::string task;
  bool all_tasks = false;
  std::string signal = "SIGKILL";
  bool follow = false;
  bool standard_output = false;  // neither: see alloc logs
  bool standard_error = false;
  bool tail = false;
  std::optional<std::int64_t> lines;  // the last ones only
  std::optional<std::int64_t> bytes;
  std::string path = "/";
  bool stat = false;
  std::vector<std::string> command;
  bool interactive = true;
  bool tty = false;
  bool no_tty = false;  // neither: a terminal if this program has one
};
int AllocStatusCommand(const AllocOptions& options);
int AllocRestartCommand(const AllocOptions& options);
int AllocStopCommand(const AllocOptions& options);
int AllocSignalCommand(const AllocOptions& options);
int AllocChecksCommand(const AllocOptions& options);
int AllocLogsCommand(const AllocOptions& options);
int AllocFsCommand(const AllocOptions& options);
int AllocExecCommand(const AllocOptions& options);

struct NodeCommandOptions : ClientCommandOptions {
  bool self = false;  // the node of the agent that is asked
  bool enable = false;
  bool disable = false;
  // Of a drain.
  std::string deadline = "1h";
  bool force = false;
  bool no_deadline = false;
  bool ignore_system = false;
  bool keep_ineligible = false;
  std::string message;
  std::vector<std::string> meta;   // KEY=VALUE
  std::vector<std::string> unset;  // keys
  bool monitor = false;            // only shows the drain that there is
};
int NodeStatusCommand(const NodeCommandOptions& options);
int NodeDrainCommand(const NodeCommandOptions& options);
int NodeEligibilityCommand(const NodeCommandOptions& options);
int NodeMetaReadCommand(const NodeCommandOptions& options);
int NodeMetaApplyCommand(const NodeCommandOptions& options);

struct EvalOptions : ClientCommandOptions {
  std::string job;
  std::string status;
  std::vector<std::string> ids;  // of those that are to go, or their beginnings
  std::string filter;            // or what chooses them
};
int EvalDeleteCommand(const EvalOptions& options);
int EvalStatusCommand(const EvalOptions& options);
int EvalListCommand(const EvalOptions& options);
int SystemGcCommand(const ClientCommandOptions& options);

int AgentPluginsCommand(const ClientCommandOptions& options);

struct AgentPluginOptions : ClientCommandOptions {
  bool output = false;  // only what the plugin wrote last
};
int PluginStatusCommand(const AgentPluginOptions& options);
int PluginReloadCommand(const AgentPluginOptions& options);

struct MonitorOptions : ClientCommandOptions {
  std::string level = "info";
};
int MonitorCommand(const MonitorOptions& options);

struct EventsOptions : ClientCommandOptions {
  std::vector<std::string> topics;  // TOPIC or TOPIC:KEY; empty: all
  std::uint64_t index = 0;          // from this on; 0: all that the agent still has
};
int EventsCommand(const EventsOptions& options);

}  // namespace drover
