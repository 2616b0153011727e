// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/wire_records.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "host/base/text.h"
#include "host/cluster/go_time.h"
#include "host/cluster/wire_object.h"
#include "host/task/task_event.h"
#include "host/task/task_state.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostAddress = 256;  // in bytes, of a server
constexpr std::size_t kMostToken = std::size_t{16} << 10;

std::int64_t NumberOf(std::string_view text) { return ParseNumber<std::int64_t>(text).value_or(0); }

json WireEvent(const TaskEvent& event) {
  const auto text = [&](const char* key) { return std::string(event.Detail(key)); };
  const Result<Duration> kill_timeout = ParseDuration(event.Detail(event_key::kKillTimeout));
  return {{"Type", event.type},
          {"Time", event.time},
          {"DisplayMessage",
           event.display_message.empty() ? DisplayMessage(event) : event.display_message},
          {"Details", event.details},
          {"Message", text(event_key::kMessage)},
          {"FailsTask", event.fails_task()},
          {"RestartReason", text(event_key::kRestartReason)},
          {"SetupError", text(event_key::kSetupError)},
          {"DriverError", text(event_key::kDriverError)},
          {"DriverMessage", text(event_key::kDriverMessage)},
          {"ExitCode", NumberOf(event.Detail(event_key::kExitCode))},
          {"Signal", NumberOf(event.Detail(event_key::kSignal))},
          {"KillTimeout", kill_timeout.ok() ? kill_timeout->count() : 0},
          {"KillError", text(event_key::kKillError)},
          {"KillReason", text(event_key::kKillReason)},
          {"StartDelay", NumberOf(event.Detail(event_key::kStartDelay))},
          {"DownloadError", text(event_key::kDownloadError)},
          {"ValidationError", text(event_key::kValidationError)},
          {"FailedSibling", text(event_key::kFailedSibling)}};
}

// Paused is left out: for servers it is the state of a schedule, which no task has here.
json WireTaskState(const TaskStateRecord& task) {
  json events = json::array();
  for (const SharedTaskEvent& event : task.events) events.push_back(WireEvent(event));
  return {{"State", RunnerStateName(task.state)},
          {"Failed", task.failed},
          {"Restarts", task.restarts},
          {"LastRestart", WriteGoTime(task.last_restart)},
          {"StartedAt", WriteGoTime(task.started_at)},
          {"FinishedAt", WriteGoTime(task.finished_at)},
          {"Events", std::move(events)}};
}

}  // namespace

json WireAllocUpdate(const AllocUpdate& update, const std::string& node_id) {
  json tasks = json::object();
  for (const auto& [name, task] : update.tasks) {
    if (task != nullptr) tasks[name] = WireTaskState(*task);
  }
  json out = {{"ID", update.id},
              {"NodeID", node_id},
              {"ClientStatus", ClientStatusName(update.status.status)},
              {"ClientDescription", update.status.description},
              {"TaskStates", std::move(tasks)}};
  if (update.health) {
    out["DeploymentStatus"] = {{"Healthy", update.health->healthy},
                               {"Timestamp", WriteGoTime(update.health->timestamp)}};
  }
  if (update.network) {
    const AllocationNetwork& network = *update.network;
    json& status = out["NetworkStatus"];
    status = {{"InterfaceName", network.interface_name},
              {"Address", network.address},
              {"AddressIPv6", network.address_ipv6}};
    if (!network.dns.empty()) {
      status["DNS"] = {{"Servers", network.dns.servers},
                       {"Searches", network.dns.searches},
                       {"Options", network.dns.options}};
    }
  }
  return out;
}

json WireNodeEvent(const NodeEvent& event) {
  return {{"Message", event.message},
          {"Subsystem", event.subsystem},
          {"Details", event.details},
          {"Timestamp", WriteGoTime(event.time)}};
}

json WireService(const ServiceRegistration& service) {
  return {{"ID", service.id},
          {"ServiceName", service.name},
          {"Namespace", service.service_namespace},
          {"NodeID", service.node_id},
          {"Datacenter", service.datacenter},
          {"JobID", service.job_id},
          {"AllocID", service.alloc_id},
          {"Tags", service.tags},
          {"Address", service.address},
          {"Port", service.port}};
}

Result<NodeUpdateAnswer> ReadNodeUpdateAnswer(const json& body) {
  std::optional<Error> fault;
  const WireObject in(body, "the answer for the node", &fault);
  NodeUpdateAnswer answer;
  in.Read("HeartbeatTTL", &answer.heartbeat_ttl);
  answer.heartbeat_ttl = std::clamp(answer.heartbeat_ttl, NodeUpdateAnswer::kShortestTtl,
                                    NodeUpdateAnswer::kLongestTtl);
  in.Read("Index", &answer.index);
  in.Read("LeaderRPCAddr", &answer.leader);
  in.Read("NumNodes", &answer.node_count);
  std::string eligibility;
  in.Read("SchedulingEligibility", &eligibility);
  answer.eligible = eligibility != "ineligible";
  in.Read("SignedIdentity", &answer.identity);
  if (answer.identity.size() > kMostToken) in.Fault("SignedIdentity", "is too long for a token");
  for (const WireObject& server : in.List("Servers", NodeUpdateAnswer::kMostServers)) {
    std::string address;
    server.Read("RPCAdvertiseAddr", &address);
    if (address.size() > kMostAddress) server.Fault("RPCAdvertiseAddr", "is too long");
    if (!address.empty()) answer.servers.push_back(std::move(address));
  }
  if (fault) return *fault;
  return answer;
}

}  // namespace drover
