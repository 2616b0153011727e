// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/api/job_for_filter.h"
#include "host/api/job_preserve.h"
#include "host/api/router.h"
#include "host/artifact/check_sources.h"
#include "host/encode/encode.h"
#include "host/filter/list_filter.h"
#include "host/periodic/schedule.h"
#include "host/render/check_templates.h"
#include "host/spec/blocks/scaling_checks.h"
#include "host/spec/blocks/service_policy.h"
#include "host/spec/canonical_job.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr TableMask kOfJobs = MaskOf(Table::kJobs) | MaskOf(Table::kAllocs) | MaskOf(Table::kEvals);

std::string TextOf(const JobFault& fault) {
  return fault.pointer.empty() ? fault.message : fault.pointer + ": " + fault.message;
}

// Returns one text with all mistakes in a job, in the format that clients print.
std::string ErrorList(const std::vector<std::string>& faults) {
  std::string text = std::to_string(faults.size()) +
                     (faults.size() == 1 ? " error occurred:\n" : " errors occurred:\n");
  for (const std::string& fault : faults) text += "\t* " + fault + "\n";
  return text + "\n";
}

// Returns the text of WARNINGS, which clients print together with an answer. The text is empty if
// there are no warnings.
std::string WarningList(const std::vector<std::string>& warnings) {
  if (warnings.empty()) return "";
  std::string text = std::to_string(warnings.size()) + " warning(s):\n";
  for (const std::string& warning : warnings) text += "\n* " + warning;
  return text;
}

std::vector<std::string> TextsOf(const std::vector<JobFault>& warnings) {
  std::vector<std::string> texts;
  for (const JobFault& warning : warnings) texts.push_back(TextOf(warning));
  return texts;
}

// Returns the texts of FAULTS, the mistakes that the parser found in a job. If FAULTS is empty but
// JOB is an error, returns the text of this error.
std::vector<std::string> FaultTexts(const Result<Job>& job, const std::vector<JobFault>& faults) {
  std::vector<std::string> texts;
  for (const JobFault& fault : faults) texts.push_back(TextOf(fault));
  if (texts.empty() && !job.ok()) texts.push_back(job.error().message());
  return texts;
}

// Makes JOB, which a client has sent, a job without a parent, unless it is a change of a child. A
// task acts for the parent of its job: it reads the variables of the parent, and has the policies
// that are attached to it.
void LeaveParent(const ApiRequest& request, Job* job, std::vector<JobFault>* warnings) {
  if (job->parent_id.empty()) return;
  std::shared_ptr<const JobRecord> before;
  request.agent().store->Read(
      [&](const Tables& tables) { before = Tables::Find(tables.jobs, KeyOf(*job)); });
  if (before != nullptr && before->job->parent_id == job->parent_id) return;
  job->parent_id.clear();
  warnings->push_back({"/Job/ParentID", "is ignored: a job that a client submits has no parent"});
}

// Reads JOB, an object, with its templates and the sources of its artifacts, and decides who
// registers its services. FAULTS and WARNINGS are as of
// ParseJob.
Result<Job> ReadJobOf(const ApiRequest& request, const json& job, std::vector<JobFault>* faults,
                      std::vector<JobFault>* warnings) {
  Result<Job> read = ParseJob("{\"Job\":" + job.dump() + "}", faults, nullptr, warnings);
  if (!read.ok()) return read;
  LeaveParent(request, &*read, warnings);
  JobFaults refused, moved;
  CheckSchedule(*read, "/Job", WallNow(), &refused);
  ApplyServicePolicy(request.agent().settings.Get()->services, "/Job", &*read, &refused, &moved);
  CheckTemplateTexts(*read, "/Job", &refused);
  CheckArtifactSources(*read, "/Job", &refused);
  for (JobFault& warning : moved.Take()) warnings->push_back(std::move(warning));
  if (refused.empty()) return read;
  const Error error = refused.ToError();
  *faults = refused.Take();
  return error;
}

struct Submission {
  JobRegistration registration;
  std::vector<std::string> warnings;
  // Whether the answer must contain the differences between the stored job and the new job.
  bool diff = false;
  Answer refused;  // the answer if the request has no valid job
};

// Copies the source text of a job from BODY to OUT, if BODY contains a source text.
Status ReadSource(const json& body, Submission* out) {
  const json sent = Field<json>(body, "Submission", json::object());
  if (!sent.is_object()) {
    return Error(Code::kInvalidArgument, "Submission must be an object or null");
  }
  JobSubmission source;
  source.source = Field<std::string>(sent, "Source");
  source.format = Field<std::string>(sent, "Format");
  source.variable_flags = Field<StringMap>(sent, "VariableFlags");
  source.variables = Field<std::string>(sent, "Variables");
  if (source.source.empty()) return {};
  std::size_t bytes = source.source.size() + source.variables.size();
  for (const auto& [name, value] : source.variable_flags) bytes += name.size() + value.size();
  if (bytes > JobSubmission::kMaxBytes) {
    char sizes[96];
    std::snprintf(sizes, sizeof sizes, "job source size of %.1f MB exceeds maximum of %.1f MB",
                  static_cast<double>(bytes) / (1 << 20),
                  static_cast<double>(JobSubmission::kMaxBytes) / (1 << 20));
    out->warnings.push_back(std::string(sizes) +
                            " and will be discarded: the job runs, its text is not kept");
    return {};
  }
  out->registration.submission = std::make_shared<const JobSubmission>(std::move(source));
  return {};
}

constexpr int kHighestPriority = 100;

// Checks the PRIORITY that a client wants for an evaluation. 0 means the priority of the job.
Result<int> EvalPriority(std::int64_t priority) {
  if (priority < 0 || priority > kHighestPriority) {
    return Error(Code::kInvalidArgument, "the priority of an evaluation must be from 1 to " +
                                             std::to_string(kHighestPriority) + ", not " +
                                             std::to_string(priority));
  }
  return static_cast<int>(priority);
}

// Copies the parts that the client wants to preserve from the stored job into JOB. After a copy,
// REGISTRATION fails if the stored job has changed.
void KeepOf(const ApiRequest& request, const json& body, json* job, JobRegistration* registration) {
  const Preserved what{Field<bool>(body, "PreserveCounts"), Field<bool>(body, "PreserveResources")};
  if (!what.counts && !what.resources) return;
  const JobKey key(job->value("Namespace", json()).is_string() ? job->at("Namespace") : "default",
                   job->at("ID"));
  std::shared_ptr<const JobRecord> before;
  request.agent().store->Read(
      [&](const Tables& tables) { before = Tables::Find(tables.jobs, key); });
  if (before == nullptr) return;
  *job = Preserve(std::move(*job), *before->json.Whole(), what);
  registration->enforce_index = before->job_modify_index;
}

constexpr RightSet<Capability> kToSubmit = {Capability::kSubmitJob};

// Returns the namespace of JOB, an object that was not checked yet.
std::string NamespaceOf(const json& job) {
  const auto name = job.find("Namespace");
  const bool named =
      name != job.end() && name->is_string() && !name->get_ref<const std::string&>().empty();
  return named ? name->get<std::string>() : "default";
}

// Returns whether the client may mount the volumes of GROUP as its tasks want them.
bool MayMount(const Acl& acl, const TaskGroup& group) {
  for (const auto& [name, volume] : group.volumes) {
    bool writes = false;
    for (const Task& task : group.tasks) {
      for (const VolumeMount& mount : task.volume_mounts) {
        writes = writes || (mount.volume == name && Writes(volume) && !mount.read_only);
      }
    }
    const bool may_write = acl.AllowsVolume(volume.source, VolumeRight::kMountReadWrite);
    if (may_write) continue;
    if (writes || !acl.AllowsVolume(volume.source, VolumeRight::kMountReadOnly)) return false;
  }
  return true;
}

// The error texts for a missing job id, and for a job id that differs from the id in the path.
struct IdTexts {
  const char* missing;
  const char* mismatch;
};
constexpr IdTexts kRegistered = {"Job ID hasn't been provided", "Job ID does not match name"};
constexpr IdTexts kPlanned = {"Job must have a valid ID", "Job ID does not match"};

// Reads the job in the body of a request. MUST_BE is the id in the path, which must also be the id
// of the job. If MUST_BE is empty, the job may have any id.
Submission ReadSubmission(const ApiRequest& request, const std::string& must_be,
                          const IdTexts& texts) {
  Submission out;
  Result<json> body = request.Body();
  if (!body.ok()) return out.refused = body.error(), out;
  const auto job = body->find("Job");
  if (job == body->end() || !job->is_object()) {
    return out.refused = ErrorAnswer(400, "Job must be specified"), out;
  }
  const auto id = job->find("ID");
  if (id == job->end() || !id->is_string() || id->get_ref<const std::string&>().empty()) {
    return out.refused = ErrorAnswer(400, texts.missing), out;
  }
  if (!must_be.empty() && id->get_ref<const std::string&>() != must_be) {
    return out.refused = ErrorAnswer(400, texts.mismatch), out;
  }
  const Status source = ReadSource(*body, &out);
  if (!source.ok()) return out.refused = source.error(), out;
  // The job is moved and not copied, because it may be large.
  json copy = std::move(*job);
  // A job that names no namespace gets the namespace in the query.
  if (copy.value("Namespace", json()).is_null() && !request.Text("namespace").empty()) {
    copy["Namespace"] = request.Text("namespace");
  }
  // Before the stored job is looked at, the client must have shown that it may change it.
  if (!request.acl().Allows(NamespaceOf(copy), kToSubmit)) return out.refused = DeniedAnswer(), out;
  const Result<int> priority = EvalPriority(Field<std::int64_t>(*body, "EvalPriority"));
  if (!priority.ok()) return out.refused = priority.error(), out;
  out.registration.eval_priority = *priority;
  KeepOf(request, *body, &copy, &out.registration);
  std::vector<JobFault> faults, warnings;
  const Result<Job> parsed = ReadJobOf(request, copy, &faults, &warnings);
  if (!parsed.ok()) {
    // Clients know this text by its status.
    for (const JobFault& fault : faults) {
      if (fault.message != kNoScalingOfSystemJobs) continue;
      return out.refused = ErrorAnswer(400, fault.message), out;
    }
    return out.refused = ErrorAnswer(500, ErrorList(FaultTexts(parsed, faults))), out;
  }
  if (!request.acl().Allows(parsed->job_namespace, kToSubmit)) {
    return out.refused = DeniedAnswer(), out;
  }
  for (const TaskGroup& group : parsed->groups) {
    if (!MayMount(request.acl(), group)) return out.refused = DeniedAnswer(), out;
  }
  for (std::string& warning : TextsOf(warnings)) out.warnings.push_back(std::move(warning));
  out.registration.json = std::make_shared<const json>(CanonicalJob(*parsed, copy));
  out.registration.job = std::make_shared<const Job>(*parsed);
  out.diff = Field<bool>(*body, "Diff");
  if (Field<bool>(*body, "EnforceIndex")) {
    out.registration.enforce_index = Field<std::uint64_t>(*body, "JobModifyIndex");
  }
  return out;
}

// Splits TEXT, which lists the mistakes that the node has found in a job. Each mistake begins with
// a JSON pointer.
std::vector<std::string> MistakesIn(const std::string& text) {
  constexpr std::string_view kNext = "; /Job/";
  std::vector<std::string> mistakes;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(kNext, begin)) != std::string::npos; begin = end + 2) {
    mistakes.push_back(text.substr(begin, end - begin));
  }
  mistakes.push_back(text.substr(begin));
  return mistakes;
}

// Returns the answer for a job that the node does not accept. It has the same form as the answer
// for an invalid job.
Answer RefusedJob(const Error& error) {
  if (error.code() != Code::kInvalidArgument) return error;
  return ErrorAnswer(500, ErrorList(MistakesIn(error.message())));
}

// Adds the warnings of the node. [control thread]
void AddWarnings(const Scheduler& scheduler, Submission* submission) {
  for (std::string& warning : scheduler.Warnings(*submission->registration.job)) {
    submission->warnings.push_back(std::move(warning));
  }
}

Co<Answer> RegisterJob(ApiRequest* request, const std::string must_be) {
  Submission submission = ReadSubmission(*request, must_be, kRegistered);
  if (!submission.registration.job) co_return submission.refused;
  Scheduler* const scheduler = request->agent().scheduler;
  const Result<JobReply> reply =
      co_await request->ControlJob(submission.registration.job, [scheduler, &submission] {
        AddWarnings(*scheduler, &submission);
        return scheduler->Register(submission.registration);
      });
  if (!reply.ok()) co_return RefusedJob(reply.error());
  json body = EncodeJobReply(*reply);
  body["Warnings"] = WarningList(submission.warnings);
  co_return JsonAnswer(body, reply->index);
}

Co<Answer> RegisterAny(ApiRequest* request) { return RegisterJob(request, ""); }
Co<Answer> RegisterOne(ApiRequest* request) { return RegisterJob(request, request->parameter(0)); }

using JobAndParts = std::pair<std::shared_ptr<const JobRecord>, JobParts>;

Co<Answer> JobList(ApiRequest* request, const std::vector<JobAndParts>& jobs) {
  const bool meta = request->Flag("meta");
  std::vector<ListItem> items;
  items.reserve(jobs.size());
  for (const JobAndParts& of : jobs) {
    const JobRecord* const job = of.first.get();
    const JobParts* const parts = &of.second;
    items.push_back({job->job->job_namespace + "." + job->job->id,
                     [=] { return EncodeJobStub(*job, EncodeJobSummary(*job, *parts), meta); },
                     [=](const ListFilter& filter) {
                       json whole = JobForFilter(request->acl(), *job);
                       if (filter.LooksAt("JobSummary"))
                         whole["JobSummary"] = EncodeJobSummary(*job, *parts);
                       return whole;
                     }});
  }
  return ListAnswer(request, std::move(items));
}

Co<Answer> ListJobs(ApiRequest* request) {
  const std::string prefix = request->Text("prefix");
  return AnswerRead(request, kOfJobs, [request, prefix](const Tables& tables) {
    const auto jobs = std::make_shared<std::vector<JobAndParts>>();
    for (const auto& [key, job] : tables.jobs) {
      if (!key.second.starts_with(prefix)) continue;
      if (!request->MayList(key.first, {Capability::kListJobs})) continue;
      jobs->emplace_back(job, PartsOf(*job, tables));
    }
    return Found{tables.IndexOf(kOfJobs), [request, jobs] { return JobList(request, *jobs); }};
  });
}

// Answers with the result of ENCODE for the job that the path names. Answers 404 if there is no
// such job.
Co<Answer> WithJob(ApiRequest* request, TableMask mask,
                   std::function<std::function<Answer()>(const Tables&, const JobRecord&)> encode) {
  return AnswerRead(request, mask, [request, mask, encode](const Tables& tables) {
    const JobKey key(request->Namespace(), request->parameter(0));
    const auto job = Tables::Find(tables.jobs, key);
    if (job == nullptr) {
      return Found{tables.IndexOf(mask), [] { return ErrorAnswer(404, "job not found"); }};
    }
    const bool only_job = mask == MaskOf(Table::kJobs);
    return Found{only_job ? job->modify_index : tables.IndexOf(mask), encode(tables, *job)};
  });
}

Co<Answer> ReadJob(ApiRequest* request) {
  return WithJob(request, MaskOf(Table::kJobs), [](const Tables&, const JobRecord& job) {
    return [job] { return JsonAnswer(EncodeJob(job)); };
  });
}

Co<Answer> ReadSummary(ApiRequest* request) {
  return WithJob(request, kOfJobs, [](const Tables& tables, const JobRecord& job) {
    return [job, parts = PartsOf(job, tables)] { return JsonAnswer(EncodeJobSummary(job, parts)); };
  });
}

Co<Answer> ListActions(ApiRequest* request) {
  return WithJob(request, MaskOf(Table::kJobs), [](const Tables&, const JobRecord& record) {
    return [job = record.job] {
      json list = json::array();
      for (const TaskGroup& group : job->groups) {
        for (const Task& task : group.tasks) {
          for (const TaskAction& action : task.actions) {
            list.push_back({{"Name", action.name},
                            {"Command", action.command},
                            {"Args", action.args},
                            {"TaskName", task.name},
                            {"TaskGroupName", group.name}});
          }
        }
      }
      return JsonAnswer(list);
    };
  });
}

Co<Answer> ListAllocsOfJob(ApiRequest* request) {
  const JobKey key(request->Namespace(), request->parameter(0));
  const bool all = request->Flag("all");
  return AnswerRead(request, MaskOf(Table::kAllocs), [key, all](const Tables& tables) {
    // The allocations of a purged job with the same name are listed only if the query has ?all.
    const auto job = all ? nullptr : Tables::Find(tables.jobs, key);
    const JobAllocs& of_all = tables.AllocsOf(key);
    const auto allocs = job ? AllocsOf(*job, tables) : AllocRecords(of_all.begin(), of_all.end());
    return Found{tables.IndexOf(MaskOf(Table::kAllocs)), [allocs] {
                   JsonListText list;
                   for (const auto& record : allocs) list.Add(EncodeAllocStub(*record, {}));
                   return std::move(list).Take();
                 }};
  });
}

Co<Answer> ListEvalsOfJob(ApiRequest* request) {
  return AnswerRead(request, MaskOf(Table::kEvals), [request](const Tables& tables) {
    std::vector<std::shared_ptr<const Evaluation>> evals;
    const auto ids = tables.evals_of_job.find({request->Namespace(), request->parameter(0)});
    if (ids != tables.evals_of_job.end()) {
      for (const auto& [index, id] : ids->second.all) evals.push_back(tables.evals.at(id));
    }
    return Found{tables.IndexOf(MaskOf(Table::kEvals)), [evals] {
                   JsonListText list;
                   for (const auto& eval : evals) list.Add(EncodeEval(*eval));
                   return std::move(list).Take();
                 }};
  });
}

// Returns the reply to a request that changes nothing.
JobReply NothingDone(const ApiRequest& request) {
  JobReply reply;
  reply.index = std::max<std::uint64_t>(LastIndex(request), 1);
  return reply;
}

Co<Answer> DeregisterJob(ApiRequest* request) {
  Scheduler* const scheduler = request->agent().scheduler;
  const JobKey key(request->Namespace(), request->parameter(0));
  const bool purge = request->Flag("purge");
  const bool no_delay = request->Flag("no_shutdown_delay");
  DROVER_CO_ASSIGN(const auto wanted, request->Number("eval_priority"));
  const std::uint64_t bounded = std::min<std::uint64_t>(wanted.value_or(0), kHighestPriority + 1);
  DROVER_CO_ASSIGN(const int priority, EvalPriority(static_cast<std::int64_t>(bounded)));
  Result<JobReply> reply = co_await request->ControlNow(
      [=] { return scheduler->Deregister(key, purge, no_delay, priority); });
  // A request to remove a job succeeds even if the job no longer exists, because a client may send
  // the request twice.
  if (reply.code() == Code::kNotFound) reply = NothingDone(*request);
  if (!reply.ok()) co_return reply.error();
  json body = EncodeJobReply(*reply);
  body["VolumeEvalID"] = "";
  body["VolumeEvalIndex"] = 0;
  co_return JsonAnswer(body, reply->index);
}

Co<Answer> EvaluateJob(ApiRequest* request) {
  bool forced = false;
  if (!request->http().body.empty()) {
    DROVER_CO_ASSIGN(const json body, request->Body());
    const std::string id = Field<std::string>(body, "JobID");
    if (id.empty()) co_return ErrorAnswer(400, "Job ID must be specified");
    if (id != request->parameter(0)) co_return ErrorAnswer(400, "JobID not same as job name");
    const auto options = body.find("EvalOptions");
    forced =
        options != body.end() && options->is_object() && Field<bool>(*options, "ForceReschedule");
  }
  Scheduler* const scheduler = request->agent().scheduler;
  const JobKey key(request->Namespace(), request->parameter(0));
  const Result<JobReply> reply = co_await request->ControlNow(
      [=] { return forced ? scheduler->EvaluateForced(key) : scheduler->Evaluate(key); });
  if (!reply.ok()) co_return reply.error();
  co_return JsonAnswer(EncodeJobReply(*reply), reply->index);
}

Co<Answer> PlanJob(ApiRequest* request) {
  Submission submission = ReadSubmission(*request, request->parameter(0), kPlanned);
  if (!submission.registration.job) co_return submission.refused;
  Scheduler* const scheduler = request->agent().scheduler;
  const Result<PlanReply> plan =
      co_await request->ControlJob(submission.registration.job, [scheduler, &submission] {
        AddWarnings(*scheduler, &submission);
        return scheduler->Plan(submission.registration);
      });
  if (!plan.ok()) co_return RefusedJob(plan.error());
  const std::uint64_t index = LastIndex(*request);
  const PlannedJob planned{*submission.registration.job, *submission.registration.json,
                           submission.diff, index, request->exchange()->loop()->Wall()};
  json body = EncodePlan(*plan, planned);
  body["Warnings"] = WarningList(submission.warnings);
  co_return JsonAnswer(body, std::max<std::uint64_t>(index, 1));
}

Co<Answer> ValidateJob(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, request->Body());
  if (!body.contains("Job") || !body.at("Job").is_object()) {
    co_return ErrorAnswer(400, "Job must be specified");
  }
  if (!request->acl().Allows(NamespaceOf(body.at("Job")), {Capability::kReadJob})) {
    co_return DeniedAnswer();
  }
  std::vector<JobFault> faults, warnings;
  const Result<Job> job = ReadJobOf(*request, body.at("Job"), &faults, &warnings);
  std::vector<std::string> texts = FaultTexts(job, faults);
  std::vector<std::string> warned = TextsOf(warnings);
  if (job.ok()) {
    Scheduler* const scheduler = request->agent().scheduler;
    const auto shared = std::make_shared<const Job>(*job);
    const Status taken = co_await request->ControlJob(shared, [scheduler, shared, &warned] {
      for (std::string& warning : scheduler->Warnings(*shared)) {
        warned.push_back(std::move(warning));
      }
      return scheduler->Check(*shared);
    });
    if (!taken.ok()) texts = MistakesIn(taken.error().message());
  }
  co_return JsonAnswer({{"DriverConfigValidated", job.ok()},
                        {"ValidationErrors", texts.empty() ? json(nullptr) : json(texts)},
                        {"Error", texts.empty() ? "" : ErrorList(texts)},
                        {"Warnings", WarningList(warned)}});
}

}  // namespace

std::vector<Route> JobRoutes() {
  return {
      {"GET", "/v1/jobs", ListJobs},
      {"PUT POST", "/v1/jobs", RegisterAny},
      {"PUT POST", "/v1/validate/job", ValidateJob},
      {"PUT POST", "/v1/job/**/plan", PlanJob},
      {"PUT POST", "/v1/job/**/evaluate", EvaluateJob},
      {"GET", "/v1/job/**/summary", ReadSummary},
      {"GET", "/v1/job/**/actions", ListActions},
      {"GET", "/v1/job/**/allocations", ListAllocsOfJob},
      {"GET", "/v1/job/**/evaluations", ListEvalsOfJob},
      {"GET", "/v1/job/**", ReadJob},
      {"PUT POST", "/v1/job/**", RegisterOne},
      {"DELETE", "/v1/job/**", DeregisterJob},
  };
}

}  // namespace drover
