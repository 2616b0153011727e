// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/drain_monitor.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/base/printable.h"
#include "host/client/api_client.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"
#include "host/view/terminal.h"

namespace drover {
namespace {

using nlohmann::json;

bool HasEnded(const std::string& client_status) {
  return client_status != "pending" && client_status != "running" && client_status != "unknown";
}

bool IsOfSystemJob(const json& alloc) {
  const std::string type = RawField(MapField(alloc, "Job"), "Type");
  return type == "system" || type == "sysbatch";
}

}  // namespace

std::vector<std::string> DrainChanges::Take(const json& allocs) {
  std::vector<std::string> lines;
  leaving_ = 0;
  for (const json& alloc : AsList(allocs)) {
    if (ignores_system_ && IsOfSystemJob(alloc)) continue;
    const std::string id = RawField(alloc, "ID");
    const std::string name = "Alloc \"" + ShownId(Printable(id), verbose_) + "\" ";
    Seen now{TextField(alloc, "ClientStatus"),
             FlagField(MapField(alloc, "DesiredTransition"), "Migrate"),
             RawField(alloc, "DesiredStatus") != "run"};
    if (now.migrates && !HasEnded(now.client)) ++leaving_;
    const auto [place, is_new] = seen_.try_emplace(id, now);
    Seen before = std::exchange(place->second, now);
    if (first_) continue;
    if (is_new) before = {now.client, false, false};
    if (now.migrates && !before.migrates) lines.push_back(name + "marked for migration");
    if (now.migrates && now.stops && !before.stops) lines.push_back(name + "draining");
    if (now.client != before.client) {
      lines.push_back(name + "status " + before.client + " -> " + now.client);
    }
  }
  first_ = false;
  return lines;
}

Status DrainMonitor::Begin() {
  DROVER_ASSIGN(const json allocs, client_->Get(ApiPath("/v1/node", node_id_, "/allocations")));
  changes_.Take(allocs);
  return {};
}

Status DrainMonitor::ShowChanges() {
  DROVER_ASSIGN(const json allocs, client_->Get(ApiPath("/v1/node", node_id_, "/allocations")));
  for (const std::string& line : changes_.Take(allocs)) terminal_->Line(line);
  return {};
}

Status DrainMonitor::Follow() {
  std::uint64_t index = 0;
  bool draining = true;
  while (draining || changes_.leaving() > 0) {
    // Allocations change more often than the node. So a request that waits for a change of the node
    // waits for one second at most.
    DROVER_ASSIGN(const json node, client_->Get(ApiPath("/v1/node", node_id_), {}, &index, 1s));
    const json& strategy = MapField(node, "DrainStrategy");
    if (FlagField(strategy, "IgnoreSystemJobs")) changes_.IgnoreSystem();
    DROVER_TRY(ShowChanges());
    if (draining && strategy.empty()) {
      if (RawField(MapField(node, "LastDrain"), "Status") == "canceled") {
        terminal_->Line("Drain canceled for node " + Printable(node_id_));
        return {};
      }
      draining = false;
      terminal_->Line("Drain complete for node " + Printable(node_id_));
    }
  }
  terminal_->Line("All allocations on node \"" + Printable(node_id_) + "\" have stopped");
  return {};
}

}  // namespace drover
