// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/record_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/spec/blocks/stored_changes.h"
#include "host/spec/canonical_job.h"
#include "host/spec/job_json.h"
#include "host/state/change_record_json.h"
#include "host/task/task_record.h"

namespace drover {

// nlohmann's library finds the functions that these macros define only in this namespace.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AllocatedPort, label, value, to, host_ip, task)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DeviceName, vendor, type, name)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AllocatedDevice, group, ids)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DnsConfig, servers, searches, options)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AllocationNetwork, interface_name, address,
                                                address_ipv6, dns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PlacementFailure, node_pool, nodes_in_pool,
                                                nodes_available, nodes_evaluated, nodes_filtered,
                                                nodes_exhausted, constraint_filtered,
                                                dimension_exhausted, coalesced_failures)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(JobSubmission, source, format, variable_flags,
                                                variables)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(VersionTag, name, description, tagged_time)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LastDrain, started_at, updated_at, status, meta)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(NodeEvent, subsystem, message, details, time)

namespace {

using nlohmann::json;

template <typename T, typename Name>
T FromName(const std::string& text, T last, Name name) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (text == name(static_cast<T>(i))) return static_cast<T>(i);
  }
  throw json::other_error::create(501, "\"" + text + "\" is not a known name", nullptr);
}

JobType JobTypeOf(const std::string& name) {
  return FromName(name, JobType::kSysbatch, JobTypeName);
}

constexpr std::size_t kSeenJobs = 16;

std::string Dump(const json& of) { return of.dump(-1, ' ', false, json::error_handler_t::replace); }

// Parses TEXT as JSON, calls READ with the parsed value, and returns the result of READ.
template <typename Read>
auto Decode(const std::string& text, Read read) -> decltype(read(json())) {
  try {
    return read(json::parse(text));
  } catch (const json::exception& error) {
    return Error(Code::kInvalidArgument, error.what());
  }
}

template <typename T>
void Get(const json& of, const char* key, T* out) {
  if (const auto found = of.find(key); found != of.end()) found->get_to(*out);
}

template <typename Text>
void GetText(const json& of, const char* key, Text* out) {
  if (const auto found = of.find(key); found != of.end()) *out = found->get<std::string>();
}

json EncodeJob(const JobRecord& record) {
  json out = {{"job", json::parse(JobToJson(*record.job))},
              {"submitted", record.json.Copy()},
              {"stop", record.stop},
              {"version", record.version},
              {"submit_time", record.submit_time},
              {"status", record.status},
              {"create_index", record.create_index},
              {"modify_index", record.modify_index},
              {"job_modify_index", record.job_modify_index},
              {"changes", true}};
  if (record.scaling != nullptr) out["scaling"] = EncodeScaling(*record.scaling);
  return out;
}

Result<std::shared_ptr<const JobSubmission>> ReadSubmission(const json& of) {
  return std::make_shared<const JobSubmission>(of.get<JobSubmission>());
}

Result<std::shared_ptr<const JobRecord>> ReadJob(const json& of) {
  auto record = std::make_shared<JobRecord>();
  json submitted = of.at("submitted");
  bool dropped = false;
  DROVER_ASSIGN(Job job, ParseStoredJob(of.at("job").dump(), &dropped));
  // An earlier agent has kept policies of changes only in what the client had sent.
  if (!of.contains("changes")) {
    bool dropped_sent = false;
    const Result<Job> sent = ParseStoredJob(submitted.dump(), &dropped_sent);
    if (sent.ok()) TakeOverChanges(*sent, &job);
    dropped = dropped || dropped_sent;
  }
  if (dropped) EraseChanges(&submitted);
  record->job = std::make_shared<const Job>(std::move(job));
  // Adds default fields, since an earlier agent may have stored fewer fields than clients read now.
  record->json = std::make_shared<const json>(CanonicalJob(*record->job, submitted));
  Get(of, "stop", &record->stop);
  Get(of, "stable", &record->stable);
  if (of.contains("tag")) record->tag = of.at("tag").get<VersionTag>();
  if (of.contains("scaling")) record->scaling = ReadScaling(*record->job, of.at("scaling"));
  if (of.contains("submission")) {
    DROVER_ASSIGN(record->submission, ReadSubmission(of.at("submission")));
  }
  Get(of, "version", &record->version);
  Get(of, "submit_time", &record->submit_time);
  Get(of, "status", &record->status);
  Get(of, "create_index", &record->create_index);
  Get(of, "modify_index", &record->modify_index);
  Get(of, "job_modify_index", &record->job_modify_index);
  return std::shared_ptr<const JobRecord>(std::move(record));
}

json EncodeAllocation(const Allocation& alloc) {
  json out = {{"id", alloc.id},
              {"name", alloc.name},
              {"eval_id", alloc.eval_id},
              {"node_id", alloc.node_id},
              {"node_name", alloc.node_name},
              {"datacenter", alloc.datacenter},
              {"index", alloc.index},
              {"group", alloc.group_name},
              {"ports", alloc.ports},
              {"cores", alloc.cores},
              {"desired", DesiredStatusName(alloc.desired_status)},
              {"desired_description", alloc.desired_description},
              {"no_shutdown_delay", alloc.no_shutdown_delay},
              {"client_status", ClientStatusName(alloc.client_status)},
              {"create_index", alloc.create_index},
              {"modify_index", alloc.modify_index},
              {"alloc_modify_index", alloc.alloc_modify_index},
              {"create_time", alloc.create_time},
              {"modify_time", alloc.modify_time}};
  if (alloc.network) out["network"] = *alloc.network;
  if (!alloc.previous.empty()) out["previous"] = alloc.previous;
  if (!alloc.devices.empty()) out["devices"] = alloc.devices;
  if (!alloc.deployment_id.empty()) out["deployment"] = alloc.deployment_id;
  if (alloc.canary) out["canary"] = true;
  return out;
}

std::shared_ptr<Allocation> ReadAllocation(const json& of) {
  auto alloc = std::make_shared<Allocation>();
  of.at("id").get_to(alloc->id);
  of.at("group").get_to(alloc->group_name);
  Get(of, "name", &alloc->name);
  Get(of, "previous", &alloc->previous);
  Get(of, "eval_id", &alloc->eval_id);
  Get(of, "deployment", &alloc->deployment_id);
  Get(of, "canary", &alloc->canary);
  Get(of, "node_id", &alloc->node_id);
  Get(of, "node_name", &alloc->node_name);
  Get(of, "datacenter", &alloc->datacenter);
  Get(of, "index", &alloc->index);
  Get(of, "ports", &alloc->ports);
  Get(of, "cores", &alloc->cores);
  Get(of, "devices", &alloc->devices);
  alloc->desired_status =
      FromName(of.at("desired").get<std::string>(), DesiredStatus::kEvict, DesiredStatusName);
  Get(of, "desired_description", &alloc->desired_description);
  Get(of, "no_shutdown_delay", &alloc->no_shutdown_delay);
  alloc->client_status =
      FromName(of.at("client_status").get<std::string>(), ClientStatus::kUnknown, ClientStatusName);
  Get(of, "create_index", &alloc->create_index);
  Get(of, "modify_index", &alloc->modify_index);
  Get(of, "alloc_modify_index", &alloc->alloc_modify_index);
  Get(of, "create_time", &alloc->create_time);
  Get(of, "modify_time", &alloc->modify_time);
  if (of.contains("network")) alloc->network = of.at("network").get<AllocationNetwork>();
  return alloc;
}

std::string JobEnd(const json& job) { return ",\"job\":" + Dump(job) + "}"; }

Result<std::shared_ptr<const JobRecord>> ReadSeenJob(const json& of, SeenJobs* seen) {
  std::string end = JobEnd(of);
  const auto same = std::find_if(seen->begin(), seen->end(),
                                 [&end](const auto& one) { return one.first == end; });
  if (same != seen->end()) return same->second;
  DROVER_ASSIGN(std::shared_ptr<const JobRecord> job, ReadJob(of));
  if (seen->size() == kSeenJobs) seen->pop_back();
  seen->emplace_front(std::move(end), job);
  return job;
}

AllocRecord ReadPlaced(const json& of, std::shared_ptr<const JobRecord> job) {
  AllocRecord record;
  std::shared_ptr<Allocation> alloc = ReadAllocation(of.at("alloc"));
  alloc->job = job->job;
  record.job = std::move(job);
  record.reported.id = alloc->id;
  record.alloc = std::move(alloc);
  Get(of, "previous", &record.previous);
  Get(of, "next", &record.next);
  Get(of, "migrate", &record.migrate);
  Get(of, "no_reschedule", &record.no_reschedule);
  Get(of, "reschedule", &record.reschedule);
  Get(of, "force_reschedule", &record.force_reschedule);
  if (of.contains("change")) record.change = ReadAllocChange(of.at("change"));
  Get(of, "collected", &record.collected);
  Get(of, "modify_index", &record.modify_index);
  Get(of, "modify_time", &record.modify_time);
  return record;
}

Result<AllocUpdate> ReadUpdate(const json& of, const std::string& id) {
  AllocUpdate update;
  update.id = id;
  update.status.status =
      FromName(of.at("status").get<std::string>(), ClientStatus::kUnknown, ClientStatusName);
  Get(of, "description", &update.status.description);
  Get(of, "time", &update.modify_time);
  if (const auto health = of.find("health"); health != of.end()) {
    AllocHealth& read = update.health.emplace();
    Get(*health, "healthy", &read.healthy);
    Get(*health, "time", &read.timestamp);
  }
  if (of.contains("network")) update.network = of.at("network").get<AllocationNetwork>();
  const json tasks = of.value("tasks", json::object());
  for (const auto& [name, state] : tasks.items()) {
    DROVER_ASSIGN(TaskStateRecord task, DecodeTaskState(state));
    update.tasks[name] = std::make_shared<const TaskStateRecord>(std::move(task));
  }
  return update;
}

Result<std::shared_ptr<const Evaluation>> ReadEvaluation(const json& of) {
  auto eval = std::make_shared<Evaluation>();
  of.at("id").get_to(eval->id);
  of.at("namespace").get_to(eval->job_namespace);
  of.at("job").get_to(eval->job_id);
  eval->type = JobTypeOf(of.at("type").get<std::string>());
  Get(of, "priority", &eval->priority);
  GetText(of, "triggered_by", &eval->triggered_by);
  GetText(of, "status", &eval->status);
  GetText(of, "description", &eval->status_description);
  GetText(of, "previous", &eval->previous_eval);
  GetText(of, "blocked", &eval->blocked_eval);
  GetText(of, "next", &eval->next_eval);
  GetText(of, "node", &eval->node_id);
  GetText(of, "deployment", &eval->deployment_id);
  Get(of, "wait_until", &eval->wait_until);
  Get(of, "job_modify_index", &eval->job_modify_index);
  Get(of, "failed_groups", &eval->failed_groups);
  Get(of, "queued", &eval->queued);
  Get(of, "create_index", &eval->create_index);
  Get(of, "modify_index", &eval->modify_index);
  Get(of, "create_time", &eval->create_time);
  Get(of, "modify_time", &eval->modify_time);
  return std::shared_ptr<const Evaluation>(std::move(eval));
}

Result<std::shared_ptr<const NodeRecord>> ReadNode(const json& of) {
  auto node = std::make_shared<NodeRecord>();
  of.at("id").get_to(node->id);
  Get(of, "name", &node->name);
  Get(of, "datacenter", &node->datacenter);
  Get(of, "node_pool", &node->node_pool);
  Get(of, "status", &node->status);
  Get(of, "eligible", &node->eligible);
  Get(of, "create_index", &node->create_index);
  Get(of, "modify_index", &node->modify_index);
  Get(of, "events", &node->events);
  if (of.contains("last_drain")) node->last_drain = of.at("last_drain").get<LastDrain>();
  if (of.contains("drain")) {
    const json& drain = of.at("drain");
    node->drain =
        NodeDrain{Duration(drain.value("deadline", std::int64_t{0})),
                  drain.value("ignore_system_jobs", false), drain.value("started_at", WallTime{0}),
                  drain.value("force_at", WallTime{0}), std::nullopt};
  }
  return std::shared_ptr<const NodeRecord>(std::move(node));
}

Result<std::shared_ptr<const ServiceRegistration>> ReadService(const json& of) {
  auto service = std::make_shared<ServiceRegistration>();
  of.at("id").get_to(service->id);
  of.at("name").get_to(service->name);
  of.at("namespace").get_to(service->service_namespace);
  of.at("node").get_to(service->node_id);
  of.at("alloc").get_to(service->alloc_id);
  Get(of, "datacenter", &service->datacenter);
  Get(of, "job", &service->job_id);
  Get(of, "tags", &service->tags);
  Get(of, "address", &service->address);
  Get(of, "port", &service->port);
  Get(of, "create_index", &service->create_index);
  Get(of, "modify_index", &service->modify_index);
  return std::shared_ptr<const ServiceRegistration>(std::move(service));
}

}  // namespace

std::string EncodeRecord(const JobRecord& record) {
  json out = EncodeJob(record);
  out["stable"] = record.stable;
  if (record.tag) out["tag"] = *record.tag;
  return Dump(out);
}

std::string EncodeRecord(const JobSubmission& submission) { return Dump(json(submission)); }

Result<std::shared_ptr<const JobSubmission>> DecodeSubmission(const std::string& text) {
  return Decode(text, ReadSubmission);
}

Result<std::shared_ptr<const JobRecord>> DecodeJobRecord(const std::string& text) {
  return Decode(text, ReadJob);
}

std::string EncodeJobEnd(const JobRecord& job) { return JobEnd(EncodeJob(job)); }

std::string EncodePlaced(const AllocRecord& record) {
  return EncodePlaced(record, EncodeJobEnd(*record.job));
}

std::string EncodePlaced(const AllocRecord& record, const std::string& job_end) {
  json out = {{"alloc", EncodeAllocation(*record.alloc)},
              {"previous", record.previous},
              {"next", record.next},
              {"migrate", record.migrate},
              {"collected", record.collected},
              {"modify_index", record.modify_index},
              {"modify_time", record.modify_time}};
  if (record.no_reschedule) out["no_reschedule"] = true;
  if (record.reschedule) out["reschedule"] = true;
  if (record.force_reschedule) out["force_reschedule"] = true;
  if (record.change) out["change"] = AllocChangeToJson(*record.change);
  std::string text = Dump(out);
  text.pop_back();
  return text + job_end;
}

Result<AllocRecord> DecodePlaced(const std::string& text, SeenJobs* seen) {
  // No string of JSON contains the quotes with which such an end begins, so it is no part of one.
  const auto same = std::find_if(seen->begin(), seen->end(),
                                 [&text](const auto& one) { return text.ends_with(one.first); });
  if (same == seen->end()) {
    return Decode(text, [seen](const json& of) -> Result<AllocRecord> {
      DROVER_ASSIGN(std::shared_ptr<const JobRecord> job, ReadSeenJob(of.at("job"), seen));
      return ReadPlaced(of, std::move(job));
    });
  }
  return Decode(
      text.substr(0, text.size() - same->first.size()) + "}",
      [&same](const json& of) -> Result<AllocRecord> { return ReadPlaced(of, same->second); });
}

std::string EncodeReported(const AllocRecord& record) {
  const AllocUpdate& update = record.reported;
  json tasks = json::object();
  for (const auto& [name, state] : update.tasks) tasks[name] = EncodeTaskState(*state);
  json out = {{"status", ClientStatusName(update.status.status)},
              {"description", update.status.description},
              {"tasks", std::move(tasks)},
              {"time", update.modify_time},
              {"modify_index", record.modify_index},
              {"modify_time", record.modify_time}};
  if (update.health) {
    out["health"] = {{"healthy", update.health->healthy}, {"time", update.health->timestamp}};
  }
  if (update.network) out["network"] = *update.network;
  return Dump(out);
}

Status DecodeReported(const std::string& text, AllocRecord* record) {
  const auto read = [record](const json& of) -> Status {
    DROVER_ASSIGN(AllocUpdate update, ReadUpdate(of, record->id()));
    record->reported = std::move(update);
    record->modify_index =
        std::max(record->modify_index, of.value("modify_index", std::uint64_t{0}));
    record->modify_time = std::max(record->modify_time, of.value("modify_time", WallTime{0}));
    return {};
  };
  return Decode(text, read);
}

std::string EncodeRecord(const Evaluation& eval) {
  json out = {{"id", eval.id},
              {"namespace", eval.job_namespace},
              {"job", eval.job_id},
              {"type", JobTypeName(eval.type)},
              {"priority", eval.priority},
              {"triggered_by", eval.triggered_by},
              {"status", eval.status},
              {"description", eval.status_description},
              {"previous", eval.previous_eval},
              {"blocked", eval.blocked_eval},
              {"job_modify_index", eval.job_modify_index},
              {"failed_groups", eval.failed_groups},
              {"queued", eval.queued},
              {"create_index", eval.create_index},
              {"modify_index", eval.modify_index},
              {"create_time", eval.create_time},
              {"modify_time", eval.modify_time}};
  if (!eval.next_eval.empty()) out["next"] = eval.next_eval;
  if (!eval.node_id.empty()) out["node"] = eval.node_id;
  if (!eval.deployment_id.empty()) out["deployment"] = eval.deployment_id;
  if (eval.wait_until != 0) out["wait_until"] = eval.wait_until;
  return Dump(out);
}

Result<std::shared_ptr<const Evaluation>> DecodeEvaluation(const std::string& text) {
  return Decode(text, ReadEvaluation);
}

std::string EncodeRecord(const NodeRecord& node) {
  json out = {{"id", node.id},
              {"name", node.name},
              {"datacenter", node.datacenter},
              {"node_pool", node.node_pool},
              {"eligible", node.eligible},
              {"events", node.events},
              {"create_index", node.create_index},
              {"modify_index", node.modify_index}};
  // A node that was lost must not seem new to the next agent.
  if (node.status == "down" || node.status == "disconnected") out["status"] = node.status;
  if (node.last_drain) out["last_drain"] = *node.last_drain;
  if (node.drain) {
    out["drain"] = {{"deadline", node.drain->deadline.count()},
                    {"ignore_system_jobs", node.drain->ignore_system_jobs},
                    {"started_at", node.drain->started_at},
                    {"force_at", node.drain->force_at}};
  }
  return Dump(out);
}

Result<std::shared_ptr<const NodeRecord>> DecodeNode(const std::string& text) {
  return Decode(text, ReadNode);
}

std::string EncodeRecord(const ServiceRegistration& service) {
  return Dump({{"id", service.id},
               {"name", service.name},
               {"namespace", service.service_namespace},
               {"node", service.node_id},
               {"alloc", service.alloc_id},
               {"datacenter", service.datacenter},
               {"job", service.job_id},
               {"tags", service.tags},
               {"address", service.address},
               {"port", service.port},
               {"create_index", service.create_index},
               {"modify_index", service.modify_index}});
}

Result<std::shared_ptr<const ServiceRegistration>> DecodeService(const std::string& text) {
  return Decode(text, ReadService);
}

}  // namespace drover
