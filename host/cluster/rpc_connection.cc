// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/rpc_connection.h"

#include <optional>
#include <utility>

#include "host/cluster/rpc_codec.h"

namespace drover {
namespace {

constexpr std::size_t kMostIdleStreams = 2;
constexpr std::size_t kAnswerPiece = 64 << 10;

Error InMethod(const Error& error, const EncodedCall& call, Code code) {
  return Error(code, call.method + ": " + error.message(), code == Code::kUnavailable);
}

}  // namespace

RpcConnection::RpcConnection(Loop* loop, std::unique_ptr<ByteStream> bytes, StreamHandlers handlers,
                             YamuxLimits limits, MsgpackLimits answer_limits)
    : answer_limits_(answer_limits), mux_(loop, std::move(bytes), std::move(handlers), limits) {}

Result<std::unique_ptr<YamuxStream>> RpcConnection::TakeStream() {
  while (!idle_.empty()) {
    std::unique_ptr<YamuxStream> stream = std::move(idle_.back());
    idle_.pop_back();
    if (stream->quiet()) return stream;  // the server has not closed it meanwhile
  }
  return mux_.Open(StreamMode::kRpc);
}

Co<Result<nlohmann::json>> RpcConnection::Call(Context context, const EncodedCall* call,
                                               RpcReach* reach) {
  *reach = RpcReach::kNothing;
  DROVER_CO_TRY(context.status());
  Result<std::unique_ptr<YamuxStream>> stream = TakeStream();
  if (!stream.ok()) co_return InMethod(stream.error(), *call, stream.code());
  ++calls_;
  Result<nlohmann::json> body = co_await CallOn(context, call, reach, std::move(*stream));
  --calls_;
  co_return body;
}

Co<Result<nlohmann::json>> RpcConnection::CallOn(Context context, const EncodedCall* call,
                                                 RpcReach* reach,
                                                 std::unique_ptr<YamuxStream> stream) {
  *reach = RpcReach::kSent;
  const Status sent = co_await stream->Write(context, call->bytes);
  DROVER_CO_TRY(context.status());
  if (!sent.ok()) co_return InMethod(sent.error(), *call, Code::kUnavailable);
  RpcMessageReader reader(answer_limits_);
  while (true) {
    const Result<std::string> piece = co_await stream->Read(context, kAnswerPiece);
    DROVER_CO_TRY(context.status());
    if (!piece.ok()) co_return InMethod(piece.error(), *call, Code::kUnavailable);
    if (piece->empty()) {
      co_return Error(Code::kUnavailable,
                      call->method + ": the server has closed the stream without an answer", true);
    }
    Result<std::optional<RpcMessage>> message = reader.Next(*piece);
    // An answer that cannot be read is no better on another server.
    if (!message.ok() || *message) *reach = RpcReach::kAnswered;
    if (!message.ok()) co_return InMethod(message.error(), *call, Code::kInternal);
    if (!*message) continue;
    Result<RpcAnswer> answer = ToRpcAnswer(std::move(**message));
    if (!answer.ok()) co_return InMethod(answer.error(), *call, Code::kInternal);
    Result<nlohmann::json> body = BodyOfAnswer(std::move(*answer), call->method, call->sequence);
    // After some errors the server closes the stream, so it serves again only after a success.
    const bool is_good = body.ok() && reader.pending() == 0 && stream->quiet();
    if (is_good && idle_.size() < kMostIdleStreams) idle_.push_back(std::move(stream));
    co_return body;
  }
}

}  // namespace drover
