// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/acl/rights.h"
#include "host/api/router.h"
#include "host/encode/encode.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr TableMask kOfNodes = MaskOf(Table::kNodes) | MaskOf(Table::kVolumes);
constexpr Duration kLongestDrain = std::chrono::hours(24 * 366);

// Returns the volumes of clients that tasks on the node NODE_ID can have, and that the client may
// see.
NodeVolumes VolumesOf(const ApiRequest& request, const Tables& tables, const std::string& node_id) {
  constexpr RightSet<Capability> kToSeeVolumes = {Capability::kHostVolumeRead,
                                                  Capability::kHostVolumeWrite};
  NodeVolumes found;
  for (const auto& [id, volume] : tables.volumes) {
    if (volume->node_id == node_id && volume->state == volume_state::kReady &&
        request.acl().Allows(volume->name_space, kToSeeVolumes)) {
      found.push_back(volume);
    }
  }
  return found;
}

Co<Answer> ListNodes(ApiRequest* request) {
  return AnswerRead(request, kOfNodes, [request](const Tables& tables) {
    const std::string prefix = request->Text("prefix");
    const bool resources = request->Flag("resources"), os = request->Flag("os");
    std::vector<ListItem> items;
    for (const auto& [id, node] : tables.nodes) {
      if (!id.starts_with(prefix)) continue;
      const NodeVolumes volumes = VolumesOf(*request, tables, id);
      items.push_back(
          {id,
           [node, resources, os, volumes] { return EncodeNodeStub(*node, resources, os, volumes); },
           [node, volumes](const ListFilter&) {
             json whole = EncodeNodeStub(*node, false, false);
             whole.update(EncodeNode(*node, volumes));
             return whole;
           }});
    }
    return Found{tables.IndexOf(kOfNodes),
                 [request, items = std::move(items)] { return ListAnswer(request, items); }};
  });
}

Co<Answer> ReadNode(ApiRequest* request) {
  return AnswerRead(request, kOfNodes, [request](const Tables& tables) {
    const auto node = Tables::Find(tables.nodes, request->parameter(0));
    if (node == nullptr) {
      return Found{tables.IndexOf(kOfNodes), [] { return ErrorAnswer(404, "node not found"); }};
    }
    const std::uint64_t of_volumes = tables.IndexOf(MaskOf(Table::kVolumes));
    return Found{std::max(node->modify_index, of_volumes),
                 [node, volumes = VolumesOf(*request, tables, node->id)] {
                   return JsonAnswer(EncodeNode(*node, volumes));
                 }};
  });
}

Co<Answer> ListAllocsOfNode(ApiRequest* request) {
  return AnswerRead(request, MaskOf(Table::kAllocs), [request](const Tables& tables) {
    AllocRecords records;
    for (const auto& [id, record] : tables.allocs) {
      if (record->alloc->node_id != request->parameter(0)) continue;
      const std::string& name_space = record->alloc->job->job_namespace;
      if (request->acl().Allows(name_space, {Capability::kReadJob})) records.push_back(record);
    }
    return Found{tables.IndexOf(MaskOf(Table::kAllocs)), [records = std::move(records)] {
                   json list = json::array();
                   for (const auto& record : records) list.push_back(EncodeAlloc(*record));
                   return JsonAnswer(list);
                 }};
  });
}

Co<Answer> SetEligibility(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, request->Body());
  const std::string wanted = Field<std::string>(body, "Eligibility");
  if (wanted != "eligible" && wanted != "ineligible") {
    co_return ErrorAnswer(400, "invalid scheduling eligibility \"" + wanted +
                                   "\": it must be \"eligible\" or \"ineligible\"");
  }
  Scheduler* const scheduler = request->agent().scheduler;
  const std::string id = request->parameter(0);
  const Result<std::uint64_t> index = co_await request->ControlNow(
      [=] { return scheduler->SetEligible(id, wanted == "eligible"); });
  if (!index.ok()) co_return index.error();
  co_return JsonAnswer({{"NodeModifyIndex", *index},
                        {"EvalIDs", nullptr},
                        {"EvalCreateIndex", 0},
                        {"Index", *index}},
                       *index);
}

Co<Answer> DrainNode(ApiRequest* request) {
  const Result<json> body = request->Body();
  if (!body.ok()) co_return ErrorAnswer(400, body.error().message());
  std::optional<DrainSpec> spec;
  if (const json wanted = Field<json>(*body, "DrainSpec"); !wanted.is_null()) {
    if (!wanted.is_object()) co_return ErrorAnswer(400, "DrainSpec must be an object or null");
    spec.emplace();
    spec->deadline = Duration(Field<std::int64_t>(wanted, "Deadline"));
    spec->ignore_system_jobs = Field<bool>(wanted, "IgnoreSystemJobs");
    if (spec->deadline > kLongestDrain) co_return ErrorAnswer(400, "Deadline is above a year");
  }
  const bool mark_eligible = Field<bool>(*body, "MarkEligible");
  const StringMap meta = Field<StringMap>(*body, "Meta");
  Scheduler* const scheduler = request->agent().scheduler;
  const std::string id = request->parameter(0);
  const Result<DrainReply> reply =
      co_await request->ControlNow([=] { return scheduler->Drain(id, spec, mark_eligible, meta); });
  if (!reply.ok()) co_return reply.error();
  const json evals = reply->eval_ids.empty() ? json(nullptr) : json(reply->eval_ids);
  co_return JsonAnswer({{"NodeModifyIndex", reply->index},
                        {"EvalIDs", evals},
                        {"EvalCreateIndex", reply->eval_ids.empty() ? 0 : reply->index},
                        {"Index", reply->index}},
                       reply->index);
}

json EvaluatedNode(const DrainReply& reply) {
  return {{"EvalIDs", reply.eval_ids},
          {"EvalCreateIndex", reply.eval_ids.empty() ? 0 : reply.index},
          {"Index", reply.index},
          {"HeartbeatTTL", 0},
          {"NodeModifyIndex", reply.index}};
}

// Makes an evaluation for each job that has live allocations on the node, and for each that runs on
// all nodes.
Co<Answer> EvaluateNode(ApiRequest* request) {
  Scheduler* const scheduler = request->agent().scheduler;
  const std::string id = request->parameter(0);
  std::uint64_t modify_index = 0;
  request->agent().store->Read([&](const Tables& tables) {
    const auto node = Tables::Find(tables.nodes, id);
    if (node != nullptr) modify_index = node->modify_index;
  });
  const Result<DrainReply> reply =
      co_await request->ControlNow([=] { return scheduler->EvaluateNode(id); });
  if (!reply.ok()) co_return reply.error();
  json answer = EvaluatedNode(*reply);
  answer["NodeModifyIndex"] = modify_index;
  co_return JsonAnswer(std::move(answer), std::max<std::uint64_t>(reply->index, 1));
}

Co<Answer> PurgeNode(ApiRequest* request) {
  Scheduler* const scheduler = request->agent().scheduler;
  const std::string id = request->parameter(0);
  const Result<DrainReply> reply =
      co_await request->ControlNow([=] { return scheduler->PurgeNode(id); });
  if (!reply.ok()) co_return reply.error();
  co_return JsonAnswer(EvaluatedNode(*reply), reply->index);
}

}  // namespace

std::vector<Route> NodeRoutes() {
  return {
      {"GET", "/v1/nodes", ListNodes},
      {"GET", "/v1/node/*/allocations", ListAllocsOfNode},
      {"PUT POST", "/v1/node/*/eligibility", SetEligibility},
      {"PUT POST", "/v1/node/*/drain", DrainNode},
      {"PUT POST", "/v1/node/*/evaluate", EvaluateNode},
      {"PUT POST", "/v1/node/*/purge", PurgeNode},
      {"GET", "/v1/node/*", ReadNode},
  };
}

}  // namespace drover
