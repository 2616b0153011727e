// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/server_pool.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "host/cluster/rpc_codec.h"

namespace drover {
namespace {

// An old connection is closed after this time even if a call or a stream still uses it. A blocking
// call takes at most a bit more than five minutes.
constexpr Duration kMostDrain = 10min;
constexpr Duration kDrainLook = 1s;
constexpr Duration kPingTime = 10s;

// Returns whether the server that has answered ERROR cannot have carried out the call. Servers have
// only their texts to say so.
bool HadNoLeader(const Error& error) {
  const std::string& text = error.message();
  return text.find("No cluster leader") != std::string::npos ||
         text.find("Not ready to serve consistent reads") != std::string::npos;
}

// Returns whether CALL, which failed with ERROR, may be sent again.
bool MayRepeat(const EncodedCall& call, const Error& error, RpcReach reach) {
  switch (reach) {
    case RpcReach::kNothing:
      return error.recoverable();
    case RpcReach::kSent:
      return IsReadingCall(call.method);
    case RpcReach::kAnswered:
      if (error.code() != Code::kUnavailable) return false;
      return HadNoLeader(error) || IsReadingCall(call.method);
  }
  return false;
}

// Returns the error for the caller.
Error OfCall(const EncodedCall& call, const Error& error, RpcReach reach) {
  if (reach == RpcReach::kAnswered) return error;
  const bool is_unknown = reach == RpcReach::kSent && !IsReadingCall(call.method);
  const char* const added = is_unknown ? ": it is unknown whether the call was carried out" : "";
  return Error(Code::kUnavailable, error.message() + added, true);
}

}  // namespace

ServerPool::ServerPool(Loop* loop, std::unique_ptr<ServerDialer> dialer, ServerPoolOptions options,
                       RandomBelow random)
    : loop_(loop),
      dialer_(std::move(dialer)),
      options_(std::move(options)),
      random_(std::move(random)),
      context_(loop),
      list_(random_),
      gate_(loop) {
  list_.Replace(options_.servers);
}

ServerPool::~ServerPool() = default;

Co<void> ServerPool::Run(Context context) {
  const Subscription on_cancel = context.OnCancel(
      [pool_context = context_]() mutable { pool_context.Cancel("the node shuts down"); });
  co_await Rebalance();
  current_.reset();
  co_await gate_.Close();
}

Co<Status> ServerPool::Join(Context context) {
  for (int tries = 0;; ++tries) {
    nlohmann::json args = {{"Region", options_.region}, {"AllowStale", true}};
    const Result<nlohmann::json> answer = co_await Call(context, "Status.Ping", std::move(args));
    DROVER_CO_TRY(context.status());
    // Also a server that refuses the call is there.
    if (answer.ok() || answer.code() != Code::kUnavailable) co_return Status();
    if (options_.retry_max > 0 && tries >= options_.retry_max) {
      co_return answer.error().WithContext("cannot join the cluster: no server was reached in " +
                                           std::to_string(tries + 1) + " tries");
    }
    spdlog::warn("cannot join the cluster yet, the next try is in {}: {}",
                 FormatDuration(options_.retry_interval), answer.error().message());
    DROVER_CO_TRY(co_await Sleep(context, options_.retry_interval));
  }
}

EncodedCall ServerPool::Encode(std::string method, nlohmann::json args) {
  EncodedCall call;
  call.sequence = ++sequence_;
  call.bytes = WriteRpcRequest({method, call.sequence, std::move(args)});
  call.method = std::move(method);
  return call;
}

Co<Result<nlohmann::json>> ServerPool::Call(Context context, std::string method,
                                            nlohmann::json args) {
  const EncodedCall call = Encode(std::move(method), std::move(args));
  std::optional<TimePoint> first_failure;
  for (std::size_t tries = 1;; ++tries) {
    RpcReach reach = RpcReach::kNothing;
    std::optional<Error> error;
    const Result<std::shared_ptr<RpcConnection>> connection = co_await Connected(context);
    DROVER_CO_TRY(context.status());
    if (connection.ok()) {
      Result<nlohmann::json> body = co_await (*connection)->Call(context, &call, &reach);
      if (body.ok()) co_return body;
      DROVER_CO_TRY(context.status());
      error = body.error();
      const bool had_no_leader = reach == RpcReach::kAnswered && HadNoLeader(*error);
      if (reach == RpcReach::kSent || (had_no_leader && list_.size() > 1)) GiveUp(*connection);
    } else {
      error = connection.error();
    }
    if (!first_failure) first_failure = loop_->Now();
    const bool is_late = loop_->Now() - *first_failure >= options_.hold && tries >= list_.size();
    if (is_late || context_.cancelled() || !MayRepeat(call, *error, reach)) {
      co_return OfCall(call, *error, reach);
    }
    const auto part = static_cast<std::size_t>((options_.hold / 16).count());
    DROVER_CO_TRY(co_await Sleep(context, Duration(random_(part + 1))));
  }
}

Co<Result<std::shared_ptr<RpcConnection>>> ServerPool::Connected(Context context) {
  if (current_ != nullptr && current_->usable()) co_return current_;
  std::shared_ptr<Dialing> dialing = dialing_;
  if (dialing == nullptr) {
    dialing = std::make_shared<Dialing>(loop_);
    dialing_ = dialing;
    if (!gate_.Spawn(DialFirst(dialing))) {
      dialing_.reset();
      co_return Error(Code::kUnavailable, "the node shuts down");
    }
  }
  DROVER_CO_TRY(co_await dialing->done.Wait(context));
  if (dialing->error) co_return *dialing->error;
  co_return dialing->connection;
}

Co<void> ServerPool::DialFirst(std::shared_ptr<Dialing> dialing) {
  const std::optional<ClusterAddress> address = list_.First();
  if (address) {
    Result<std::shared_ptr<RpcConnection>> made = co_await Dial(*address);
    if (made.ok()) {
      dialing->connection = *made;
      Adopt(std::move(*made), *address);
    } else {
      dialing->error = made.error();
      list_.Failed(*address);
      if (++failed_in_row_ >= list_.size()) Rediscover();
    }
  } else {
    dialing->error = Error(Code::kFailedPrecondition,
                           "the node knows no server: set client.servers or "
                           "client.server_join.retry_join");
  }
  if (dialing_ == dialing) dialing_.reset();
  dialing->done.Set();
}

Co<Result<std::shared_ptr<RpcConnection>>> ServerPool::Dial(ClusterAddress address) {
  Result<std::unique_ptr<ByteStream>> bytes = co_await dialer_->Dial(context_, address);
  if (!bytes.ok()) co_return bytes.error();
  auto connection = std::make_shared<RpcConnection>(loop_, std::move(*bytes), options_.handlers,
                                                    options_.limits, options_.answer_limits);
  if (!gate_.Spawn(Serve(connection))) {
    co_return Error(Code::kUnavailable, "the node shuts down");
  }
  co_return connection;
}

Co<void> ServerPool::Serve(std::shared_ptr<RpcConnection> connection) {
  const Error why = co_await connection->Run(context_);
  if (connection != current_) co_return;
  spdlog::warn("the connection to the server {} has ended: {}", current_address_.ToString(),
               why.message());
  list_.Failed(current_address_);
  current_.reset();
}

void ServerPool::Adopt(std::shared_ptr<RpcConnection> connection, ClusterAddress address) {
  failed_in_row_ = 0;
  const std::shared_ptr<RpcConnection> old = std::exchange(current_, std::move(connection));
  current_address_ = std::move(address);
  spdlog::info("calls go to the server {}", current_address_.ToString());
  if (old != nullptr) gate_.Spawn(Drain(old));
  if (options_.connected) options_.connected();
}

Co<void> ServerPool::Drain(std::shared_ptr<RpcConnection> connection) {
  const Context limited = context_.WithTimeout(kMostDrain);
  while (!connection->mux()->ended() && !connection->idle()) {
    const Status slept = co_await Sleep(limited, kDrainLook);
    if (!slept.ok()) break;
  }
  connection->mux()->Close(Error(Code::kUnavailable, "the node has changed its server", true));
}

void ServerPool::GiveUp(const std::shared_ptr<RpcConnection>& connection) {
  if (connection != current_) return;
  list_.Failed(current_address_);
  current_.reset();
  gate_.Spawn(Drain(connection));
}

void ServerPool::Learn(std::vector<ClusterAddress> servers, std::size_t nodes) {
  nodes_ = nodes;
  list_.Replace(std::move(servers));
}

void ServerPool::Rediscover() {
  failed_in_row_ = 0;
  list_.Replace(options_.servers);
}

std::optional<ClusterAddress> ServerPool::server() const {
  if (current_ == nullptr || !current_->usable()) return std::nullopt;
  return current_address_;
}

Co<void> ServerPool::Rebalance() {
  while (!context_.cancelled()) {
    const Status slept = co_await Sleep(context_, list_.KeepTime(nodes_));
    if (!slept.ok()) co_return;
    // Without a connection, the next call makes one.
    if (list_.size() < 2 || dialing_ != nullptr || !server()) continue;
    list_.Shuffle();
    for (std::size_t left = list_.size(); left > 0; --left) {
      const std::optional<ClusterAddress> address = list_.First();
      if (!address || address == server()) break;
      const Result<std::shared_ptr<RpcConnection>> made = co_await Dial(*address);
      if (context_.cancelled()) co_return;
      if (made.ok()) {
        const EncodedCall ping =
            Encode("Status.Ping", {{"Region", options_.region}, {"AllowStale", true}});
        RpcReach reach = RpcReach::kNothing;
        const Context limited = context_.WithTimeout(kPingTime);
        const auto answer = co_await (*made)->Call(limited, &ping, &reach);
        if (answer.ok()) {
          Adopt(*made, *address);
          break;
        }
        (*made)->mux()->Close(Error(Code::kUnavailable, "it does not answer", true));
      }
      list_.Failed(*address);
    }
  }
}

}  // namespace drover
