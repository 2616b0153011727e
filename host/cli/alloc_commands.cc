// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What changes allocations: restart, stop and signal.
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/id_lookup.h"
#include "host/cli/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

Result<int> Restart(ApiClient* client, Terminal* terminal, const AllocOptions& options) {
  DROVER_ASSIGN(const std::string id, FindId(client, kAllocIds, options.id));
  json body = json::object();
  if (!options.task.empty()) body["TaskName"] = options.task;
  if (options.all_tasks) body["AllTasks"] = true;
  DROVER_ASSIGN(const json answer,
                client->Put(ApiPath("/v1/client/allocation", id, "/restart"), body));
  if (options.raw()) return PrintAnswer(options, answer);
  const std::string what =
      options.task.empty() ? "" : "task \"" + Printable(options.task) + "\" of ";
  terminal->Line(what + "allocation " + Printable(id) + " has been restarted");
  return kExitOk;
}

Result<int> Stop(ApiClient* client, Terminal* terminal, const AllocOptions& options) {
  DROVER_ASSIGN(const std::string id, FindId(client, kAllocIds, options.id));
  DROVER_ASSIGN(const json alloc, client->Get(ApiPath("/v1/allocation", id)));
  Query query;
  if (options.no_shutdown_delay) query.emplace_back("no_shutdown_delay", "true");
  // The work of a batch job is done elsewhere; that of a service is placed again anyway.
  if (RawField(MapField(alloc, "Job"), "Type") == "batch") query.emplace_back("reschedule", "true");
  DROVER_ASSIGN(const json answer,
                client->Put(ApiPath("/v1/allocation", id, "/stop"), json(nullptr), query));
  return FollowAnswer(client, terminal, options, answer);
}

Result<int> Signal(ApiClient* client, Terminal* terminal, const AllocOptions& options) {
  DROVER_ASSIGN(const std::string id, FindId(client, kAllocIds, options.id));
  const json body = {{"Task", options.task}, {"Signal", options.signal}};
  DROVER_ASSIGN(const json answer,
                client->Put(ApiPath("/v1/client/allocation", id, "/signal"), body));
  if (options.raw()) return PrintAnswer(options, answer);
  terminal->Line(
      Printable(options.signal) + " has been sent to " +
      (options.task.empty() ? "every task" : "task \"" + Printable(options.task) + "\"") +
      " of allocation " + Printable(id));
  return kExitOk;
}

}  // namespace

int AllocRestartCommand(const AllocOptions& options) {
  return RunClientCommand("alloc restart", options,
                          [&](auto* client, auto* out) { return Restart(client, out, options); });
}

int AllocStopCommand(const AllocOptions& options) {
  return RunClientCommand("alloc stop", options,
                          [&](auto* client, auto* out) { return Stop(client, out, options); });
}

int AllocSignalCommand(const AllocOptions& options) {
  return RunClientCommand("alloc signal", options,
                          [&](auto* client, auto* out) { return Signal(client, out, options); });
}

}  // namespace drover
