// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/job_follower.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/base/base64.h"
#include "host/base/printable.h"
#include "host/cli/exit_code.h"
#include "host/view/json_fields.h"
#include "host/view/line_cutter.h"
#include "host/view/placement_failures.h"

namespace drover {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr Duration kUsageInterval = 1s;
constexpr int kMaxJsonDepth = 200;
// The maximum number of logs that are followed at a time. The remaining connections to the agent
// are for other requests.
constexpr std::size_t kMostLogs = 40;
// Maximum number of allocations whose usage is requested at a time.
constexpr std::size_t kMostMeasured = 16;

// A position in a task's log: the number of a log file, and an offset in that file. Of two
// positions, the later one compares greater.
using Position = std::pair<std::int64_t, std::int64_t>;
constexpr Position kNothing = {-1, 0};

// Returns the number of the log file NAME, or -1 if NAME is not a log file of the output stream
// STREAM of TASK.
std::int64_t NumberOf(const std::string& name, const std::string& task, const std::string& stream) {
  const std::string start = task + "." + stream + ".";
  std::int64_t number = -1;
  if (!name.starts_with(start)) return number;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + start.size(), end, number);
  return error == std::errc() && rest == end ? number : -1;
}

json Parsed(const std::string& text) {
  const auto keep = [](int depth, json::parse_event_t, const json&) {
    return depth < kMaxJsonDepth;
  };
  return json::parse(text, keep, false);
}

int ExitCodeOf(bool failed, int interrupts) {
  if (interrupts > 0) return kExitInterrupted;
  return failed ? kExitFailed : kExitOk;
}

}  // namespace

// The log of one output stream of a task.
struct JobFollower::Log {
  std::string task;
  std::string stream;
  std::uint64_t request = 0;
  JsonCutter frames;
  LineCutter lines;
  Position at = kNothing;       // end of the data received so far
  std::optional<Position> end;  // end of the log, known after the task has ended
  bool started = false;
  bool task_dead = false;  // true if the last known state of the task is dead
  bool finished = false;
};

// One allocation, and the state of it that the view shows.
struct JobFollower::Followed {
  Allocation alloc;
  bool shown = false;
  std::map<std::string, TaskStateRecord> tasks;
  std::vector<std::unique_ptr<Log>> logs;
};

JobFollower::JobFollower(ApiStreams* streams, RunView* view, Target target)
    : streams_(streams), view_(view), target_(std::move(target)) {}

JobFollower::~JobFollower() = default;

Result<int> JobFollower::Follow(int signals) {
  Query query = {{"namespace", target_.job_namespace}, {"index", std::to_string(target_.index)}};
  // The key of a topic cannot contain a colon. So if the name of a job contains a colon, this code
  // requests the events of all jobs, and ignores those of other jobs.
  const bool keyed = target_.job.find(':') == std::string::npos;
  for (const char* topic : {"Job", "Evaluation", "Allocation"}) {
    query.emplace_back("topic", keyed ? topic + (":" + target_.job) : topic);
  }
  streams_->Ask(
      "GET", "/v1/event/stream", query,
      [this](std::string_view some) {
        cutter_.Add(some, [this](const std::string& text) { TakeEvents(Parsed(text)); });
      },
      [this](const Status& status) {
        if (!broken_) broken_ = status;
      });
  Clock::time_point next_usage = Clock::now();
  while (!Ended() && !broken_) {
    const Duration left = std::max<Duration>(next_usage - Clock::now(), 0s);
    DROVER_TRY(streams_->Wait(signals, left));
    signalfd_siginfo signal;
    while (read(signals, &signal, sizeof signal) == sizeof signal) Interrupt();
    if (interrupts_ > 2) return kExitInterrupted;
    if (Clock::now() < next_usage) continue;
    next_usage = Clock::now() + kUsageInterval;
    // The connections of the ended logs were closed at least one interval ago, so they no longer
    // count against the agent's limit of connections.
    logs_ -= std::exchange(ended_logs_, 0);
    StartLogs();
    AskUsage();
  }
  if (!Ended()) {
    if (!broken_->ok()) return broken_->error();
    return Error(Code::kUnavailable,
                 "the agent sends no more events: it has ended, or was too far "
                 "ahead; see drover job status");
  }
  const bool failed = std::any_of(followed_.begin(), followed_.end(), [](const auto& entry) {
    return entry.second->alloc.client_status != ClientStatus::kComplete;
  });
  return ExitCodeOf(failed || eval_failed_, interrupts_);
}

void JobFollower::AskState() {
  Read(
      ApiPath("/v1/evaluation", target_.eval), {}, [this](const json& eval) { TakeEval(eval); },
      [this] {
        eval_ended_ = true;  // the agent has removed the evaluation
        AskJob();
      });
  Read(
      ApiPath("/v1/job", target_.job, "/allocations"), {{"namespace", target_.job_namespace}},
      [this](const json& stubs) { TakeList(stubs); }, nullptr);
  AskJob();
}

void JobFollower::AskJob() {
  Read(
      ApiPath("/v1/job", target_.job), {{"namespace", target_.job_namespace}},
      [this](const json& job) {
        const auto index = static_cast<std::uint64_t>(NumberField(job, "ModifyIndex"));
        // If an ended job is submitted again without a change, its index stays below target_.index.
        // Its status may then still be the old "dead". So if the index is below target_.index, the
        // status counts only after the evaluation has ended.
        const bool concerned = index >= target_.index || eval_ended_;
        TakeJob(concerned && RawField(job, "Status") == "dead", index);
      },
      [this] { job_ended_ = true; });
}

void JobFollower::Read(const std::string& path, const Query& query,
                       std::function<void(const json& answer)> take,
                       std::function<void()> missing) {
  const auto answer = std::make_shared<std::string>();
  ++reads_;
  streams_->Ask(
      "GET", path, query, [answer](std::string_view some) { *answer += some; },
      [this, answer, take = std::move(take), missing = std::move(missing)](const Status& status) {
        --reads_;
        if (status.ok()) {
          take(Parsed(*answer));
        } else if (status.code() != Code::kNotFound) {
          if (!broken_) broken_ = status;
        } else if (missing) {
          missing();
        }
      });
}

void JobFollower::TakeList(const json& stubs) {
  for (const json& stub : AsList(stubs)) {
    const Allocation alloc = DecodeAlloc(stub);
    const auto known = followed_.find(alloc.id);
    const bool newer =
        known == followed_.end() || known->second->alloc.modify_index < alloc.modify_index;
    if (!newer || EndedBefore(alloc)) continue;
    Read(
        ApiPath("/v1/allocation", alloc.id), {}, [this](const json& whole) { TakeAlloc(whole); },
        nullptr);
  }
}

void JobFollower::TakeEvents(const json& batch) {
  // From its first message on, the event stream contains all new events. So the state must be
  // requested only after that message.
  if (!std::exchange(asked_state_, true)) AskState();
  if (batch.is_object() && batch.contains("Error") && !broken_) {
    broken_ = Error(Code::kUnavailable, TextField(batch, "Error"));
  }
  for (const json& event : ListField(batch, "Events")) {
    const json& payload = MapField(event, "Payload");
    if (const json& job = MapField(payload, "Job"); RawField(job, "ID") == target_.job) {
      TakeJob(FlagField(payload, "Deleted") || RawField(job, "Status") == "dead",
              static_cast<std::uint64_t>(NumberField(event, "Index")));
    }
    const json& eval = MapField(payload, "Evaluation");
    if (RawField(eval, "JobID") == target_.job) TakeEval(eval);
    const json& alloc = MapField(payload, "Allocation");
    if (RawField(alloc, "JobID") == target_.job) TakeAlloc(alloc);
  }
}

void JobFollower::TakeJob(bool ended, std::uint64_t index) {
  if (index < job_index_) return;  // the known state is newer
  job_index_ = index;
  job_ended_ = ended;
}

void JobFollower::TakeEval(const json& eval) {
  const std::string status = RawField(eval, "Status");
  const bool ended = status == "complete" || status == "failed" || status == "canceled";
  if (RawField(eval, "ID") != target_.eval || !ended || std::exchange(eval_ended_, true)) return;
  eval_failed_ = status != "complete";
  if (eval_failed_) view_->Note("the evaluation is " + status);
  const json& failures = MapField(eval, "FailedTGAllocs");
  for (const std::string& line : PlacementFailureLines(failures)) view_->Note(line);
  if (!failures.empty()) view_->Note("the rest waits until there is room for it");
  if (!job_ended_) AskJob();
}

bool JobFollower::EndedBefore(const Allocation& alloc) const {
  return alloc.create_index < target_.index && alloc.modify_index <= target_.index &&
         IsTerminal(alloc.client_status);
}

void JobFollower::TakeAlloc(const json& from) {
  const std::string id = RawField(from, "ID");
  Allocation alloc = DecodeAlloc(from);
  if (EndedBefore(alloc)) return;
  auto& followed = followed_[id];
  if (followed == nullptr) followed = std::make_unique<Followed>();
  // If a request has already returned the same state or a newer one, the new state is ignored.
  if (followed->shown && alloc.modify_index <= followed->alloc.modify_index) return;
  const ClientStatus before = followed->alloc.client_status;
  followed->alloc = std::move(alloc);
  const bool first = !std::exchange(followed->shown, true);
  if (first) view_->Placed(followed->alloc);
  ShowTasks(followed.get(), DecodeTaskStates(MapField(from, "TaskStates")));
  const ClientStatus status = followed->alloc.client_status;
  if (first ? status != ClientStatus::kPending : status != before) {
    view_->AllocStatus(followed->alloc, status, RawField(from, "ClientDescription"));
  }
  if (IsTerminal(status)) usage_.erase(id);
}

void JobFollower::ShowTasks(Followed* followed, std::map<std::string, TaskStateRecord> now) {
  const auto before = std::exchange(followed->tasks, std::move(now));
  const bool over = IsTerminal(followed->alloc.client_status);
  for (const auto& [task, record] : followed->tasks) {
    const auto found = before.find(task);
    const TaskStateRecord* const old = found == before.end() ? nullptr : &found->second;
    ShowChange(view_, followed->alloc, task, old, record);
    if (record.started_at != 0) FollowLogs(followed, task);
    for (const auto& log : followed->logs) {
      if (log->task != task) continue;
      const bool dead = over || record.state == RunnerState::kDead;
      const bool was_dead = std::exchange(log->task_dead, dead);
      if (!dead) log->end.reset();  // the task was restarted, so its log continues
      if (dead && !was_dead && log->started) AskEnd(followed, log.get());
    }
  }
}

void JobFollower::FollowLogs(Followed* followed, const std::string& task) {
  const bool known = std::any_of(followed->logs.begin(), followed->logs.end(),
                                 [&](const auto& log) { return log->task == task; });
  if (known) return;
  for (const char* stream : {"stdout", "stderr"}) {
    followed->logs.push_back(std::make_unique<Log>());
    Log* const log = followed->logs.back().get();
    log->task = task;
    log->stream = stream;
    waiting_.emplace_back(followed, log);
  }
  StartLogs();
}

void JobFollower::StartLogs() {
  while (!waiting_.empty() && logs_ < kMostLogs) {
    const auto [followed, log] = waiting_.front();
    waiting_.pop_front();
    StartLog(followed, log);
  }
  if (!waiting_.empty() && !std::exchange(noted_waiting_, true)) {
    view_->Note("the output of so many tasks is shown after the end of other tasks' output");
  }
}

void JobFollower::StartLog(Followed* followed, Log* log) {
  ++logs_;
  log->started = true;
  log->request = streams_->Ask(
      "GET", ApiPath("/v1/client/fs/logs", followed->alloc.id),
      {{"task", log->task}, {"type", log->stream}, {"follow", log->task_dead ? "false" : "true"}},
      [=, this](std::string_view some) {
        log->frames.Add(
            some, [=, this](const std::string& text) { TakeFrame(followed, log, Parsed(text)); });
      },
      [=, this](const Status& status) {
        // The error kNotFound means that the agent has removed the allocation, or that the task has
        // no logs.
        if (!status.ok() && status.code() != Code::kNotFound) {
          view_->Note("the output of " + Printable(log->task) +
                      " cannot be followed: " + Printable(status.error().message()));
        }
        FinishLog(followed, log);
      });
}

void JobFollower::AskEnd(Followed* followed, Log* log) {
  // When the agent reports that a task has ended, the log files already contain all of the task's
  // output. So their present end is the end of the log.
  Read(
      ApiPath("/v1/client/fs/ls", followed->alloc.id), {{"path", "alloc/logs"}},
      [=, this](const json& files) {
        if (!log->task_dead) return;
        Position end = kNothing;
        for (const json& file : AsList(files)) {
          const std::int64_t number = NumberOf(RawField(file, "Name"), log->task, log->stream);
          const std::int64_t size = NumberField(file, "Size");
          if (number >= 0 && size > 0) end = std::max(end, Position(number, size));
        }
        log->end = end;
        FinishAtEnd(followed, log);
      },
      [=, this] {
        streams_->Drop(log->request);
        FinishLog(followed, log);
      });
}

void JobFollower::FinishAtEnd(Followed* followed, Log* log) {
  if (log->finished || !log->end || log->at < *log->end) return;
  streams_->Drop(log->request);
  FinishLog(followed, log);
}

void JobFollower::TakeFrame(Followed* followed, Log* log, const json& frame) {
  if (log->finished || !frame.is_object()) return;
  const std::optional<std::string> data = FromBase64(RawField(frame, "Data"));
  if (!data || data->empty()) return;
  for (const std::string& line : log->lines.Add(*data)) {
    view_->Log(followed->alloc, log->task, log->stream, line);
  }
  const std::string file = RawField(frame, "File");
  const std::int64_t number = NumberOf(file.substr(file.rfind('/') + 1), log->task, log->stream);
  log->at = {number, NumberField(frame, "Offset")};
  FinishAtEnd(followed, log);
}

void JobFollower::FinishLog(Followed* followed, Log* log) {
  if (std::exchange(log->finished, true)) return;
  if (log->started) ++ended_logs_;
  const std::string rest = log->lines.TakeRest();
  if (!rest.empty()) view_->Log(followed->alloc, log->task, log->stream, rest);
}

void JobFollower::AskUsage() {
  // No new requests are sent until the agent has answered the last ones.
  if (asked_usage_ > 0) return;
  for (const auto& [id, followed] : followed_) {
    if (followed->alloc.client_status != ClientStatus::kRunning) continue;
    if (asked_usage_ == kMostMeasured) break;
    ++asked_usage_;
    const auto answer = std::make_shared<std::string>();
    streams_->Ask(
        "GET", ApiPath("/v1/client/allocation", id, "/stats"), {},
        [answer](std::string_view some) { *answer += some; },
        [this, answer, alloc = id](const Status& status) {
          --asked_usage_;
          if (status.ok()) TakeUsage(alloc, Parsed(*answer));
          if (asked_usage_ == 0) ShowUsage();
        });
  }
}

void JobFollower::TakeUsage(const std::string& alloc, const json& usage) {
  const auto found = followed_.find(alloc);
  if (found == followed_.end() || IsTerminal(found->second->alloc.client_status)) return;
  auto& lines = usage_[alloc];
  lines.clear();
  for (const auto& [task, of_task] : MapField(usage, "Tasks").items()) {
    const json& used = MapField(of_task, "ResourceUsage");
    const json& cpu = MapField(used, "CpuStats");
    RunView::TaskLine& line = lines[task];
    line.alloc_name = found->second->alloc.name;
    line.task = task;
    const auto known = found->second->tasks.find(task);
    if (known != found->second->tasks.end()) line.state = known->second.state;
    line.has_usage = true;
    line.rss = static_cast<std::uint64_t>(NumberField(MapField(used, "MemoryStats"), "RSS"));
    const auto percent = cpu.find("Percent");
    if (percent != cpu.end() && percent->is_number()) line.cpu_percent = percent->get<double>();
  }
}

void JobFollower::ShowUsage() {
  std::vector<RunView::TaskLine> all;
  for (const auto& [alloc, lines] : usage_) {
    for (const auto& [task, line] : lines) all.push_back(line);
  }
  view_->Usage(all);
}

void JobFollower::Interrupt() {
  ++interrupts_;
  if (interrupts_ == 1) {
    view_->Note("stopping; interrupt again to kill");
    Send("DELETE", ApiPath("/v1/job", target_.job), {{"namespace", target_.job_namespace}},
         nullptr);
  } else if (interrupts_ == 2) {
    view_->Note("killing; interrupt again to leave");
    Kill();
  }
}

void JobFollower::Kill() {
  // The job must end without its shutdown delay.
  Send("DELETE", ApiPath("/v1/job", target_.job),
       {{"namespace", target_.job_namespace}, {"no_shutdown_delay", "true"}}, nullptr);
  for (const auto& [id, followed] : followed_) {
    if (IsTerminal(followed->alloc.client_status)) continue;
    for (const auto& [task, record] : followed->tasks) {
      if (record.state != RunnerState::kRunning) continue;
      const std::string kill = json{{"Task", task}, {"Signal", "SIGKILL"}}.dump();
      Send("PUT", ApiPath("/v1/client/allocation", id, "/signal"), {}, &kill);
    }
  }
}

void JobFollower::Send(const char* method, const std::string& path, const Query& query,
                       const std::string* body) {
  streams_->Ask(
      method, path, query, nullptr,
      [this](const Status& status) {
        if (!status.ok()) view_->Note(Printable(status.error().message()));
      },
      body);
}

bool JobFollower::Ended() const {
  return asked_state_ && reads_ == 0 && job_ended_ &&
         std::all_of(followed_.begin(), followed_.end(), [](const auto& entry) {
           const Followed& followed = *entry.second;
           return IsTerminal(followed.alloc.client_status) &&
                  std::all_of(followed.logs.begin(), followed.logs.end(),
                              [](const auto& log) { return log->finished; });
         });
}

}  // namespace drover
