// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

using nlohmann::json;

struct AllocSignalCommand {
  std::string id;
  std::string task;
  std::string signal = "SIGKILL";

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_option("TASK,--task", task, "Only this task");
    command->add_option("-s,--signal", signal, "Its name")->capture_default_str();
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string alloc, FindId(client, kAllocIds, id));
    const json body = {{"Task", task}, {"Signal", signal}};
    DROVER_ASSIGN(const json answer,
                  client->Put(ApiPath("/v1/client/allocation", alloc, "/signal"), body));
    const std::string whom = task.empty() ? "every task" : "task \"" + Printable(task) + "\"";
    return out->Print(answer, Printable(signal) + " has been sent to " + whom + " of allocation " +
                                  Printable(alloc));
  }
};

}  // namespace

void AddAllocSignal(const ClientGroup& alloc) {
  alloc.Add<AllocSignalCommand>("signal", "Sends a signal to the tasks");
}

}  // namespace drover
