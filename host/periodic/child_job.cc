// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/periodic/child_job.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "host/base/base64.h"
#include "host/base/utf8.h"
#include "host/spec/blocks/periodic_checks.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostToken = 256;
constexpr int kHighestPriority = 100;
// The limit of all keys and values of a dispatch. Linux allows no variable of a task to be larger.
constexpr std::size_t kMostMeta = std::size_t{128} << 10;

std::string Seconds(WallTime time) { return std::to_string(time / 1'000'000'000); }

Error NotDispatched(std::string why) { return Error(Code::kFailedPrecondition, std::move(why)); }

// Returns KEYS as clients print a list: "[a b]".
std::string Listed(const std::set<std::string>& keys) {
  std::string list;
  for (const std::string& key : keys) list += (list.empty() ? "" : " ") + key;
  return "[" + list + "]";
}

// Makes a child of PARENT from JOB, which has all but its place among the jobs, and from OWN, the
// members of its document that the parent does not have.
ChildJob Child(const JobRecord& parent, Job job, std::string id, json own) {
  job.parent_id = parent.job->id;
  job.id = job.name = std::move(id);
  own["ParentID"] = job.parent_id;
  own["ID"] = own["Name"] = job.id;
  return {std::make_shared<const Job>(std::move(job)), parent.json.With(own)};
}

// Checks PAYLOAD, which is base64, against RULE.
Status CheckPayload(ParameterizedPolicy::Payload rule, const std::string& payload) {
  using Payload = ParameterizedPolicy::Payload;
  if (payload.empty()) {
    if (rule != Payload::kRequired) return {};
    return NotDispatched("Payload is not provided but required by parameterized job");
  }
  const std::optional<std::string> bytes = FromBase64(payload);
  if (!bytes) return Error(Code::kInvalidArgument, "Payload is not valid base64");
  if (bytes->empty()) return CheckPayload(rule, "");
  if (rule == Payload::kForbidden) {
    return NotDispatched("Payload provided but forbidden by parameterized job");
  }
  if (bytes->size() <= kMostPayload) return {};
  return NotDispatched("Payload exceeds maximum size; " + std::to_string(bytes->size()) + " > " +
                       std::to_string(kMostPayload));
}

Status CheckMeta(const ParameterizedPolicy& policy, const StringMap& meta) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : meta) bytes += key.size() + value.size();
  if (bytes > kMostMeta) {
    return NotDispatched("Meta exceeds maximum size; " + std::to_string(bytes) + " > " +
                         std::to_string(kMostMeta));
  }
  std::set<std::string> unpermitted, missing;
  for (const auto& [key, value] : meta) {
    const bool permitted = std::ranges::count(policy.meta_required, key) > 0 ||
                           std::ranges::count(policy.meta_optional, key) > 0;
    if (!permitted) unpermitted.insert(key);
  }
  if (!unpermitted.empty()) {
    return NotDispatched("Dispatch request included unpermitted metadata keys: " +
                         Listed(unpermitted));
  }
  for (const std::string& key : policy.meta_required) {
    if (!meta.contains(key)) missing.insert(key);
  }
  if (missing.empty()) return {};
  return NotDispatched("Dispatch did not provide required meta keys: " + Listed(missing));
}

Status CheckDraft(const DispatchDraft& draft) {
  if (draft.priority < 0 || draft.priority > kHighestPriority) {
    return Error(Code::kInvalidArgument, "Priority must be 0 for that of the job, or 1 to " +
                                             std::to_string(kHighestPriority));
  }
  if (draft.idempotency_token.size() > kMostToken) {
    return Error(Code::kInvalidArgument,
                 "the idempotency token is longer than " + std::to_string(kMostToken) + " bytes");
  }
  // It could not be stored as it is, and would be another one for the next agent.
  if (ValidLength(draft.idempotency_token) != draft.idempotency_token.size()) {
    return Error(Code::kInvalidArgument, "the idempotency token is not UTF-8");
  }
  return {};
}

}  // namespace

ChildJob PeriodicChild(const JobRecord& parent, WallTime launch) {
  Job job = *parent.job;
  job.periodic.reset();
  job.dispatch_token.clear();
  json own = json::object();
  own["Periodic"] = nullptr;
  own["DispatchIdempotencyToken"] = "";
  return Child(parent, std::move(job), parent.job->id + "/periodic-" + Seconds(launch),
               std::move(own));
}

Result<ChildJob> DispatchedChild(const JobRecord& parent, const DispatchDraft& draft, WallTime now,
                                 const std::string& hex8) {
  if (!parent.job->parameterized || parent.job->dispatched) {
    return NotDispatched("Specified job \"" + parent.job->id + "\" is not a parameterized job");
  }
  if (parent.stop) return NotDispatched("Specified job \"" + parent.job->id + "\" is stopped");
  DROVER_TRY(CheckDraft(draft));
  DROVER_TRY(CheckPayload(parent.job->parameterized->payload, draft.payload));
  DROVER_TRY(CheckMeta(*parent.job->parameterized, draft.meta));
  const std::string prefix = draft.id_prefix.empty() ? "" : draft.id_prefix + "-";
  std::string id = parent.job->id + "/dispatch-" + prefix + Seconds(now) + "-" + hex8;
  DROVER_TRY(CheckChildId(*parent.job, id));
  Job job = *parent.job;
  json own = json::object();
  job.dispatched = true;
  job.dispatch_token = draft.idempotency_token;
  job.payload = draft.payload;
  if (draft.priority > 0) job.priority = draft.priority;
  for (const auto& [key, value] : draft.meta) job.meta[key] = value;
  own["Dispatched"] = true;
  own["DispatchIdempotencyToken"] = job.dispatch_token;
  own["Payload"] = job.payload.empty() ? json() : json(job.payload);
  own["Priority"] = job.priority;
  own["Meta"] = job.meta.empty() ? json() : json(job.meta);
  return Child(parent, std::move(job), std::move(id), std::move(own));
}

}  // namespace drover
