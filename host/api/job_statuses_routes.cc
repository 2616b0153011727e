// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The route for the states of many jobs and of their allocations, from which a web page makes its
// list of jobs.
#include <algorithm>
#include <set>

#include "host/api/job_for_filter.h"
#include "host/api/router.h"
#include "host/encode/encode.h"
#include "host/filter/list_filter.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr TableMask kOfStatuses =
    MaskOf(Table::kJobs) | MaskOf(Table::kAllocs) | MaskOf(Table::kDeployments);
// The number of jobs and allocations that are encoded before other requests on the same thread
// continue.
constexpr std::size_t kSlice = 256;

// What a client wants to read.
struct Wanted {
  std::optional<std::set<JobKey>> jobs;  // if present, only these jobs
  bool children = false;                 // also jobs that another job has created
  bool oldest_first = false;
  std::optional<std::uint64_t> first;  // the modify index at which the page begins
  std::size_t per_page = 0;            // 0 means no limit
  std::optional<ListFilter> filter;
};

// Returns the field NAME of OBJECT, also if its name is written in lower case, as web pages write
// it. Returns null if the field is missing.
json FieldInAnyCase(const json& object, const char* name, const char* lower_name) {
  const json field = Field<json>(object, name);
  return field.is_null() ? Field<json>(object, lower_name) : field;
}

// Reads the jobs that the body of a request names.
Result<std::set<JobKey>> ReadJobs(const ApiRequest& request) {
  DROVER_ASSIGN(const json body, request.Body());
  const json list = FieldInAnyCase(body, "Jobs", "jobs");
  if (!list.is_array() || list.empty()) {
    return Error(Code::kInvalidArgument, "no jobs in request");
  }
  std::set<JobKey> jobs;
  for (const json& job : list) {
    const json id = FieldInAnyCase(job, "ID", "id");
    const json name = FieldInAnyCase(job, "Namespace", "namespace");
    if (!id.is_string() || !(name.is_null() || name.is_string())) {
      return Error(Code::kInvalidArgument,
                   "each of Jobs must have an ID, and may have a Namespace, both texts");
    }
    const std::string job_namespace = name.is_null() ? "" : name.get<std::string>();
    jobs.emplace(job_namespace.empty() ? "default" : job_namespace, id.get<std::string>());
  }
  return jobs;
}

Result<Wanted> ReadWanted(const ApiRequest& request) {
  Wanted wanted;
  wanted.children = request.Flag("include_children");
  wanted.oldest_first = request.Flag("reverse");
  DROVER_ASSIGN(wanted.first, request.Number("next_token"));
  DROVER_ASSIGN(const auto per_page, request.Number("per_page"));
  wanted.per_page = static_cast<std::size_t>(per_page.value_or(0));
  if (!request.http().body.empty()) {
    DROVER_ASSIGN(wanted.jobs, ReadJobs(request));
    wanted.per_page = 0;
  }
  if (const std::string text = request.Text("filter"); !text.empty()) {
    DROVER_ASSIGN(wanted.filter, ListFilter::Parse(text));
  }
  return wanted;
}

struct JobAndAllocs {
  std::shared_ptr<const JobRecord> job;
  AllocRecords allocs;
  std::shared_ptr<const Deployment> deployment = nullptr;  // the newest one; null if none
};

// The end of a page. A client names the first job of the next page by its modify index, so jobs
// with the same index are on the same page, even if the page becomes too long.
class PageEnd {
 public:
  // PER_PAGE of 0 means no limit.
  explicit PageEnd(std::size_t per_page) : per_page_(per_page) {}
  bool IsBefore(const JobRecord& job) const {
    return per_page_ > 0 && size_ >= per_page_ && job.modify_index != last_;
  }
  void Add(const JobRecord& job) {
    ++size_;
    last_ = job.modify_index;
  }

 private:
  const std::size_t per_page_;
  std::size_t size_ = 0;
  std::uint64_t last_ = 0;
};

// Returns the jobs from the first one of the page on, in the order of the list.
std::vector<JobAndAllocs> FindJobs(const Tables& tables, const ApiRequest& request,
                                   const Wanted& wanted) {
  std::vector<JobAndAllocs> jobs;
  for (const auto& [key, job] : tables.jobs) {
    const std::uint64_t index = job->modify_index;
    if (wanted.jobs ? !wanted.jobs->contains(key) : !request.InNamespace(key.first)) continue;
    if (!request.acl().Allows(key.first, {Capability::kListJobs})) continue;
    if (!wanted.children && !job->job->parent_id.empty()) continue;
    const std::uint64_t first = wanted.first.value_or(index);
    if (wanted.oldest_first ? index < first : index > first) continue;
    jobs.push_back({job, {}});
  }
  std::sort(jobs.begin(), jobs.end(), [&](const JobAndAllocs& a, const JobAndAllocs& b) {
    if (a.job->modify_index == b.job->modify_index) return KeyOf(*a.job->job) < KeyOf(*b.job->job);
    return (a.job->modify_index < b.job->modify_index) == wanted.oldest_first;
  });
  return jobs;
}

// Adds their allocations to JOBS, and returns the index of the result. A change of an allocation of
// another page does not raise this index. Without a filter, drops the jobs behind the first one of
// the next page.
std::uint64_t AddAllocs(const Tables& tables, const Wanted& wanted,
                        std::vector<JobAndAllocs>* jobs) {
  std::uint64_t index = tables.IndexOf(MaskOf(Table::kJobs));
  PageEnd end(wanted.filter ? 0 : wanted.per_page);
  for (std::size_t i = 0; i < jobs->size(); ++i) {
    JobAndAllocs& of = (*jobs)[i];
    if (end.IsBefore(*of.job)) {
      jobs->resize(i + 1);
      break;
    }
    end.Add(*of.job);
    of.allocs = AllocsOf(*of.job, tables);
    of.deployment = tables.DeploymentOf(*of.job);
    for (const auto& alloc : of.allocs) index = std::max(index, alloc->modify_index);
    if (of.deployment != nullptr) index = std::max(index, of.deployment->modify_index);
  }
  return index;
}

json EncodeAllocs(const AllocRecords& records) {
  json allocs = json::array();
  for (const auto& record : records) {
    const auto& health = record->reported.health;
    const json healthy = health ? json(health->healthy) : json();
    const bool paused = std::ranges::any_of(record->reported.tasks,
                                            [](const auto& task) { return task.second->paused; });
    allocs.push_back(
        {{"ID", record->id()},
         {"Group", record->alloc->group_name},
         {"ClientStatus", ClientStatusName(record->reported.status.status)},
         {"NodeID", record->alloc->node_id},
         {"DeploymentStatus", {{"Canary", record->alloc->canary}, {"Healthy", healthy}}},
         {"JobVersion", record->job->version},
         {"FollowupEvalID", record->changes().follow_up_eval},
         {"HasPausedTask", paused}});
  }
  return allocs;
}

json EncodeLatestDeployment(const Deployment* deployment) {
  if (deployment == nullptr) return nullptr;
  const auto promotes_itself = [](const auto& group) {
    return group.second.desired_canaries == 0 || group.second.auto_promote;
  };
  const bool by_itself = std::ranges::all_of(deployment->groups, promotes_itself);
  return {{"ID", deployment->id},
          {"IsActive", deployment->active()},
          {"JobVersion", deployment->job_version},
          {"Status", deployment->status},
          {"StatusDescription", deployment->status_description},
          {"AllAutoPromote", by_itself && deployment->has_unpromoted_canaries()},
          {"RequiresPromotion",
           deployment->active() && deployment->has_unpromoted_canaries() && !by_itself}};
}

json EncodeStatus(const JobAndAllocs& of) {
  const JobRecord& record = *of.job;
  const Job& job = *record.job;
  int count = 0;
  for (const TaskGroup& group : job.groups) count += group.count;
  return {{"ID", job.id},
          {"Namespace", job.job_namespace},
          {"Name", job.name},
          {"Type", JobTypeName(job.type)},
          {"NodePool", job.node_pool},
          {"Datacenters", job.datacenters},
          {"Priority", job.priority},
          {"Version", record.version},
          {"SubmitTime", record.submit_time},
          {"ModifyIndex", record.modify_index},
          {"Allocs", EncodeAllocs(of.allocs)},
          {"GroupCountSum", count},
          {"ChildStatuses", nullptr},
          {"ParentID", job.parent_id},
          {"LatestDeployment", EncodeLatestDeployment(of.deployment.get())},
          {"Stop", record.stop},
          {"IsPack", job.meta.contains("pack.name")},
          {"Status", record.status}};
}

using SharedJobs = std::shared_ptr<const std::vector<JobAndAllocs>>;

Co<Answer> AnswerPage(ApiRequest* request, std::shared_ptr<const Wanted> wanted, SharedJobs jobs) {
  JsonListText list;
  PageEnd end(wanted->per_page);
  ListFilter::Budget budget;
  std::string next_token;
  std::size_t work = 0;
  for (const JobAndAllocs& of : *jobs) {
    work += 1 + of.allocs.size();
    if (work >= kSlice) {
      work = 0;
      co_await NextTurn(request->exchange()->loop());
    }
    if (wanted->filter) {
      const json job = JobForFilter(request->acl(), *of.job);
      DROVER_CO_ASSIGN(const bool chosen, wanted->filter->Chooses(job, &budget));
      if (!chosen) continue;
    }
    if (end.IsBefore(*of.job)) {
      next_token = std::to_string(of.job->modify_index);
      break;
    }
    end.Add(*of.job);
    list.Add(EncodeStatus(of));
  }
  Answer answer = std::move(list).Take();
  answer.next_token = std::move(next_token);
  co_return answer;
}

Co<Answer> ReadStatuses(ApiRequest* request) {
  DROVER_CO_ASSIGN(Wanted read, ReadWanted(*request));
  const auto wanted = std::make_shared<const Wanted>(std::move(read));
  co_return co_await AnswerRead(request, kOfStatuses, [request, wanted](const Tables& tables) {
    std::vector<JobAndAllocs> jobs = FindJobs(tables, *request, *wanted);
    const std::uint64_t index = AddAllocs(tables, *wanted, &jobs);
    const auto shared = std::make_shared<const std::vector<JobAndAllocs>>(std::move(jobs));
    return Found{index, [request, wanted, shared] { return AnswerPage(request, wanted, shared); }};
  });
}

}  // namespace

std::vector<Route> JobStatusesRoutes() { return {{"GET POST", "/v1/jobs/statuses", ReadStatuses}}; }

}  // namespace drover
