// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/stats_hook.h"

namespace drover {

// SELF outlives this coroutine: Exited and Shutdown wait for all coroutines of RUNNING_, and the
// hook lives until Exited and Shutdown have returned.
Co<void> StatsHook::Collect(StatsHook* self, Context context, StatsCollector::Source source) {
  // A driver may be slow to end the stream of the previous run. The new stream begins only after
  // the old stream has ended.
  while (!self->free_.is_set() && !context.cancelled()) (void)co_await self->free_.Wait(context);
  if (context.cancelled()) co_return;
  self->free_.Reset();
  co_await self->collector_->Run(context, std::move(source));
  self->free_.Set();
}

Co<Status> StatsHook::AskDriver(DriverRegistry* drivers, std::string driver, RunId run,
                                Context context, StatsRequest wanted, StatsCollector::Sink sink) {
  // The driver is looked up for each stream, because the plugin may have been loaded again.
  Driver* const found = drivers->Find(driver);
  if (found == nullptr) co_return Error(Code::kUnavailable, "unknown driver \"" + driver + "\"");
  co_return co_await found->Stats(context, run, wanted, std::move(sink));
}

Co<Status> StatsHook::Poststart(Context, PoststartRequest request) {
  if (!request.config) co_return Status();
  if (collecting_) collecting_->Cancel("the task has been started again");
  // The collection needs a context of its own, because Poststart's context ends when Poststart
  // returns.
  collecting_.emplace(loop_);
  DriverRegistry* const drivers = drivers_;
  StatsCollector::Source source =
      [drivers, driver = request.task->driver, run = request.config->run_id](
          Context context, StatsRequest wanted, StatsCollector::Sink sink) {
        return AskDriver(drivers, driver, run, context, wanted, std::move(sink));
      };
  running_.Spawn(Collect(this, *collecting_, std::move(source)));
  co_return Status();
}

Co<Status> StatsHook::Exited(Context, HookRequest) {
  co_await End();
  co_return Status();
}

Co<Status> StatsHook::Shutdown(Context, HookRequest) {
  co_await End();
  co_return Status();
}

Co<void> StatsHook::End() {
  if (collecting_) collecting_->Cancel("the task has ended");
  co_await running_.Join();
  collecting_.reset();
}

}  // namespace drover
