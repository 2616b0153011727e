// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

using nlohmann::json;

struct AllocRestartCommand {
  std::string id;
  std::string task;
  bool all_tasks = false;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_option("TASK,--task", task, "Only this task");
    command->add_flag("--all-tasks", all_tasks, "Those that have ended, too");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string alloc, FindId(client, kAllocIds, id));
    json body = json::object();
    if (!task.empty()) body["TaskName"] = task;
    if (all_tasks) body["AllTasks"] = true;
    DROVER_ASSIGN(const json answer,
                  client->Put(ApiPath("/v1/client/allocation", alloc, "/restart"), body));
    const std::string what = task.empty() ? "" : "task \"" + Printable(task) + "\" of ";
    return out->Print(answer, what + "allocation " + Printable(alloc) + " has been restarted");
  }
};

}  // namespace

void AddAllocRestart(const ClientGroup& alloc) {
  alloc.Add<AllocRestartCommand>("restart", "Restarts the tasks that run");
}

}  // namespace drover
