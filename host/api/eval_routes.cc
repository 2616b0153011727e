// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "host/api/router.h"
#include "host/encode/encode.h"
#include "host/filter/list_filter.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr TableMask kOfEvals = MaskOf(Table::kEvals);

// Chooses the evaluations that a list shows. The constructor parses the query before the store is
// read, because writers wait during a read of the store.
class EvalFilter {
 public:
  explicit EvalFilter(const ApiRequest& request)
      : request_(request),
        status_(request.Text("status")),
        job_(request.Text("job")),
        prefix_(request.Text("prefix")) {}

  bool Takes(const Evaluation& eval) const {
    return request_.MayList(eval.job_namespace, {Capability::kReadJob}) &&
           eval.id.starts_with(prefix_) && (status_.empty() || eval.status == status_) &&
           (job_.empty() || eval.job_id == job_);
  }

 private:
  const ApiRequest& request_;
  const std::string status_, job_, prefix_;
};

using Evals = std::vector<std::shared_ptr<const Evaluation>>;

// Lists the oldest evaluations first, so new evaluations appear on the last page.
Co<Answer> OldestList(ApiRequest* request, const Evals& evals) {
  std::vector<ListItem> items;
  items.reserve(evals.size());
  for (const auto& eval : evals) {
    char index[24];
    std::snprintf(index, sizeof index, "%020llu.",
                  static_cast<unsigned long long>(eval->create_index));
    items.push_back({index + eval->id, [eval] { return EncodeEval(*eval); }});
  }
  std::sort(items.begin(), items.end(),
            [](const ListItem& a, const ListItem& b) { return a.key < b.key; });
  return ListAnswer(request, std::move(items));
}

Co<Answer> ListEvals(ApiRequest* request) {
  const EvalFilter filter(*request);
  return AnswerRead(request, kOfEvals, [request, filter](const Tables& tables) {
    Evals evals;
    for (const auto& [id, eval] : tables.evals) {
      if (filter.Takes(*eval)) evals.push_back(eval);
    }
    return Found{tables.IndexOf(kOfEvals),
                 [request, evals = std::move(evals)] { return OldestList(request, evals); }};
  });
}

// Returns the ids of the evaluations in the request's namespace that the filter expression TEXT
// chooses.
Result<std::vector<std::string>> ChosenEvals(const ApiRequest& request, const std::string& text) {
  DROVER_ASSIGN(const ListFilter filter, ListFilter::Parse(text));
  Evals evals;
  request.agent().store->Read([&](const Tables& tables) {
    for (const auto& [id, eval] : tables.evals) {
      if (request.InNamespace(eval->job_namespace)) evals.push_back(eval);
    }
  });
  ListFilter::Budget budget;
  std::vector<std::string> ids;
  for (const auto& eval : evals) {
    DROVER_ASSIGN(const bool chosen, filter.Chooses(EncodeEval(*eval), &budget));
    if (chosen) ids.push_back(eval->id);
  }
  return ids;
}

// Deletes the evaluations that the body names by a filter or by their ids. Does not delete an
// evaluation that is still needed. If the body names such an evaluation by its id, the request
// fails.
Co<Answer> DeleteEvals(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, request->Body());
  const std::string filter = Field<std::string>(body, "Filter");
  auto ids = Field<std::vector<std::string>>(body, "EvalIDs");
  if (filter.empty() == ids.empty()) {
    co_return ErrorAnswer(400, "either EvalIDs or Filter must name the evaluations to delete");
  }
  const bool skip_needed = !filter.empty();
  if (skip_needed) {
    DROVER_CO_ASSIGN(ids, ChosenEvals(*request, filter));
  }
  Scheduler* const scheduler = request->agent().scheduler;
  const Result<std::size_t> count =
      co_await request->ControlNow([=] { return scheduler->DeleteEvals(ids, skip_needed); });
  if (count.code() == Code::kFailedPrecondition) {
    co_return ErrorAnswer(400, count.error().message());
  }
  if (!count.ok()) co_return count.error();
  co_return JsonAnswer({{"Count", *count}});
}

Co<Answer> CountEvals(ApiRequest* request) {
  const EvalFilter filter(*request);
  return AnswerRead(request, kOfEvals, [filter](const Tables& tables) {
    std::size_t count = 0;
    for (const auto& [id, eval] : tables.evals) count += filter.Takes(*eval);
    return Found{tables.IndexOf(kOfEvals), [count] { return JsonAnswer({{"Count", count}}); }};
  });
}

// Returns the evaluations of the same job that are related to EVAL: the evaluation that caused
// EVAL, and the evaluations that EVAL caused, which wait for room or for their time.
json Related(const Tables& tables, const Evaluation& eval) {
  json list = json::array();
  const auto ids = tables.evals_of_job.find(KeyOf(eval));
  if (ids == tables.evals_of_job.end()) return list;
  for (const auto& [index, id] : ids->second.all) {
    const Evaluation& other = *tables.evals.at(id);
    const bool related = other.previous_eval == eval.id || eval.previous_eval == other.id ||
                         other.next_eval == eval.id || eval.next_eval == other.id;
    if (!related) continue;
    json& shown = list.emplace_back();
    shown = {{"ID", other.id},
             {"Priority", other.priority},
             {"Type", JobTypeName(other.type)},
             {"TriggeredBy", other.triggered_by},
             {"Namespace", other.job_namespace},
             {"JobID", other.job_id},
             {"Status", other.status},
             {"StatusDescription", other.status_description},
             {"PreviousEval", other.previous_eval},
             {"NextEval", other.next_eval},
             {"BlockedEval", other.blocked_eval},
             {"CreateIndex", other.create_index},
             {"ModifyIndex", other.modify_index}};
    if (other.wait_until != 0) shown["WaitUntil"] = Rfc3339(other.wait_until);
  }
  return list;
}

Co<Answer> ReadEval(ApiRequest* request) {
  return AnswerRead(request, kOfEvals, [request](const Tables& tables) {
    const auto eval = Tables::Find(tables.evals, request->parameter(0));
    if (eval == nullptr) {
      return Found{tables.IndexOf(kOfEvals), [] { return ErrorAnswer(404, "eval not found"); }};
    }
    json related = request->Flag("related") ? Related(tables, *eval) : json(nullptr);
    return Found{eval->modify_index, [eval, related = std::move(related)] {
                   json out = EncodeEval(*eval);
                   out["RelatedEvals"] = related;
                   return JsonAnswer(out);
                 }};
  });
}

Co<Answer> ListAllocsOfEval(ApiRequest* request) {
  return AnswerRead(request, MaskOf(Table::kAllocs), [request](const Tables& tables) {
    AllocRecords records;
    const std::string& id = request->parameter(0);
    if (const auto eval = Tables::Find(tables.evals, id)) {
      for (const auto& record : tables.AllocsOf(KeyOf(*eval))) {
        if (record->alloc->eval_id == id) records.push_back(record);
      }
    }
    return Found{tables.IndexOf(MaskOf(Table::kAllocs)), [records = std::move(records)] {
                   json list = json::array();
                   for (const auto& record : records) list.push_back(EncodeAllocStub(*record, {}));
                   return JsonAnswer(list);
                 }};
  });
}

}  // namespace

std::vector<Route> EvalRoutes() {
  return {
      {"GET", "/v1/evaluations", ListEvals},
      {"DELETE", "/v1/evaluations", DeleteEvals},
      {"GET", "/v1/evaluations/count", CountEvals},
      {"GET", "/v1/evaluation/*/allocations", ListAllocsOfEval},
      {"GET", "/v1/evaluation/*", ReadEval},
  };
}

}  // namespace drover
