// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/local_artifact_fetcher.h"

#include <sys/eventfd.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "host/artifact/fetch_artifact.h"
#include "host/artifact/fetch_budget.h"
#include "host/artifact/source_url.h"
#include "host/base/event.h"
#include "host/base/gate.h"

namespace drover {
namespace {

// So many artifacts of all tasks are fetched at a time. Further ones wait.
constexpr int kFetchThreads = 8;
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

}  // namespace

// A fetch, which the threads of the pool and the control thread share.
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
    : loop_(loop), options_(std::move(options)) {}

Duration LocalArtifactFetcher::longest() const {
  return std::max(options_.limits.http_time, options_.limits.git_time) + kFetchSlack;
}

Co<Status> LocalArtifactFetcher::Fetch(Context context, ArtifactRequest request,
                                       std::function<void(const ArtifactProgress&)> progress) {
  const auto run = std::make_shared<Run>(loop_);
  run->stop.Reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  run->progress.Reset(memfd_create("progress", MFD_CLOEXEC));
  if (!run->stop || !run->progress) co_return ErrnoError(errno, "start a download");
  run->shown = ShownSource(request.artifact.source);
  run->report = std::move(progress);
  ArtifactFetch& fetch = run->fetch;
  const std::string& task_dir = request.location.task_dir;
  fetch.root = task_dir.substr(0, task_dir.rfind('/'));
  fetch.task = request.task;
  fetch.place = std::move(request.place);
  fetch.staging = ".fetch-" + std::to_string(request.index) + "-" + request.task.substr(0, 200);
  fetch.chown = request.artifact.chown;
  fetch.order.artifact = std::move(request.artifact);
  fetch.order.limits = options_.limits;
  fetch.order.file_sources = options_.file_sources;
  fetch.order.without_rules = options_.without_rules;
  fetch.stop = run->stop.get();
  fetch.progress = run->progress.get();

  if (!pool_) pool_.emplace(kFetchThreads);
  const Subscription on_cancel = context.OnCancel([run] { eventfd_write(run->stop.get(), 1); });
  std::vector<Co<void>> both;
  both.push_back(Work(this, run));
  both.push_back(Watch(this, run));
  co_await InParallel(loop_, std::move(both));
  if (run->status.ok()) co_return Status();
  co_return ForPolicy(run->status.error())
      .WithContext("failed to download artifact \"" + run->shown + "\"");
}

// The caller of Fetch waits for this coroutine, so SELF outlives it.
Co<void> LocalArtifactFetcher::Work(LocalArtifactFetcher* self, std::shared_ptr<Run> run) {
  std::function<Status()> work = [self, run] { return self->FetchNow(run.get()); };
  run->status = co_await self->pool_->Run(std::move(work));
  run->done.Set();
}

Co<void> LocalArtifactFetcher::Watch(LocalArtifactFetcher* self, std::shared_ptr<Run> run) {
  const Context watching(self->loop_);
  while (!run->done.is_set()) {
    (void)co_await run->done.Wait(watching.WithTimeout(kProgressInterval));
    const FetchProgress progress = LoadProgress(run->progress.get());
    run->report({run->shown, progress.bytes, progress.total});
  }
}

// On a thread of the pool.
Status LocalArtifactFetcher::FetchNow(Run* run) {
  if (!options_.cache_dir.empty() && options_.cache_bytes > 0) {
    std::call_once(made_cache_, [this] {
      auto cache = ArtifactCache::Create(options_.cache_dir, options_.cache_bytes);
      if (cache.ok()) {
        cache_ = std::move(*cache);
      } else if (options_.report) {
        options_.report(cache.error());
      }
    });
  }
  run->fetch.cache = cache_.get();
  return FetchArtifact(run->fetch);
}

}  // namespace drover
