// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

using nlohmann::json;

struct AllocPauseCommand {
  std::string id;
  std::string task;
  bool resume = false;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_option("TASK,--task", task, "Only this task");
    command->add_flag("--resume", resume, "Lets the tasks go on");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string alloc, FindId(client, kAllocIds, id));
    const json body = {{"Task", task}, {"ScheduleState", resume ? "run" : "pause"}};
    DROVER_ASSIGN(const json answer,
                  client->Put(ApiPath("/v1/client/allocation", alloc, "/pause"), body));
    const std::string whom =
        task.empty() ? "Every running task" : "Task \"" + Printable(task) + "\"";
    return out->Print(
        answer, whom + " of allocation " + Printable(alloc) + (resume ? " goes on" : " is paused"));
  }
};

}  // namespace

void AddAllocPause(const ClientGroup& alloc) {
  alloc.Add<AllocPauseCommand>("pause", "Holds the tasks without ending them, or lets them go on");
}

}  // namespace drover
