// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "host/task/live_run.h"
#include "host/task/task_runner.h"

// The part of TaskRunner that hears what a driver tells about a running task.
namespace drover {
namespace {

// The pause between two times at which the news of a run are carried out. A driver that sends more
// costs neither more records nor more events.
constexpr Duration kNewsPause = 1s;

}  // namespace

void TaskRunner::HearNews(const TaskNews& news) {
  const auto run = run_;
  if (!run || run->exited.is_set()) return;
  if (news.what.empty()) return;
  // The newest handle counts, and a recovery may return another one at any time. So only the store
  // of the handle waits.
  if (news.what.handle && journal_.local().handle != news.what.handle) {
    journal_.SetHandle(*news.what.handle);
    run->new_handle = true;
  }
  run->news.Merge(news.what);
  run->news_more.Set();
  if (std::exchange(run->hears_news, true)) return;
  background_.Spawn(NewsLoop(this, run));
}

Co<void> TaskRunner::NewsLoop(TaskRunner* self, std::shared_ptr<LiveRun> run) {
  while (true) {
    const Status more = co_await run->news_more.Wait(run->watch);
    if (!more.ok() || run->watch.cancelled() || run->exited.is_set()) co_return;
    run->news_more.Reset();
    co_await self->CarryOutNews(run);
    const Status slept = co_await Sleep(run->watch, kNewsPause);
    if (!slept.ok()) co_return;
  }
}

Co<void> TaskRunner::CarryOutNews(std::shared_ptr<LiveRun> run) {
  TaskNews::What news = std::exchange(run->news, {});
  const LocalState& local = journal_.local();
  const bool new_handle = std::exchange(run->new_handle, false);
  const bool new_network = news.network && local.network != news.network;
  if (new_network) {
    const std::string ip = news.network->ip;
    journal_.SetNetwork(std::move(news.network));
    journal_.Emit(DriverEventOf("Task network changed" + (ip.empty() ? "" : " to " + ip), {}));
    update_.Set();  // the hooks see the network of the journal
  }
  if (news.healthy && journal_.state().unhealthy == *news.healthy) {
    const std::string why = news.texts.empty() ? std::string() : ": " + news.texts.front();
    journal_.SetUnhealthy(
        !*news.healthy,
        DriverEventOf((*news.healthy ? "Task became healthy" : "Task became unhealthy") + why, {}));
    if (!news.texts.empty()) news.texts.erase(news.texts.begin());
  }
  if (news.paused) NotePaused(*news.paused, "by its driver");
  for (const std::string& text : news.texts) journal_.Emit(DriverEventOf(text, {}));
  if (new_handle || new_network) co_await journal_.SaveOrReport();
}

}  // namespace drover
