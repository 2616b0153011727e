// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes by which a job starts children.
#include <algorithm>

#include "host/api/router.h"
#include "host/base/base64.h"
#include "host/encode/encode.h"
#include "host/periodic/child_job.h"

namespace drover {
namespace {

using nlohmann::json;

// Reads the request for a child from BODY and the query, in which clients write the token.
Result<DispatchDraft> ReadDraft(const ApiRequest& request, const json& body) {
  const std::string id = Field<std::string>(body, "JobID");
  if (!id.empty() && id != request.parameter(0)) {
    return Error(Code::kInvalidArgument, "Job ID does not match");
  }
  DispatchDraft draft;
  draft.payload = Field<std::string>(body, "Payload");
  draft.meta = Field<StringMap>(body, "Meta");
  draft.id_prefix = Field<std::string>(body, "IdPrefixTemplate");
  // The range is checked later. What is far out of it must not become right by the conversion.
  draft.priority =
      static_cast<int>(std::clamp<std::int64_t>(Field<std::int64_t>(body, "Priority"), -1, 1000));
  draft.idempotency_token = request.Text("idempotency_token");
  if (draft.idempotency_token.empty()) {
    draft.idempotency_token = Field<std::string>(body, "IdempotencyToken");
  }
  return draft;
}

Co<Answer> DispatchJob(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, request->Body());
  DROVER_CO_ASSIGN(const DispatchDraft draft, ReadDraft(*request, body));
  Scheduler* const scheduler = request->agent().scheduler;
  const JobKey key(request->Namespace(), request->parameter(0));
  const Result<DispatchReply> reply = co_await request->ControlNow(
      [scheduler, &key, &draft] { return scheduler->Dispatch(key, draft); });
  if (reply.code() == Code::kNotFound) co_return ErrorAnswer(500, reply.error().message());
  if (!reply.ok()) co_return reply.error();
  co_return JsonAnswer(EncodeDispatchReply(*reply), reply->registered.index);
}

Co<Answer> ForcePeriodic(ApiRequest* request) {
  Scheduler* const scheduler = request->agent().scheduler;
  const JobKey key(request->Namespace(), request->parameter(0));
  const Result<JobReply> reply =
      co_await request->ControlNow([scheduler, &key] { return scheduler->ForcePeriodic(key); });
  if (!reply.ok()) co_return reply.error();
  co_return JsonAnswer({{"EvalID", reply->eval_id},
                        {"EvalCreateIndex", reply->eval_create_index},
                        {"Index", reply->index}},
                       reply->index);
}

// Answers with the bytes that were dispatched.
Co<Answer> ReadPayload(ApiRequest* request) {
  constexpr TableMask kJobTable = MaskOf(Table::kJobs);
  return AnswerRead(request, kJobTable, [request](const Tables& tables) {
    const auto job = Tables::Find(tables.jobs, JobKey(request->Namespace(), request->parameter(0)));
    if (job == nullptr) {
      return Found{tables.IndexOf(kJobTable), [] { return ErrorAnswer(404, "job not found"); }};
    }
    return Found{job->modify_index, [job = job->job] {
                   if (job->payload.empty()) return ErrorAnswer(404, "the job has no payload");
                   Answer answer;
                   answer.reply.content_type = "application/octet-stream";
                   answer.reply.body = FromBase64(job->payload).value_or("");
                   return answer;
                 }};
  });
}

}  // namespace

std::vector<Route> PeriodicRoutes() {
  return {
      {"PUT POST", "/v1/job/**/dispatch", DispatchJob},
      {"PUT POST", "/v1/job/**/periodic/force", ForcePeriodic},
      {"GET", "/v1/job/**/dispatch/payload", ReadPayload},
  };
}

}  // namespace drover
