// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/eval_follower.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

struct AllocStopCommand {
  std::string id;
  bool no_shutdown_delay = false;
  bool no_reschedule = false;
  WaitOptions wait;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_flag("--no-shutdown-delay", no_shutdown_delay,
                      "Stops the tasks without their shutdown delay");
    command->add_flag("--no-reschedule", no_reschedule, "No other allocation replaces it");
    wait.Declare(command);
    AddNote(command, kWaitCodes);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string alloc, FindId(client, kAllocIds, id));
    DROVER_ASSIGN(const json whole, client->Get(ApiPath("/v1/allocation", alloc)));
    Query query;
    if (no_shutdown_delay) query.emplace_back("no_shutdown_delay", "true");
    // The scheduler always replaces a stopped allocation of a service. It replaces a stopped
    // allocation of a batch job only if the request asks for a replacement.
    const bool batch = RawField(MapField(whole, "Job"), "Type") == "batch";
    if (no_reschedule) {
      query.emplace_back("no_reschedule", "true");
    } else if (batch) {
      query.emplace_back("reschedule", "true");
    }
    DROVER_ASSIGN(const json answer,
                  client->Put(ApiPath("/v1/allocation", alloc, "/stop"), json(nullptr), query));
    return FollowAnswer(client, out, wait, answer);
  }
};

}  // namespace

void AddAllocStop(const ClientGroup& alloc) {
  alloc.Add<AllocStopCommand>("stop", "Stops an allocation; another one replaces it");
}

}  // namespace drover
