// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Runs an action of a job beside one of its tasks.
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/exec_client.h"
#include "host/cli/id_lookup.h"
#include "host/cli/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

// Where actions are looked for: in a job, and in one allocation of it if one is named.
struct Place {
  JobName job;
  std::string alloc;  // its id; empty: any
  std::string group;  // empty: any
};

Result<Place> FindPlace(ApiClient* client, const JobOptions& options) {
  Place place;
  place.group = options.group;
  if (!options.job.empty()) {
    DROVER_ASSIGN(place.job, FindJob(client, options.job));
  }
  if (options.alloc.empty()) return place;
  DROVER_ASSIGN(place.alloc, FindId(client, kAllocIds, options.alloc));
  DROVER_ASSIGN(const json alloc, client->Get(ApiPath("/v1/allocation", place.alloc)));
  if (options.job.empty()) place.job = {RawField(alloc, "JobID"), RawField(alloc, "Namespace")};
  place.group = RawField(alloc, "TaskGroup");
  return place;
}

// An action as people tell it from others.
std::string DescribedAction(const json& action) {
  return TextField(action, "Name") + " of the task " + TextField(action, "TaskName") +
         " in the group " + TextField(action, "TaskGroupName");
}

// The only one of ACTIONS that is meant.
Result<json> FindAction(const json& actions, const Place& place, const JobOptions& options) {
  const json* found = nullptr;
  bool several = false;
  std::string all;
  for (const json& action : AsList(actions)) {
    all += "\n  " + DescribedAction(action);
    if (RawField(action, "Name") != options.id) continue;
    if (!options.task.empty() && RawField(action, "TaskName") != options.task) continue;
    if (!place.group.empty() && RawField(action, "TaskGroupName") != place.group) continue;
    several = found != nullptr;
    found = &action;
    if (several) break;
  }
  if (several) {
    return Error(Code::kInvalidArgument, "several tasks of the job \"" + place.job.id +
                                             "\" have the action \"" + options.id +
                                             "\": name one with --group and --task");
  }
  if (found != nullptr) return *found;
  return Error(Code::kNotFound, "the job \"" + place.job.id + "\" has no such action \"" +
                                    options.id + "\"" +
                                    (all.empty() ? ", and no other one" : "; it has:" + all));
}

Result<int> RunAction(ApiClient* client, const JobOptions& options) {
  if (options.tty && isatty(STDIN_FILENO) != 1) {
    return Error(Code::kInvalidArgument, "-t needs a terminal as standard input");
  }
  DROVER_ASSIGN(Place place, FindPlace(client, options));
  DROVER_ASSIGN(const json actions, client->Get(ApiPath("/v1/job", place.job.id, "/actions"),
                                                {{"namespace", place.job.job_namespace}}));
  DROVER_ASSIGN(const json action, FindAction(actions, place, options));
  const std::string group = RawField(action, "TaskGroupName");
  if (place.alloc.empty()) {
    DROVER_ASSIGN(place.alloc, FindAllocOfJob(client, place.job.id, group));
  }
  const Query query = {{"action", options.id},
                       {"allocID", place.alloc},
                       {"group", group},
                       {"namespace", place.job.job_namespace},
                       {"task", RawField(action, "TaskName")},
                       {"tty", options.tty ? "true" : "false"}};
  DROVER_ASSIGN(const std::unique_ptr<WebSocketClient> socket,
                client->OpenWebSocket(ApiPath("/v1/job", place.job.id, "/action"), query));
  ExecClientOptions session;
  session.input = options.input || options.tty;
  session.tty = options.tty;
  const Result<int> code = ExecClient(socket.get(), session).Run();
  if (code.ok()) return *code;
  return Error(code.code(), "failed to run the action: " + code.error().message());
}

}  // namespace

int JobActionCommand(const JobOptions& options) {
  return RunClientCommand("job action", options,
                          [&](auto* client, auto*) { return RunAction(client, options); });
}

}  // namespace drover
