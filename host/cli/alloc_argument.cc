// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/alloc_argument.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "host/cli/client_command.h"
#include "host/cli/id_lookup.h"
#include "host/cli/json_fields.h"

namespace drover {

using nlohmann::json;

void AllocArgument::Declare(CLI::App* command) {
  AddId(command, &id);
  command->add_flag("--job", of_job,
                    "The ID is that of a job: the newest of its allocations, if possible one that "
                    "runs");
  command->add_option("--group", group, "With --job: of this task group");
}

Result<std::string> AllocArgument::Find(ApiClient* client) const {
  return of_job ? FindAllocOfJob(client, id, group) : FindId(client, kAllocIds, id);
}

Result<std::string> FindTaskName(ApiClient* client, const std::string& alloc,
                                 const std::string& task) {
  if (!task.empty()) return task;
  DROVER_ASSIGN(const json found, client->Get(ApiPath("/v1/allocation", alloc)));
  const json& states = MapField(found, "TaskStates");
  if (states.size() == 1) return states.begin().key();
  std::string names;
  for (const auto& [name, state] : states.items()) names += (names.empty() ? "" : ", ") + name;
  return Error(Code::kInvalidArgument, states.empty()
                                           ? "no task of the allocation has started yet"
                                           : "name one of its tasks with --task: " + names);
}

}  // namespace drover
