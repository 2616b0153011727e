// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <optional>

#include "host/api/collect_garbage.h"
#include "host/api/router.h"
#include "host/encode/encode.h"

namespace drover {
namespace {

using nlohmann::json;

// Returns the address of the API. The address is empty until the node has registered.
std::string Address(const ApiAgent& agent) {
  std::string address;
  agent.store->Read([&](const Tables& tables) {
    if (const auto node = Tables::Find(tables.nodes, agent.node_id)) address = node->http_address;
  });
  return address;
}

json EncodeMember(const ApiAgent& agent) {
  const HostAndPort address = SplitAddress(Address(agent));
  return {{"Name", agent.name + "." + agent.region},
          {"Addr", address.host},
          {"Port", address.port},
          {"Tags",
           {{"role", "nomad"},
            {"region", agent.region},
            {"dc", agent.datacenter},
            {"build", agent.version},
            // Clients compare this address and port with /v1/status/leader to find the leader.
            {"rpc_addr", address.host},
            {"port", std::to_string(address.port)},
            {"id", agent.node_id},
            {"bootstrap", "1"},
            {"expect", "1"},
            {"vsn", "1"},
            {"raft_vsn", "3"}}},
          {"Status", "alive"},
          {"ProtocolMin", 1},
          {"ProtocolMax", 5},
          {"ProtocolCur", 2},
          {"DelegateMin", 2},
          {"DelegateMax", 5},
          {"DelegateCur", 4}};
}

json EncodeStats(const ApiAgent& agent) {
  std::size_t jobs = 0, allocs = 0, evals = 0;
  agent.store->Read([&](const Tables& tables) {
    jobs = tables.jobs.size();
    allocs = tables.allocs.size();
    evals = tables.evals.size();
  });
  return {{"drover", {{"version", agent.version}, {"node_id", agent.node_id}}},
          // Clients read from the field client.node_id the id of the node that belongs to this
          // agent.
          {"client", {{"node_id", agent.node_id}}},
          {"state",
           {{"jobs", std::to_string(jobs)},
            {"allocations", std::to_string(allocs)},
            {"evaluations", std::to_string(evals)},
            {"blocking_queries", std::to_string(agent.store->waiting())}}}};
}

Co<Answer> ReadSelf(ApiRequest* request) {
  const ApiAgent& agent = request->agent();
  json config = *agent.config;
  config["ACL"] = {{"Enabled", agent.settings.Get()->needs_token}};
  co_return JsonAnswer({{"config", std::move(config)},
                        {"member", EncodeMember(agent)},
                        {"stats", EncodeStats(agent)}});
}

Co<Answer> ReadMembers(ApiRequest* request) {
  const ApiAgent& agent = request->agent();
  co_return JsonAnswer({{"ServerName", agent.name},
                        {"ServerRegion", agent.region},
                        {"ServerDC", agent.datacenter},
                        {"Members", json::array({EncodeMember(agent)})}});
}

Co<Answer> ReadHealth(ApiRequest* request) {
  bool ready = false;
  request->agent().store->Read([&](const Tables& tables) {
    const auto node = Tables::Find(tables.nodes, request->agent().node_id);
    ready = node != nullptr && node->status == "ready";
  });
  const std::string type = request->Text("type");
  json health = json::object();
  if (type.empty() || type == "client") {
    health["client"] = {{"ok", ready}, {"message", ready ? "ok" : "the node is not ready yet"}};
  }
  if (type.empty() || type == "server") health["server"] = {{"ok", true}, {"message", "ok"}};
  Answer answer = JsonAnswer(health);
  if (health.contains("client") && !ready) {
    answer.reply.status = 500;
    answer.reply.content_type = "text/plain; charset=utf-8";
  }
  co_return answer;
}

Co<Answer> ReadLeader(ApiRequest* request) {
  const std::string address = Address(request->agent());
  if (address.empty()) co_return ErrorAnswer(500, "No cluster leader");
  co_return JsonAnswer(address);
}
Co<Answer> ReadServers(ApiRequest* request) {
  co_return JsonAnswer(json::array({Address(request->agent())}));
}
Co<Answer> ReadRegions(ApiRequest* request) {
  co_return JsonAnswer(json::array({request->agent().region}));
}

// Answers with the configuration of the scheduler in Nomad's format. Drover has no broker of
// evaluations: a single write to the store both creates and processes an evaluation.
// PauseEvalBroker is therefore true. Clients require this value before they delete evaluations.
Co<Answer> ReadSchedulerConfig(ApiRequest* request) {
  Scheduler* const scheduler = request->agent().scheduler;
  const SchedulerConfig now = scheduler->Config();
  const json preemption = {{"SystemSchedulerEnabled", now.preemption.system},
                           {"SysBatchSchedulerEnabled", now.preemption.sysbatch},
                           {"BatchSchedulerEnabled", now.preemption.batch},
                           {"ServiceSchedulerEnabled", now.preemption.service}};
  const json config = {{"SchedulerAlgorithm", "binpack"},
                       {"PreemptionConfig", preemption},
                       {"MemoryOversubscriptionEnabled", true},
                       {"RejectJobRegistration", false},
                       {"PauseEvalBroker", true},
                       {"CreateIndex", now.create_index},
                       {"ModifyIndex", now.modify_index}};
  co_return JsonAnswer({{"SchedulerConfig", config},
                        {"Index", now.modify_index},
                        {"LastIndex", now.modify_index},
                        {"LastContact", 0},
                        {"KnownLeader", true},
                        {"NextToken", ""}},
                       now.modify_index);
}

// Returns what a client wants and this scheduler does not do; empty if there is nothing.
std::string UnsupportedConfig(const json& body) {
  const std::string algorithm = Field<std::string>(body, "SchedulerAlgorithm");
  if (!algorithm.empty() && algorithm != "binpack") {
    return "SchedulerAlgorithm: \"" + algorithm + "\" is not supported: it must be \"binpack\"";
  }
  if (body.contains("MemoryOversubscriptionEnabled") &&
      !Field<bool>(body, "MemoryOversubscriptionEnabled")) {
    return "MemoryOversubscriptionEnabled: must be true: memory_max always holds";
  }
  if (Field<bool>(body, "RejectJobRegistration")) {
    return "RejectJobRegistration: must be false: jobs are always accepted";
  }
  return "";
}

Co<Answer> SetSchedulerConfig(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, request->Body());
  const std::string unsupported = UnsupportedConfig(body);
  if (!unsupported.empty()) co_return ErrorAnswer(400, unsupported);
  const json wanted = Field<json>(body, "PreemptionConfig");
  if (!wanted.is_null() && !wanted.is_object()) {
    co_return ErrorAnswer(400, "PreemptionConfig must be an object");
  }
  PreemptionConfig preemption;
  preemption.system = Field<bool>(wanted, "SystemSchedulerEnabled");
  preemption.sysbatch = Field<bool>(wanted, "SysBatchSchedulerEnabled");
  preemption.batch = Field<bool>(wanted, "BatchSchedulerEnabled");
  preemption.service = Field<bool>(wanted, "ServiceSchedulerEnabled");
  std::optional<std::uint64_t> check_index;
  if (const std::string cas = request->Text("cas"); !cas.empty()) {
    std::uint64_t index = 0;
    const auto [end, error] = std::from_chars(cas.data(), cas.data() + cas.size(), index);
    if (error != std::errc() || end != cas.data() + cas.size()) {
      co_return ErrorAnswer(400, "cas: \"" + cas + "\" is not an index");
    }
    check_index = index;
  }
  Scheduler* const scheduler = request->agent().scheduler;
  using Index = std::optional<std::uint64_t>;
  const Result<Index> index = co_await request->ControlNow(
      [=]() -> Result<Index> { return scheduler->SetConfig(preemption, check_index); });
  if (!index.ok()) co_return index.error();
  const std::uint64_t at = index->value_or(0);
  co_return JsonAnswer({{"Updated", index->has_value()}, {"Index", at}},
                       std::max<std::uint64_t>(at, 1));
}

Co<Answer> CollectAll(ApiRequest* request) {
  const GarbageRule rule{.living = false};
  const Status done = co_await CollectGarbage(request, rule);
  if (!done.ok()) co_return done.error();
  co_return EmptyAnswer();
}

// Answers a request to reconcile the job summaries. The answer is empty, because the agent computes
// the summaries for each request and does not store them.
Co<Answer> Reconciled(ApiRequest*) { co_return EmptyAnswer(); }

}  // namespace

std::vector<Route> AgentRoutes() {
  return {
      {"GET", "/v1/agent/self", ReadSelf},
      {"GET", "/v1/agent/members", ReadMembers},
      {"GET", "/v1/agent/servers", ReadServers},
      {"GET", "/v1/agent/health", ReadHealth, Access::kOpen},
      {"GET", "/v1/status/leader", ReadLeader, Access::kOpen},
      {"GET", "/v1/status/peers", ReadServers, Access::kOpen},
      {"GET", "/v1/regions", ReadRegions, Access::kOpen},
      {"GET", "/v1/operator/scheduler/configuration", ReadSchedulerConfig},
      {"PUT POST", "/v1/operator/scheduler/configuration", SetSchedulerConfig},
      {"PUT POST", "/v1/system/gc", CollectAll},
      {"PUT POST", "/v1/system/reconcile/summaries", Reconciled},
  };
}

}  // namespace drover
