// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "host/cli/exec_client.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

// Where the command searches for an action: in a job, or only in one allocation or task group of
// the job.
struct ActionPlace {
  JobName job;
  std::string alloc;  // id of an allocation of the job; empty for any allocation
  std::string group;  // a task group; empty for any group
};

// Returns the name of ACTION, its task and its task group.
std::string DescribedAction(const json& action) {
  return TextField(action, "Name") + " of the task " + TextField(action, "TaskName") +
         " in the group " + TextField(action, "TaskGroupName");
}

struct JobActionCommand {
  std::string name;
  std::string job;  // name of the job, or the beginning of it
  // Id of the allocation, or the beginning of it. Empty for the newest allocation that runs.
  std::string alloc;
  std::string group;  // empty if only one group has the action
  std::string task;   // empty if only one task has the action
  bool input = false;
  bool tty = false;

  void Declare(CLI::App* command) {
    command->add_option("ACTION", name, "Its name")->required();
    CLI::Option_group* const where = command->add_option_group("At least one of");
    where->add_option("--job", job,
                      "Of this job: beside the newest allocation, if possible one that runs");
    where->add_option("--alloc", alloc, "Beside this allocation, of its job");
    where->require_option(1, 2);
    command->add_option("--group", group, "Of this task group, if several have it");
    command->add_option("--task", task, "Of this task, if several have it");
    command->add_flag("-i", input, "Gives it standard input; else that is empty");
    command->add_flag("-t", tty, "Gives it a terminal, and standard input");
    AddNote(command, "The exit code is that of the action, or 1 when there is none.");
  }

  Result<int> Run(ApiClient* client) const {
    if (tty && isatty(STDIN_FILENO) != 1) {
      return Error(Code::kInvalidArgument, "-t needs a terminal as standard input");
    }
    DROVER_ASSIGN(ActionPlace place, FindPlace(client));
    DROVER_ASSIGN(const json actions, client->Get(ApiPath("/v1/job", place.job.id, "/actions"),
                                                  {{"namespace", place.job.job_namespace}}));
    DROVER_ASSIGN(const json action, FindAction(actions, place));
    const std::string of_group = RawField(action, "TaskGroupName");
    if (place.alloc.empty()) {
      DROVER_ASSIGN(place.alloc, FindAllocOfJob(client, place.job.id, of_group));
    }
    const Query query = {{"action", name},
                         {"allocID", place.alloc},
                         {"group", of_group},
                         {"namespace", place.job.job_namespace},
                         {"task", RawField(action, "TaskName")},
                         {"tty", tty ? "true" : "false"}};
    DROVER_ASSIGN(const std::unique_ptr<WebSocketClient> socket,
                  client->OpenWebSocket(ApiPath("/v1/job", place.job.id, "/action"), query));
    const ExecClientOptions session = {.input = input || tty, .tty = tty};
    const Result<int> code = ExecClient(socket.get(), session).Run();
    if (code.ok()) return *code;
    return Error(code.code(), "failed to run the action: " + code.error().message());
  }

  Result<ActionPlace> FindPlace(ApiClient* client) const {
    ActionPlace place;
    place.group = group;
    if (!job.empty()) {
      DROVER_ASSIGN(place.job, FindJob(client, job));
    }
    if (alloc.empty()) return place;
    DROVER_ASSIGN(place.alloc, FindId(client, kAllocIds, alloc));
    DROVER_ASSIGN(const json found, client->Get(ApiPath("/v1/allocation", place.alloc)));
    if (job.empty()) place.job = {RawField(found, "JobID"), RawField(found, "Namespace")};
    place.group = RawField(found, "TaskGroup");
    return place;
  }

  // Returns the action in ACTIONS that matches the options and PLACE. Returns an error if none or
  // several match.
  Result<json> FindAction(const json& actions, const ActionPlace& place) const {
    const json* found = nullptr;
    std::string all;
    for (const json& action : AsList(actions)) {
      all += "\n  " + DescribedAction(action);
      if (RawField(action, "Name") != name) continue;
      if (!task.empty() && RawField(action, "TaskName") != task) continue;
      if (!place.group.empty() && RawField(action, "TaskGroupName") != place.group) continue;
      if (found != nullptr) {
        return Error(Code::kInvalidArgument, "several tasks of the job \"" + place.job.id +
                                                 "\" have the action \"" + name +
                                                 "\": name one with --group and --task");
      }
      found = &action;
    }
    if (found != nullptr) return *found;
    return Error(Code::kNotFound, "the job \"" + place.job.id + "\" has no such action \"" + name +
                                      "\"" +
                                      (all.empty() ? ", and no other one" : "; it has:" + all));
  }
};

}  // namespace

void AddJobAction(const ClientGroup& job) {
  job.AddPlain<JobActionCommand>("action",
                                 "Runs an action that a job has, beside one of its tasks");
}

}  // namespace drover
