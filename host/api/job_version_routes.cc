// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes for the versions of a job and their source texts. Users can give tags to versions, mark
// them as stable, and go back to one.
#include <algorithm>

#include "host/api/router.h"
#include "host/encode/encode.h"
#include "host/scheduler/job_versions.h"
#include "host/spec/job_diff.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr TableMask kOfJobVersions = MaskOf(Table::kJobs);

JobKey WantedJob(const ApiRequest& request) { return {request.Namespace(), request.parameter(0)}; }

using Versions = std::vector<std::shared_ptr<const JobRecord>>;

// Says how the versions of a job are compared. Each version is compared with the version before it,
// or all versions are compared with one chosen version.
struct Comparison {
  bool wanted = false;
  std::optional<std::uint64_t> version;
  std::string tag;

  bool with_one() const { return version || !tag.empty(); }
};

// Returns the version with which all other versions are compared, or null if the version that WITH
// names does not exist.
std::shared_ptr<const JobRecord> ComparedWith(const Versions& versions, const Comparison& with) {
  for (const auto& version : versions) {
    const bool is_tagged = version->tag && version->tag->name == with.tag;
    if (with.tag.empty() ? version->version == with.version : is_tagged) return version;
  }
  return nullptr;
}

// Returns the differences between the versions of a job, the newest first. If WITH is null, each
// version is compared with the version before it. Otherwise each version is compared with WITH.
json EncodeDiffs(const std::vector<json>& jobs, const json& with) {
  json diffs = json::array();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!with.is_null()) {
      diffs.push_back(DiffJobs(with, jobs[i]));
    } else if (i + 1 < jobs.size()) {
      diffs.push_back(DiffJobs(jobs[i + 1], jobs[i]));
    }
  }
  return diffs;
}

Answer AnswerVersions(const Versions& versions, std::uint64_t index, const Comparison& with) {
  std::shared_ptr<const JobRecord> one;
  if (with.wanted && with.with_one()) {
    one = ComparedWith(versions, with);
    if (one == nullptr) {
      return ErrorAnswer(404, with.tag.empty()
                                  ? "version " + std::to_string(*with.version) + " not found"
                                  : "tag \"" + with.tag + "\" not found");
    }
  }
  std::vector<json> jobs;
  for (const auto& version : versions) jobs.push_back(EncodeJob(*version));
  json diffs = with.wanted ? EncodeDiffs(jobs, one ? EncodeJob(*one) : json()) : json();
  return JsonAnswer({{"Versions", std::move(jobs)},
                     {"Diffs", std::move(diffs)},
                     {"Index", index},
                     {"LastContact", 0},
                     {"KnownLeader", true}});
}

Co<Answer> ReadVersions(ApiRequest* request) {
  DROVER_CO_ASSIGN(const auto diff_version, request->Number("diff_version"));
  const Comparison with{request->Flag("diffs"), diff_version, request->Text("diff_tag")};
  co_return co_await AnswerRead(request, kOfJobVersions, [request, with](const Tables& tables) {
    const auto found = tables.versions.find(WantedJob(*request));
    if (found == tables.versions.end()) {
      return Found{tables.IndexOf(kOfJobVersions),
                   [] { return ErrorAnswer(404, "job versions not found"); }};
    }
    Versions versions;
    for (const auto& [number, version] : found->second) versions.push_back(version);
    std::reverse(versions.begin(), versions.end());
    // The answer has the index of the last change in the table of jobs, because this index also
    // rises when an old version is dropped. The index of the job's newest version would not rise
    // then.
    const std::uint64_t index = tables.IndexOf(kOfJobVersions);
    return Found{index, [index, versions = std::move(versions), with] {
                   return AnswerVersions(versions, index, with);
                 }};
  });
}

json EncodeSubmission(const JobRecord& version) {
  const JobSubmission& submission = *version.submission;
  return {{"Source", submission.source},
          {"Format", submission.format},
          {"VariableFlags", submission.variable_flags},
          {"Variables", submission.variables},
          {"Namespace", version.job->job_namespace},
          {"JobID", version.job->id},
          {"Version", version.version},
          {"JobModifyIndex", version.job_modify_index}};
}

Co<Answer> ShowSubmission(ApiRequest* request) {
  DROVER_CO_ASSIGN(const auto number, request->Number("version"));
  co_return co_await AnswerRead(request, kOfJobVersions, [request, number](const Tables& tables) {
    const auto version = FindVersion(tables, WantedJob(*request), number);
    if (!version.ok() || (*version)->submission == nullptr) {
      return Found{tables.IndexOf(kOfJobVersions),
                   [] { return ErrorAnswer(404, "job source not found"); }};
    }
    return Found{(*version)->modify_index,
                 [of = *version] { return JsonAnswer(EncodeSubmission(*of)); }};
  });
}

// Calls CHANGE, which changes a version of a job and returns the new index. Answers with BODY and
// this index.
Co<Answer> ChangeVersion(ApiRequest* request,
                         std::function<Result<std::uint64_t>(Scheduler*)> change, json body) {
  const Result<std::uint64_t> index = co_await request->ControlNow(
      [scheduler = request->agent().scheduler, &change] { return change(scheduler); });
  if (!index.ok()) co_return index.error();
  body["Index"] = *index;
  co_return JsonAnswer(body, *index);
}

Co<Answer> TagVersion(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, request->Body());
  std::optional<std::uint64_t> number;
  if (const json wanted = Field<json>(body, "Version"); !wanted.is_null()) {
    if (!wanted.is_number_unsigned()) {
      co_return ErrorAnswer(400, "Version must be a whole number of at least 0");
    }
    number = wanted.get<std::uint64_t>();
  }
  if (Field<bool>(body, "Latest")) {
    // Clients written in Go always send a number, so 0 means that the client names no version.
    if (number.value_or(0) != 0) {
      co_return ErrorAnswer(400, "Version and Latest contradict each other");
    }
    number.reset();
  } else if (!number) {
    co_return ErrorAnswer(400, "Version or Latest must name the version to tag");
  }
  const JobKey key = WantedJob(*request);
  VersionTag tag;
  tag.name = request->parameter(1);
  tag.description = Field<std::string>(body, "Description");
  co_return co_await ChangeVersion(
      request, [=](Scheduler* scheduler) { return scheduler->TagVersion(key, number, tag); },
      {{"Name", tag.name}, {"Description", tag.description}});
}

Co<Answer> UntagVersion(ApiRequest* request) {
  const JobKey key = WantedJob(*request);
  const std::string name = request->parameter(1);
  return ChangeVersion(request,
                       [=](Scheduler* scheduler) { return scheduler->UntagVersion(key, name); },
                       {{"Name", name}});
}

Co<Answer> NoTagName(ApiRequest*) { co_return ErrorAnswer(404, "invalid job tag endpoint"); }

Co<Answer> SetStable(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, request->Body());
  if (Field<std::string>(body, "JobID") != request->parameter(0)) {
    co_return ErrorAnswer(400, "Job ID does not match");
  }
  const JobKey key = WantedJob(*request);
  const auto number = Field<std::uint64_t>(body, "JobVersion");
  const bool stable = Field<bool>(body, "Stable");
  co_return co_await ChangeVersion(
      request, [=](Scheduler* scheduler) { return scheduler->SetStable(key, number, stable); },
      json::object());
}

Co<Answer> RevertJob(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, request->Body());
  if (Field<std::string>(body, "JobID") != request->parameter(0)) {
    co_return ErrorAnswer(400, "Job ID does not match");
  }
  const JobKey key = WantedJob(*request);
  const auto number = Field<std::uint64_t>(body, "JobVersion");
  std::optional<std::uint64_t> enforced;
  if (!Field<json>(body, "EnforcePriorVersion").is_null()) {
    enforced = Field<std::uint64_t>(body, "EnforcePriorVersion");
  }
  // The drivers of the version must be there before it is checked.
  std::shared_ptr<const Job> job;
  request->agent().store->Read([&](const Tables& tables) {
    if (const auto version = FindVersion(tables, key, number); version.ok()) job = (*version)->job;
  });
  Scheduler* const scheduler = request->agent().scheduler;
  const Result<JobReply> reply =
      co_await request->ControlJob(job, [=] { return scheduler->Revert(key, number, enforced); });
  if (reply.code() == Code::kNotFound) co_return ErrorAnswer(404, "job not found");
  if (!reply.ok()) co_return ErrorAnswer(500, reply.error().message());
  co_return JsonAnswer(EncodeJobReply(*reply), reply->index);
}

}  // namespace

std::vector<Route> JobVersionRoutes() {
  return {
      {"GET", "/v1/job/**/versions", ReadVersions},
      {"GET", "/v1/job/**/submission", ShowSubmission},
      {"PUT POST", "/v1/job/**/stable", SetStable},
      {"PUT POST", "/v1/job/**/revert", RevertJob},
      {"PUT POST", "/v1/job/**/versions/*/tag", TagVersion},
      {"DELETE", "/v1/job/**/versions/*/tag", UntagVersion},
      {"PUT POST DELETE", "/v1/job/**/tag", NoTagName},
  };
}

}  // namespace drover
