// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// This file opens and joins the streams of a driver. If a stream ends with a recoverable error, it
// is opened again.
#include "host/abi/abi_write.h"
#include "host/base/patience.h"
#include "host/plugin/loaded_driver.h"

namespace drover {

Co<Status> LoadedDriver::RunStream(Context context, const char* what, RunId run, std::int32_t type,
                                   bool control, Subscribe subscribe,
                                   std::function<void(StreamMessage)> hear,
                                   std::shared_ptr<Event> returned) {
  struct State {
    explicit State(Loop* loop) : ended(loop) {}
    Event ended;
    std::optional<Error> error;
  };
  auto state = std::make_shared<State>(loop());
  const std::uint64_t id =
      host_->streams().Open(type, std::move(hear), [state](std::optional<Error> error) {
        state->error = std::move(error);
        state->ended.Set();
      });
  Plain call = [subscribe = std::move(subscribe), id, returned,
                port = host_->port()](drover_error* error) {
    const std::int32_t code = subscribe(id, error);
    port->Post([returned] { returned->Set(); });
    return code;
  };
  Status status = co_await Invoke(context, what, run, id, limits().hold, control, std::move(call));
  if (!status.ok() && !context.cancelled() && status.code() != Code::kTimeout) {
    host_->streams().Close(id);  // the driver refused the stream
    co_return status;
  }
  if (status.ok()) (void)co_await state->ended.Wait(context);
  if (state->ended.is_set()) {
    if (state->error) co_return *state->error;
    co_return Status();
  }
  host_->streams().Close(id);
  gate_.Spawn(EndStream(id, returned));
  co_return context.cancelled() ? context.status() : status;
}

Co<void> LoadedDriver::EndStream(std::uint64_t id, std::shared_ptr<Event> subscribed) {
  const Context context(loop());
  // The stream must not be cancelled before SUBSCRIBE has returned. Until then the driver may not
  // know the stream: it would ignore the cancellation and open the stream afterwards.
  const Patience opening(context, limits().stream_join);
  (void)co_await subscribed->Wait(opening.context());
  Plain cancel = [container = container_, self = instance_, id](drover_error*) {
    container->table()->stream_cancel(self, id);
    return DROVER_OK;
  };
  (void)co_await Invoke(context, "stream_cancel", RunId(), id, limits().hold, false,
                        std::move(cancel));
  const Duration patience = limits().stream_join;
  const std::int64_t deadline = (BootClock::now() + patience).time_since_epoch().count();
  Plain join = [container = container_, self = instance_, id, deadline](drover_error* error) {
    return container->table()->stream_join(self, id, deadline, error);
  };
  const Status joined =
      co_await Invoke(context, "stream_join", RunId(), id, patience + 1s, false, std::move(join));
  if (!joined.ok()) {
    host_->Log(PluginLogLevel::kWarn,
               "stream " + std::to_string(id) + " cannot be joined: " + joined.error().message());
  }
}

// Limits the time until the first fingerprint. Without this limit, the host would wait forever for
// a driver that opens its stream but sends no message.
Co<void> LoadedDriver::AwaitFingerprint() {
  const Patience patience(life_, limits().fingerprint);
  (void)co_await first_fingerprint_.Wait(patience.context());
  if (first_fingerprint_.is_set() || life_.cancelled()) co_return;
  told_.health = Health::kUnhealthy;
  told_.description =
      "it has not reported its health within " + FormatDuration(limits().fingerprint);
  UpdateHealth();
}

// Keeps one of the driver's own streams open for the driver's life. If the stream ends, opens it
// again after a pause. The pause grows, so a stream that always ends immediately costs little time.
Co<void> LoadedDriver::KeepStream(const char* what, std::int32_t type, Subscribe subscribe,
                                  std::function<void(StreamMessage)> hear) {
  Duration delay = limits().resubscribe_first;
  bool heard = false;
  std::function<void(StreamMessage)> listen = [&heard, hear](StreamMessage message) {
    heard = true;
    hear(std::move(message));
  };
  while (!life_.cancelled()) {
    heard = false;
    const auto returned = std::make_shared<Event>(loop());
    Status end = co_await RunStream(life_, what, RunId(), type, /*control=*/true, subscribe, listen,
                                    returned);
    if (life_.cancelled() || end.ok()) break;
    const bool fingerprint = type == DROVER_MESSAGE_FINGERPRINT;
    if (fingerprint) {
      told_.health = Health::kUnhealthy;
      told_.description = "its fingerprint stream ended: " + end.error().message();
      UpdateHealth();
      first_fingerprint_.Set();
    }
    if (!end.error().recoverable()) {
      const bool unimplemented = end.code() == Code::kUnimplemented && !fingerprint;
      host_->Log(unimplemented ? PluginLogLevel::kDebug : PluginLogLevel::kWarn,
                 std::string("its stream of ") + what + " ended: " + end.error().message());
      break;
    }
    // If SUBSCRIBE has not returned in time, a second call of SUBSCRIBE would have to wait for the
    // first call. So the next attempt begins only after the first call has returned.
    if (end.code() == Code::kTimeout) (void)co_await returned->Wait(life_);
    if (heard) delay = limits().resubscribe_first;
    (void)co_await Sleep(life_, delay);
    delay = std::min(delay * 2, limits().resubscribe_last);
  }
  first_fingerprint_.Set();
}

Subscription LoadedDriver::OnFingerprint(std::function<void()> changed) {
  return fingerprint_listeners_.Add(std::move(changed));
}

Co<Status> LoadedDriver::Stats(Context context, RunId run, StatsRequest request,
                               std::function<void(TaskUsage)> sink) {
  DROVER_CO_TRY(Usable());
  if (stats_ == nullptr) {
    co_return Error(Code::kUnimplemented, "driver " + info_.name + " has no statistics");
  }
  Subscribe subscribe = [container = container_, stats = stats_, self = instance_, run, request](
                            std::uint64_t id, drover_error* error) {
    const drover_run_id of = ToRunId(run);
    auto args = NewStruct<drover_stats_args>();
    args.interval = request.interval.count();
    if (request.detail == UsageDetail::kProcesses) args.flags |= DROVER_STATS_PROCESSES;
    return stats->stats(self, id, &of, &args, error);
  };
  std::function<void(StreamMessage)> hear = [sink = std::move(sink)](StreamMessage message) {
    sink(std::move(std::get<TaskUsage>(message)));
  };
  co_return co_await RunStream(std::move(context), "stats", run, DROVER_MESSAGE_STATS, false,
                               std::move(subscribe), std::move(hear),
                               std::make_shared<Event>(loop()));
}

}  // namespace drover
