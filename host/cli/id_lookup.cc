// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/id_lookup.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/base/text.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostShown = 20;

Error Ambiguous(const std::string& prefix, const char* name, std::vector<std::string> lines) {
  std::string text = "\"" + prefix + "\" is the beginning of " + std::to_string(lines.size()) +
                     " " + name + "s: write more of it";
  const std::size_t shown = std::min(lines.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i) text += "\n  " + lines[i];
  if (shown < lines.size()) text += "\n  ...";
  return Error(Code::kFailedPrecondition, text);
}

// Returns the id in STUB, and other fields of STUB that help the user to identify the record.
std::string Described(const json& stub) {
  std::string text = RawField(stub, "ID");
  for (const char* field : {"Name", "JobID", "ClientStatus", "Status"}) {
    const std::string value = RawField(stub, field);
    if (!value.empty()) text += "  " + value;
  }
  return text;
}

// Returns whether STUB is of a job of KIND.
bool IsOfKind(const json& stub, JobKind kind) {
  switch (kind) {
    case JobKind::kAny:
      return true;
    case JobKind::kPeriodic:
      return FlagField(stub, "Periodic");
    case JobKind::kParameterized:
      return FlagField(stub, "ParameterizedJob");
  }
  return true;
}

}  // namespace

Result<std::string> ListedPrefix(const std::string& prefix) {
  std::string digits = WithoutHyphens(prefix);
  if (digits.size() < 2) {
    return Error(Code::kInvalidArgument,
                 "\"" + prefix + "\" is too short: an id needs at least two characters");
  }
  if (digits.size() % 2 == 1) digits.pop_back();
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) text += '-';
    text += digits[i];
  }
  return text;
}

Result<std::string> FindId(ApiClient* client, const IdKind& kind, const std::string& prefix) {
  DROVER_ASSIGN(const std::string listed, ListedPrefix(prefix));
  Query query = {{"prefix", listed}, {"namespace", client->SearchedNamespace()}};
  query.emplace_back("task_states", "false");
  if (*kind.type != '\0') query.emplace_back("type", kind.type);
  DROVER_ASSIGN(const json list, client->Get(kind.list, query));
  std::vector<std::string> ids, lines;
  for (const json& stub : AsList(list)) {
    const std::string id = RawField(stub, "ID");
    if (!WithoutHyphens(id).starts_with(WithoutHyphens(prefix))) continue;
    ids.push_back(id);
    lines.push_back(Described(stub));
  }
  if (ids.size() == 1) return ids[0];
  if (!ids.empty()) return Ambiguous(prefix, kind.name, lines);
  return Error(Code::kNotFound, std::string("no ") + kind.name + " has an id that begins with \"" +
                                    prefix + "\": see " + kind.hint);
}

Result<JobName> FindJob(ApiClient* client, const std::string& prefix, JobKind kind) {
  // An empty id comes from a variable of a script that was not set. It must not mean the only job.
  if (prefix.empty()) return Error(Code::kInvalidArgument, "the id of the job is empty");
  const Query query = {{"prefix", prefix}, {"namespace", client->SearchedNamespace()}};
  DROVER_ASSIGN(const json list, client->Get("/v1/jobs", query));
  std::vector<JobName> found, exact;
  std::vector<std::string> lines;
  for (const json& stub : AsList(list)) {
    JobName name{RawField(stub, "ID"), RawField(stub, "Namespace")};
    if (!name.id.starts_with(prefix)) continue;
    name.exact = name.id == prefix;
    if (name.exact) exact.push_back(name);
    if (!name.exact && !IsOfKind(stub, kind)) continue;
    lines.push_back(name.id + "  in namespace " + name.job_namespace);
    found.push_back(std::move(name));
  }
  if (exact.size() == 1) return exact[0];
  if (found.size() == 1) return found[0];
  if (!found.empty()) return Ambiguous(prefix, "job", lines);
  return Error(Code::kNotFound,
               "no job has an id that begins with \"" + prefix + "\": see drover job status");
}

Result<json> FindNamespace(ApiClient* client, const std::string& name) {
  DROVER_ASSIGN(const json list, client->Get("/v1/namespaces", {{"prefix", name}}));
  std::vector<std::string> lines;
  for (const json& record : AsList(list)) {
    if (RawField(record, "Name") == name) return record;
    lines.push_back(RawField(record, "Name"));
  }
  if (lines.size() == 1) return list[0];
  if (!lines.empty()) return Ambiguous(name, "namespace", lines);
  return Error(Code::kNotFound, "no namespace has a name that begins with \"" + name +
                                    "\": see drover namespace list");
}

Result<std::string> FindServiceNamespace(ApiClient* client, const std::string& name) {
  DROVER_ASSIGN(const json list,
                client->Get("/v1/services", {{"namespace", client->SearchedNamespace()}}));
  std::vector<std::string> found;
  for (const json& one : AsList(list)) {
    for (const json& service : ListField(one, "Services")) {
      if (RawField(service, "ServiceName") == name) found.push_back(RawField(one, "Namespace"));
    }
  }
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    return Error(Code::kNotFound,
                 "no service has the name \"" + name + "\": see drover service list");
  }
  std::string text = "the service \"" + name + "\" is in " + std::to_string(found.size()) +
                     " namespaces: choose one by --namespace";
  for (std::size_t i = 0; i < std::min(found.size(), kMostShown); ++i) text += "\n  " + found[i];
  if (found.size() > kMostShown) text += "\n  ...";
  return Error(Code::kFailedPrecondition, text);
}

std::string JobTagPath(const JobName& job, const std::string& tag) {
  return ApiPath(ApiPath("/v1/job", job.id, "/versions"), tag, "/tag");
}

Result<std::string> FindAllocOfJob(ApiClient* client, const std::string& prefix,
                                   const std::string& group) {
  DROVER_ASSIGN(const JobName job, FindJob(client, prefix));
  DROVER_ASSIGN(const json list, client->Get(ApiPath("/v1/job", job.id, "/allocations"),
                                             {{"namespace", job.job_namespace}}));
  const json* best = nullptr;
  const auto rank = [](const json& stub) {
    return std::pair(RawField(stub, "ClientStatus") == "running", NumberField(stub, "CreateIndex"));
  };
  for (const json& stub : AsList(list)) {
    if (!group.empty() && RawField(stub, "TaskGroup") != group) continue;
    if (best == nullptr || rank(*best) < rank(stub)) best = &stub;
  }
  if (best != nullptr) return RawField(*best, "ID");
  return Error(Code::kNotFound, "the job \"" + job.id + "\" has no allocation" +
                                    (group.empty() ? "" : " of the group \"" + group + "\"") +
                                    ": see drover job allocs");
}

Result<std::string> FindOwnNode(ApiClient* client) {
  DROVER_ASSIGN(const json self, client->Get("/v1/agent/self"));
  std::string id = RawField(MapField(MapField(self, "stats"), "client"), "node_id");
  if (id.empty()) return Error(Code::kNotFound, "the agent that is asked has no node");
  return id;
}

}  // namespace drover
