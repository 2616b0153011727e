// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "host/api/router.h"
#include "host/base/gate.h"
#include "host/base/text.h"
#include "host/encode/encode.h"
#include "host/filter/list_filter.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

// The maximum time that a request for statistics waits for the first sample of a task.
constexpr Duration kFirstSample = 2s;

bool HasAlloc(const ApiRequest& request) {
  return FindAlloc(request, request.parameter(0)) != nullptr;
}

Answer UnknownAlloc(const ApiRequest& request) {
  return ErrorAnswer(404, "Unknown allocation \"" + request.parameter(0) + "\"");
}

Answer IndexAnswer(const ApiRequest& request) {
  const std::uint64_t index = LastIndex(request);
  return JsonAnswer({{"Index", index}}, index);
}

// Returns a sort key that orders allocations from the newest to the oldest.
std::string NewestFirst(const Allocation& alloc) {
  char index[24];
  std::snprintf(index, sizeof index, "%020llu.",
                static_cast<unsigned long long>(~std::uint64_t{0} - alloc.create_index));
  return index + alloc.id;
}

bool IsNewer(const std::shared_ptr<const AllocRecord>& a,
             const std::shared_ptr<const AllocRecord>& b) {
  if (a->alloc->create_index != b->alloc->create_index) {
    return a->alloc->create_index > b->alloc->create_index;
  }
  return a->id() < b->id();
}

// Keeps only the RECORDS that the requested page may show, and the first record of the next page.
// The agent thus does not sort all records for each page. If REQUEST has a filter, keeps all
// records, because the filter must examine each of them.
void OnlyThePage(const ApiRequest& request, AllocRecords* records) {
  const Result<std::optional<std::uint64_t>> per_page = request.Number("per_page");
  if (!per_page.ok() || per_page->value_or(0) == 0 || !request.Text("filter").empty()) return;
  const bool reverse = request.Flag("reverse");
  if (const std::string token = request.Text("next_token"); !token.empty()) {
    std::erase_if(*records, [&](const auto& record) {
      const int order = NewestFirst(*record->alloc).compare(token);
      return reverse ? order > 0 : order < 0;
    });
  }
  if (**per_page >= records->size()) return;
  const auto end = records->begin() + static_cast<std::ptrdiff_t>(**per_page) + 1;
  std::partial_sort(records->begin(), end, records->end(), [&](const auto& a, const auto& b) {
    return reverse ? IsNewer(b, a) : IsNewer(a, b);
  });
  records->erase(end, records->end());
}

// Encodes all fields of the allocation that FILTER may examine. The job is many times as large as
// the other fields, so the result includes the job only if FILTER examines the job.
json WholeAlloc(const AllocRecord& record, const ListFilter& filter) {
  json whole = EncodeAllocStub(record, {});
  whole.update(filter.LooksAt("Job") ? EncodeAlloc(record) : EncodeAllocWithoutJob(record));
  return whole;
}

// Sorts and encodes a list of allocations. The read of the store only collects pointers to the
// RECORDS, and ends before this function is called, because writers wait during a read.
Co<Answer> NewestList(ApiRequest* request, AllocRecords records) {
  OnlyThePage(*request, &records);
  StubFields fields;
  fields.resources = request->Flag("resources");
  fields.task_states = request->Flag("task_states", true);
  std::vector<ListItem> items;
  items.reserve(records.size());
  for (const auto& record : records) {
    items.push_back({NewestFirst(*record->alloc),
                     [record, fields] { return EncodeAllocStub(*record, fields); },
                     [record](const ListFilter& filter) { return WholeAlloc(*record, filter); }});
  }
  std::sort(items.begin(), items.end(),
            [](const ListItem& a, const ListItem& b) { return a.key < b.key; });
  return ListAnswer(request, std::move(items));
}

Co<Answer> ListAllocs(ApiRequest* request) {
  const std::string prefix = WithoutHyphens(request->Text("prefix"));
  return AnswerRead(request, MaskOf(Table::kAllocs), [request, prefix](const Tables& tables) {
    AllocRecords records;
    for (const auto& [id, record] : tables.allocs) {
      if (request->MayList(record->alloc->job->job_namespace, {Capability::kReadJob}) &&
          (prefix.empty() || WithoutHyphens(id).starts_with(prefix))) {
        records.push_back(record);
      }
    }
    return Found{tables.IndexOf(MaskOf(Table::kAllocs)),
                 [request, records = std::move(records)] { return NewestList(request, records); }};
  });
}

Co<Answer> ReadAlloc(ApiRequest* request) {
  return AnswerRead(request, MaskOf(Table::kAllocs), [request](const Tables& tables) {
    const auto record = Tables::Find(tables.allocs, request->parameter(0));
    if (record == nullptr) {
      return Found{tables.IndexOf(MaskOf(Table::kAllocs)),
                   [] { return ErrorAnswer(404, "alloc not found"); }};
    }
    return Found{record->modify_index, [record] { return JsonAnswer(EncodeAlloc(*record)); }};
  });
}

Co<Answer> StopAlloc(ApiRequest* request) {
  Scheduler* const scheduler = request->agent().scheduler;
  const std::string id = request->parameter(0);
  AllocStop how;
  how.no_shutdown_delay = request->Flag("no_shutdown_delay");
  how.no_reschedule = request->Flag("no_reschedule");
  how.reschedule = request->Flag("reschedule");
  if (how.no_reschedule && how.reschedule) {
    co_return ErrorAnswer(400, "no_reschedule and reschedule exclude each other");
  }
  const Result<JobReply> reply =
      co_await request->ControlNow([=] { return scheduler->StopAlloc(id, how); });
  if (!reply.ok()) co_return reply.error();
  co_return JsonAnswer({{"EvalID", reply->eval_id}, {"Index", reply->index}}, reply->index);
}

// The action that a client requests for the runner of an allocation.
using RunnerWork = std::function<Co<Status>(AllocRunner* runner)>;

// [control]
Co<Status> DoWithRunner(const ApiAgent* agent, std::string id, RunnerWork work) {
  AllocRunner* const runner = agent->find_runner(id);
  if (runner == nullptr) {
    co_return Error(Code::kNotFound, "Unknown allocation \"" + id + "\"");
  }
  co_return co_await work(runner);
}

// Calls WORK with the runner of the allocation that the path of the request names. Answers with the
// newest index of the store.
Co<Answer> WithRunner(ApiRequest* request, RunnerWork work) {
  const Status done = co_await request->Control(
      [agent = &request->agent(), id = request->parameter(0), work = std::move(work)](Context) {
        return DoWithRunner(agent, id, work);
      });
  if (!done.ok()) co_return done.error();
  co_return IndexAnswer(*request);
}

Co<Answer> RestartAlloc(ApiRequest* request) {
  if (!HasAlloc(*request)) co_return UnknownAlloc(*request);
  std::string task;
  bool all = false;
  if (!request->http().body.empty()) {
    const Result<json> body = request->Body();
    if (!body.ok()) co_return ErrorAnswer(400, "Failed to decode body: " + body.error().message());
    task = Field<std::string>(*body, "TaskName");
    all = Field<bool>(*body, "AllTasks");
  }
  if (all && !task.empty()) {
    co_return ErrorAnswer(500, "task name cannot be set when restarting all tasks");
  }
  co_return co_await WithRunner(request, [task, all](AllocRunner* runner) {
    if (all) return runner->RestartAll();
    return task.empty() ? runner->RestartRunning() : runner->RestartTask(task);
  });
}

Co<Answer> SignalAlloc(ApiRequest* request) {
  const Result<json> body = request->Body();
  if (!body.ok()) co_return ErrorAnswer(400, "Failed to decode body: " + body.error().message());
  if (!HasAlloc(*request)) co_return UnknownAlloc(*request);
  const std::string task = Field<std::string>(*body, "Task");
  const std::string name = Field<std::string>(*body, "Signal");
  co_return co_await WithRunner(
      request, [task, name](AllocRunner* runner) { return runner->Signal(task, name); });
}

// Returns whether STATE, a schedule state of a client, holds a task. The states of schedules are
// taken as what they mean for a task without one.
Result<bool> HoldsTask(const std::string& state) {
  if (state == "pause" || state == "force_pause") return true;
  for (const char* run : {"run", "force_run", "scheduled", "schedule_resume"}) {
    if (state == run) return false;
  }
  return Error(Code::kInvalidArgument,
               "ScheduleState must be pause or run, it was " + Quoted(state));
}

Co<Answer> PauseTask(ApiRequest* request) {
  const Result<json> body = request->Body();
  if (!body.ok()) co_return ErrorAnswer(400, "Failed to decode body: " + body.error().message());
  if (!HasAlloc(*request)) co_return UnknownAlloc(*request);
  const std::string task = Field<std::string>(*body, "Task");
  const Result<bool> paused = HoldsTask(Field<std::string>(*body, "ScheduleState"));
  if (!paused.ok()) co_return ErrorAnswer(400, paused.error().message());
  co_return co_await WithRunner(
      request, [task, hold = *paused](AllocRunner* runner) { return runner->Pause(task, hold); });
}

Co<Answer> ReadPause(ApiRequest* request) {
  const auto record = FindAlloc(*request, request->parameter(0));
  if (record == nullptr) co_return UnknownAlloc(*request);
  const std::string task = request->Text("task");
  if (task.empty()) co_return ErrorAnswer(400, "task must be given");
  const auto found = record->reported.tasks.find(task);
  if (found == record->reported.tasks.end()) co_return ErrorAnswer(404, "Task not found");
  co_return JsonAnswer({{"ScheduleState", found->second->paused ? "force_pause" : "run"}});
}

// What is measured for one request.
struct MeasuredAlloc {
  Result<AllocUsage> usage = AllocUsage();
  TaskDeviceStats devices;
};

// [control]
Co<void> MeasureTasks(AllocRunner* runner, std::string task, Context context, MeasuredAlloc* out) {
  out->usage = co_await runner->Usage(context, std::move(task), UsageDetail::kProcesses);
}

// [control]
Co<void> MeasureDevicesOf(const ApiAgent* agent, AllocatedDevices devices, Context context,
                          MeasuredAlloc* out) {
  std::vector<AllocatedDevice> all;
  for (const auto& [name, of_task] : devices) all.insert(all.end(), of_task.begin(), of_task.end());
  const DeviceStats stats = co_await agent->measure_some_devices(context, std::move(all));
  for (const auto& [name, of_task] : devices) out->devices[name] = StatsOf(stats, of_task);
}

// Measures the allocation ID and its DEVICES at the same time. [control]
Co<Result<MeasuredAlloc>> MeasureAlloc(const ApiAgent* agent, std::string id, std::string task,
                                       AllocatedDevices devices, Context context) {
  AllocRunner* const runner = agent->find_runner(id);
  if (runner == nullptr) {
    co_return Error(Code::kNotFound, "Unknown allocation \"" + id + "\"");
  }
  MeasuredAlloc measured;
  std::vector<Co<void>> parts;
  parts.push_back(MeasureTasks(runner, task, context.WithTimeout(kFirstSample), &measured));
  if (!devices.empty()) {
    parts.push_back(MeasureDevicesOf(agent, std::move(devices), context, &measured));
  }
  co_await InParallel(agent->control, std::move(parts));
  if (!measured.usage.ok()) co_return measured.usage.error();
  co_return measured;
}

Co<Answer> ReadStats(ApiRequest* request) {
  const auto record = FindAlloc(*request, request->parameter(0));
  if (record == nullptr) co_return UnknownAlloc(*request);
  const std::string task = request->Text("task");
  const ApiAgent* const agent = &request->agent();
  AllocatedDevices devices;
  if (agent->measure_some_devices) devices = record->alloc->devices;
  if (!task.empty()) std::erase_if(devices, [&](const auto& of) { return of.first != task; });
  const Result<MeasuredAlloc> measured =
      co_await request->Control([agent, id = record->id(), &task, &devices](Context context) {
        return MeasureAlloc(agent, id, task, devices, context);
      });
  if (!measured.ok()) co_return measured.error();
  co_return JsonAnswer(EncodeUsage(*measured->usage, measured->devices));
}

Co<Answer> ReadChecks(ApiRequest* request) {
  if (!HasAlloc(*request)) co_return UnknownAlloc(*request);
  const auto& checks = request->agent().checks;
  co_return JsonAnswer(checks ? checks(request->parameter(0)) : json::object());
}

Co<Answer> CollectOne(ApiRequest* request) {
  if (!HasAlloc(*request)) co_return UnknownAlloc(*request);
  Scheduler* const scheduler = request->agent().scheduler;
  const std::string id = request->parameter(0);
  const Status done = co_await request->ControlNow([=] { return scheduler->CollectAlloc(id); });
  if (!done.ok()) {
    co_return ErrorAnswer(500, "No such allocation on client, or allocation not eligible for GC");
  }
  // The Go client treats an empty body as an error, so the body is an empty JSON object.
  co_return JsonAnswer(json::object());
}

Co<Answer> NoResource(ApiRequest*) { co_return ErrorAnswer(404, "resource not found"); }

}  // namespace

std::vector<Route> AllocRoutes() {
  return {
      {"GET", "/v1/allocations", ListAllocs},
      {"PUT POST", "/v1/allocation/*/stop", StopAlloc},
      {"GET", "/v1/allocation/*", ReadAlloc},
      {"", "/v1/allocation/**", NoResource, Access::kToken, Fit::kNoOther},
      {"", "/v1/client/allocation/**", NoResource, Access::kToken, Fit::kNoOther},
      {"", "/v1/client/allocation/*/restart", RestartAlloc, Access::kToken, Fit::kFirst,
       Effect::kChanges},
      {"PUT POST", "/v1/client/allocation/*/signal", SignalAlloc},
      {"PUT POST", "/v1/client/allocation/*/pause", PauseTask},
      {"GET", "/v1/client/allocation/*/pause", ReadPause},
      {"GET", "/v1/client/allocation/*/stats", ReadStats},
      {"GET", "/v1/client/allocation/*/checks", ReadChecks},
      {"GET PUT POST", "/v1/client/allocation/*/gc", CollectOne, Access::kToken, Fit::kFirst,
       Effect::kChanges},
  };
}

}  // namespace drover
