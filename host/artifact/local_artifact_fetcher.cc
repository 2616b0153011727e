// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/local_artifact_fetcher.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "host/artifact/fetch_artifact.h"
#include "host/artifact/fetch_budget.h"
#include "host/artifact/source_url.h"
#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/own_thread.h"

namespace drover {
namespace {

// So many artifacts are fetched at a time, and so many of one job. Further ones wait.
constexpr int kMostAtOnce = 256;
constexpr int kMostOfAJob = 64;
constexpr Duration kProgressInterval = 500ms;
// What a fetch may take beside the download: the process, and the move to its place.
constexpr Duration kFetchSlack = 2min;

// Another try may help, unless the job is wrong.
Error ForPolicy(const Error& error) {
  switch (error.code()) {
    case Code::kInvalidArgument:
    case Code::kUnimplemented:
    case Code::kPermissionDenied:
    case Code::kFailedPrecondition:
      return error;
    default:
      return error.AsRecoverable();
  }
}

// Makes the file of StoreProgress. The process that writes it can make it neither longer nor
// shorter, since its bytes are memory of the machine.
Result<UniqueFd> MakeProgressFile() {
  UniqueFd file(memfd_create("progress", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ftruncate(file.get(), sizeof(FetchProgress)) != 0 ||
      fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    return ErrnoError(errno, "start a download");
  }
  return file;
}

}  // namespace

std::string StagingName(const std::string& task, std::size_t index) {
  // The rest of a long name would have no room.
  constexpr std::size_t kMostOfName = 180;
  std::string name = ".fetch-" + std::to_string(index) + "\\" + task.substr(0, kMostOfName);
  if (task.size() > kMostOfName) name += "\\" + std::to_string(std::hash<std::string>()(task));
  return name;
}

// A fetch, which its thread and the control thread share.
struct LocalArtifactFetcher::Run {
  explicit Run(Loop* loop) : done(loop) {}

  ArtifactFetch fetch;
  UniqueFd stop;      // an eventfd
  UniqueFd progress;  // see StoreProgress
  std::string shown;
  std::function<void(const ArtifactProgress&)> report;
  Status status;
  Event done;
};

LocalArtifactFetcher::LocalArtifactFetcher(Loop* loop, LocalArtifactFetcherOptions options)
    : loop_(loop),
      shared_(std::make_shared<Shared>(std::move(options))),
      places_(loop, kMostAtOnce, kMostOfAJob) {}

Duration LocalArtifactFetcher::longest() const {
  const FetchLimits& limits = shared_->options.limits;
  return std::max(limits.http_time, limits.git_time) + kFetchSlack;
}

Co<Status> LocalArtifactFetcher::Fetch(Context context, ArtifactRequest request,
                                       std::function<void(const ArtifactProgress&)> progress) {
  // What waits for its place has no descriptors yet.
  DROVER_CO_ASSIGN(const FetchPlaces::Place place,
                   co_await places_.Take(context, std::move(request.job)));
  const auto run = std::make_shared<Run>(loop_);
  run->stop.Reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!run->stop) co_return ErrnoError(errno, "start a download");
  DROVER_CO_ASSIGN(run->progress, MakeProgressFile());
  run->shown = ShownSource(request.artifact.source);
  run->report = std::move(progress);
  ArtifactFetch& fetch = run->fetch;
  const std::string& task_dir = request.location.task_dir;
  fetch.root = task_dir.substr(0, task_dir.rfind('/'));
  fetch.task = request.task;
  fetch.place = std::move(request.place);
  fetch.staging = StagingName(request.task, request.index);
  fetch.chown = request.artifact.chown;
  fetch.order.artifact = std::move(request.artifact);
  fetch.order.limits = shared_->options.limits;
  fetch.order.file_sources = shared_->options.file_sources;
  fetch.order.without_rules = shared_->options.without_rules;
  fetch.stop = run->stop.get();
  fetch.progress = run->progress.get();

  const Subscription on_cancel = context.OnCancel([run] { eventfd_write(run->stop.get(), 1); });
  std::vector<Co<void>> both;
  both.push_back(Work(loop_, shared_, run));
  both.push_back(Watch(loop_, run));
  co_await InParallel(loop_, std::move(both));
  if (run->status.ok()) co_return Status();
  co_return ForPolicy(run->status.error())
      .WithContext("failed to download artifact \"" + run->shown + "\"");
}

Co<void> LocalArtifactFetcher::Work(Loop* loop, std::shared_ptr<Shared> shared,
                                    std::shared_ptr<Run> run) {
  std::function<void()> work = [shared, run] {
    run->fetch.cache = shared->Cache();
    run->status = FetchArtifact(run->fetch);
  };
  // The thread ends soon after RUN is stopped.
  const Context to_its_end(loop);
  const Status ran = co_await RunOnOwnThread(to_its_end, std::move(work));
  if (!ran.ok()) run->status = ran;
  run->done.Set();
}

Co<void> LocalArtifactFetcher::Watch(Loop* loop, std::shared_ptr<Run> run) {
  const Context watching(loop);
  while (!run->done.is_set()) {
    (void)co_await run->done.Wait(watching.WithTimeout(kProgressInterval));
    const FetchProgress progress = LoadProgress(run->progress.get());
    run->report({run->shown, progress.bytes, progress.total});
  }
}

// Returns null if there is no cache, or if it cannot be used.
ArtifactCache* LocalArtifactFetcher::Shared::Cache() {
  if (options.cache_dir.empty() || options.cache_bytes == 0) return nullptr;
  std::call_once(opened, [this] {
    auto made = ArtifactCache::Create(options.cache_dir, options.cache_bytes);
    if (made.ok()) {
      cache = std::move(*made);
    } else if (options.report) {
      options.report(made.error());
    }
  });
  return cache.get();
}

}  // namespace drover
