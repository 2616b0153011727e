// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/artifact_hook.h"

#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include "host/base/gate.h"

namespace drover {
namespace {

constexpr std::size_t kAtOnce = 3;
// A download that takes longer is reported, and then each time that it has taken four times as
// long, so that a task's few events are not all about it.
constexpr Duration kFirstReport = 2s;
constexpr int kReportFactor = 4;

std::string JobOf(const HookRequest& request) {
  const Job& job = *request.alloc->job;
  return job.job_namespace + "\n" + job.id;
}

// Reports on one download as events of its task.
class DownloadReport {
 public:
  DownloadReport(Loop* loop, std::function<void(TaskEvent)> emit)
      : loop_(loop), emit_(std::move(emit)), begin_(loop->Now()) {}

  void Update(const ArtifactProgress& progress) {
    progress_ = progress;
    if (loop_->Now() - begin_ < next_) return;
    next_ *= kReportFactor;
    Report("Downloading ");
  }

  void End() {
    if (loop_->Now() - begin_ >= kFirstReport) Report("Downloaded ");
  }

 private:
  void Report(const char* verb) {
    const double seconds = std::chrono::duration<double>(loop_->Now() - begin_).count();
    const auto rate = static_cast<std::uint64_t>(static_cast<double>(progress_.bytes) / seconds);
    std::string text = verb + progress_.shown + ": " + ShownBytes(progress_.bytes);
    if (progress_.total > progress_.bytes) text += " of " + ShownBytes(progress_.total);
    emit_(TaskEvent(event_type::kDownloadingArtifacts)
              .Message(text + ", " + ShownBytes(rate) + "/s"));
  }

  Loop* const loop_;
  const std::function<void(TaskEvent)> emit_;
  const TimePoint begin_;
  Duration next_ = kFirstReport;
  ArtifactProgress progress_;
};

// If PATH is TOP or below it, sets PATH to INSTEAD and the rest, and returns true.
bool Replace(std::string* path, const std::string& top, const std::string& instead) {
  if (top.empty() || !path->starts_with(top)) return false;
  if (path->size() > top.size() && (*path)[top.size()] != '/') return false;
  *path = instead + path->substr(top.size());
  return true;
}

}  // namespace

std::string ShownBytes(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text.data();
}

std::optional<std::string> PlaceOfDestination(const std::string& destination,
                                              const std::string& task,
                                              const TaskLocation& location) {
  std::string path = destination;
  // The directory of the task contains the others.
  const bool is_host_path =
      Replace(&path, location.alloc_dir, "../alloc") || Replace(&path, location.task_dir, ".");
  // A task with a root of its own sees the shared directory as /alloc.
  if (!is_host_path) Replace(&path, "/alloc", "../alloc");
  return ArtifactPlace(task, path);
}

// What the coroutines of one prestart share.
struct ArtifactHook::Work {
  Context context;
  std::vector<ArtifactRequest> requests;
  std::size_t next = 0;
  std::optional<Error> error;  // the first one
};

ArtifactHook::ArtifactHook(Loop* loop, ArtifactFetcher* fetcher, TaskPreparer* preparer,
                           std::size_t artifacts)
    : loop_(loop), fetcher_(fetcher), preparer_(preparer), done_(artifacts) {}

Duration ArtifactHook::deadline(HookStage) const {
  const auto rounds = static_cast<std::int64_t>((done_.size() + kAtOnce - 1) / kAtOnce);
  return fetcher_->longest() * rounds + 1min;
}

void ArtifactHook::Emit(TaskEvent event) const {
  if (const auto control = control_.lock()) control->EmitEvent(std::move(event));
}

Result<std::vector<ArtifactRequest>> ArtifactHook::Requests(const PrestartRequest& request) const {
  const PrepareRequest prepare = PrepareRequestOf(request);
  std::vector<ArtifactRequest> requests;
  const std::vector<Artifact>& artifacts = request.task->artifacts;
  for (std::size_t i = 0; i < artifacts.size() && i < done_.size(); ++i) {
    if (done_[i]) continue;
    std::vector<std::string> texts = {artifacts[i].source, artifacts[i].destination};
    for (const auto& [name, value] : artifacts[i].options) texts.push_back(value);
    for (const auto& [name, value] : artifacts[i].headers) texts.push_back(value);
    DROVER_ASSIGN(texts, preparer_->Interpolate(prepare, std::move(texts)));
    ArtifactRequest one;
    one.artifact = artifacts[i];
    one.job = JobOf(request);
    one.task = request.task->name;
    one.index = i;
    one.location = request.location;
    auto text = texts.begin();
    one.artifact.source = *text++;
    one.artifact.destination = *text++;
    for (auto& [name, value] : one.artifact.options) value = *text++;
    for (auto& [name, value] : one.artifact.headers) value = *text++;
    const auto place =
        PlaceOfDestination(one.artifact.destination, request.task->name, request.location);
    if (!place) {
      return Error(Code::kInvalidArgument,
                   "the destination \"" + one.artifact.destination +
                       "\" is no place for an artifact: it leaves the directories of the task");
    }
    one.place = *place;
    requests.push_back(std::move(one));
  }
  return requests;
}

Co<Result<PrestartResponse>> ArtifactHook::Prestart(Context context, PrestartRequest request) {
  PrestartResponse response;
  response.data = request.data;
  response.done = true;
  // The agent before has fetched them, or the task would not run.
  if (request.running) co_return response;
  Emit(TaskEvent(event_type::kDownloadingArtifacts));
  DROVER_CO_ASSIGN(std::vector<ArtifactRequest> requests, Requests(request));
  // The first failure ends the other downloads.
  const auto work = std::make_shared<Work>(Work{context.Child(), std::move(requests), 0, {}});
  std::vector<Co<void>> workers;
  for (std::size_t i = 0; i < kAtOnce && i < work->requests.size(); ++i) {
    workers.push_back(FetchSome(this, work));
  }
  co_await InParallel(loop_, std::move(workers));
  DROVER_CO_TRY(context.status());
  if (work->error) co_return *work->error;
  co_return response;
}

// SELF outlives this coroutine, for which Prestart waits.
Co<void> ArtifactHook::FetchSome(ArtifactHook* self, std::shared_ptr<Work> work) {
  while (work->next < work->requests.size() && !work->error && !work->context.cancelled()) {
    ArtifactRequest request = std::move(work->requests[work->next++]);
    const std::size_t index = request.index;
    std::function<void(TaskEvent)> emit = [self](TaskEvent event) { self->Emit(std::move(event)); };
    const auto report = std::make_shared<DownloadReport>(self->loop_, std::move(emit));
    std::function<void(const ArtifactProgress&)> update =
        [report](const ArtifactProgress& progress) { report->Update(progress); };
    const Status fetched =
        co_await self->fetcher_->Fetch(work->context, std::move(request), std::move(update));
    if (fetched.ok()) {
      self->done_[index] = true;
      report->End();
    } else if (!work->error) {
      work->error = fetched.error();
      work->context.Cancel("another artifact has failed");
    }
  }
}

TaskEvent ArtifactHook::FailureEvent(const Error& error) const {
  return TaskEvent(event_type::kArtifactFailed).With(event_key::kDownloadError, error.message());
}

}  // namespace drover
