// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes for the scaling policies of registered jobs, which autoscalers read.
#include "host/api/router.h"
#include "host/api/scaling_access.h"
#include "host/encode/encode_scaling.h"

namespace drover {
namespace {

using ScalingPointer = std::shared_ptr<const ScalingRecord>;

constexpr TableMask kOfScaling = MaskOf(Table::kScaling);

// Returns whether a list with this request shows RECORD. The type is the beginning of one, so that
// "vertical" means both types of tasks.
bool IsListedScaling(const ApiRequest& request, const ScalingRecord& record) {
  const std::string job = request.Text("job");
  return (job.empty() || job == record.job_id) && record.id.starts_with(request.Text("prefix")) &&
         record.policy.type.starts_with(request.Text("type")) &&
         request.InNamespace(record.job_namespace) &&
         MayListScaling(request.acl(), record.job_namespace);
}

Co<Answer> ListScalingPolicies(ApiRequest* request) {
  if (!MayListScaling(request->acl(), request->Namespace())) co_return DeniedAnswer();
  co_return co_await AnswerRead(request, kOfScaling, [request](const Tables& tables) {
    std::vector<ScalingPointer> found;
    for (const auto& [id, record] : tables.scaling_policies) {
      if (IsListedScaling(*request, *record)) found.push_back(record);
    }
    return Found{tables.IndexOf(kOfScaling), [request, found = std::move(found)] {
                   std::vector<ListItem> items;
                   for (const ScalingPointer& record : found) {
                     items.push_back({record->id, [record] { return EncodeScalingStub(*record); }});
                   }
                   return ListAnswer(request, std::move(items));
                 }};
  });
}

Co<Answer> ReadScalingPolicy(ApiRequest* request) {
  return AnswerRead(request, kOfScaling, [request](const Tables& tables) {
    ScalingPointer record = Tables::Find(tables.scaling_policies, request->parameter(0));
    // A client that may not see the policy does not learn whether it is there. The index would say
    // it, too.
    if (record != nullptr && !MayReadScaling(request->acl(), record->job_namespace)) {
      record = nullptr;
    }
    const std::uint64_t index =
        record == nullptr ? tables.IndexOf(kOfScaling) : record->modify_index;
    return Found{index, [request, record] {
                   if (record != nullptr) return JsonAnswer(EncodeScalingPolicy(*record));
                   return MayReadScaling(request->acl(), request->Namespace())
                              ? ErrorAnswer(404, "policy not found")
                              : DeniedAnswer();
                 }};
  });
}

}  // namespace

std::vector<Route> ScalingRoutes() {
  return {
      {"GET", "/v1/scaling/policies", ListScalingPolicies},
      {"GET", "/v1/scaling/policy/*", ReadScalingPolicy},
  };
}

}  // namespace drover
