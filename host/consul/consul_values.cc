// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_values.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "host/consul/consul_queries.h"
#include "host/render/value_name.h"

namespace drover {

ConsulValues::ConsulValues(Loop* loop, WorkerPool* pool, std::unique_ptr<ConsulAgent> agent,
                           Options options)
    : pool_(pool), agent_(std::move(agent)), options_(options), turn_(loop) {}

bool ConsulValues::Has(const std::string& function) const { return IsConsulFunction(function); }

Result<std::string> ConsulValues::NameOf(const ValueScope&, const ValueRequest& request) {
  if (const Result<ConsulQuery> query = ConsulQueryOf(request); !query.ok()) return query.error();
  return request.function + " in Consul:" + NameOfArguments(request.arguments);
}

Co<Status> ConsulValues::AwaitTurn(Context context) {
  while (asking_ >= options_.connections) {
    ++waiting_;
    turn_.Reset();
    Context limited = context.WithTimeout(options_.short_wait);
    const Status turn = co_await turn_.Wait(limited);
    limited.Cancel("the wait is over");
    --waiting_;
    DROVER_CO_TRY(context.status());
    if (!turn.ok()) EndOldestWait();
  }
  ++asking_;
  co_return Status();
}

void ConsulValues::EndOldestWait() {
  const auto oldest = std::ranges::find_if(
      blocking_, [](const Context& question) { return !question.cancelled(); });
  if (oldest != blocking_.end()) oldest->Cancel("another value needs the connection");
}

void ConsulValues::EndTurn() {
  --asking_;
  turn_.Set();
}

Co<Duration> ConsulValues::Ask(Context context, ValueRequest request, Publish publish,
                               std::shared_ptr<State> state) {
  const Result<ConsulQuery> asked = ConsulQueryOf(request);
  if (!asked.ok()) co_return options_.last_retry;  // NameOf has refused it already
  const Duration wait = waiting_ > 0 ? options_.short_wait : options_.wait;
  const std::uint64_t index = asked->blocks ? state->index : 0;
  Context question = context.Child();
  const auto place = index == 0 ? blocking_.end() : blocking_.insert(blocking_.end(), question);
  const ConsulAgent::Reading reading =
      co_await agent_->Read(question, asked->path, asked->query, index, wait, options_.most_bytes);
  if (place != blocking_.end()) blocking_.erase(place);
  if (context.cancelled()) co_return Duration(0);
  if (question.cancelled() && !reading.body.ok()) co_return options_.pause;
  Result<nlohmann::json> value = ConsulNothing(request);
  if (reading.body.ok()) {
    std::function<Result<nlohmann::json>()> read = [&request, &reading] {
      return ConsulValueOf(request, *reading.body);
    };
    value = co_await pool_->Run(std::move(read));
    if (context.cancelled()) co_return Duration(0);
  } else if (reading.body.code() != Code::kNotFound) {
    value = reading.body.error();
  }
  if (!value.ok()) {
    publish(value.error());
    state->index = 0;
    co_return std::exchange(state->retry, std::min(2 * state->retry, options_.last_retry));
  }
  state->retry = options_.first_retry;
  // An index that goes back is that of a restored Consul, which has forgotten the earlier ones.
  state->index = reading.index < state->index ? 0 : reading.index;
  if (!value->is_discarded()) publish(std::move(value));
  co_return asked->blocks&& reading.index > 0 ? options_.pause : options_.poll;
}

Co<void> ConsulValues::Watch(Context context, ValueScope, ValueRequest request, Publish publish) {
  const auto state = std::make_shared<State>();
  state->retry = options_.first_retry;
  while (!context.cancelled()) {
    const Status turn = co_await AwaitTurn(context);
    if (!turn.ok()) co_return;
    const Duration pause = co_await Ask(context, request, publish, state);
    EndTurn();
    (void)co_await Sleep(context, pause);
  }
}

}  // namespace drover
