// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/server_exchange.h"

#include <array>
#include <cstdio>
#include <utility>

namespace drover {
namespace {

Error AlreadyAnswered() {
  return Error(Code::kFailedPrecondition, "the request has been answered already");
}

// For bodies below this size in bytes, gzip saves less than it costs.
constexpr std::size_t kSmallBody = 1 << 10;

}  // namespace

SharedPiece::SharedPiece(std::string_view bytes) : size_(bytes.size()) {
  std::array<char, 24> size{};
  begin_ =
      static_cast<std::size_t>(std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size()));
  chunk_.reserve(begin_ + bytes.size() + 2);
  chunk_ += size.data();
  chunk_ += bytes;
  chunk_ += "\r\n";
}

ServerExchange::ServerExchange(Parts parts, Context stop, HttpRequest request)
    : parts_(std::move(parts)),
      context_(stop.Child()),
      request_(std::move(request)),
      keep_alive_(parts_.keep_alive && !parts_.http_1_0),
      on_end_(parts_.input->end()->OnSet([this] {
        if (parts_.input->broken()) {
          context_.Cancel("the client has gone");
        } else {
          half_closed_timer_ =
              parts_.loop->After(parts_.options->half_close_time, [this] { WatchHalfClosed(); });
        }
      })) {}

ServerExchange::~ServerExchange() {
  parts_.loop->Cancel(half_closed_timer_);
  context_.Cancel("the request has been answered");
}

// TCP does not show whether a client has closed its socket or has only stopped sending. The context
// therefore ends only after the server has sent nothing for half_close_time.
void ServerExchange::WatchHalfClosed() {
  half_closed_timer_ = 0;
  const TimePoint end = parts_.output->last_progress() + parts_.options->half_close_time;
  if (parts_.loop->Now() >= end) {
    context_.Cancel("the client has gone");
  } else {
    half_closed_timer_ = parts_.loop->At(end, [this] { WatchHalfClosed(); });
  }
}

void ServerExchange::Trust() {
  parts_.trust();
  if (websocket_) websocket_->Trust();
}

void ServerExchange::LetGoOfBody() {
  std::string().swap(request_.body);
  parts_.body->ShrinkTo(0);
}

bool ServerExchange::WantsGzip(const HttpReply& reply) const {
  const std::string* accepted = request_.Header("Accept-Encoding");
  if (!accepted || request_.method == "HEAD" || !StatusHasBody(reply.status)) return false;
  for (const auto& [name, value] : reply.headers) {
    if (EqualsIgnoringCase(name, "Content-Encoding")) return false;
  }
  return AcceptsGzip(*accepted);
}

std::string ServerExchange::Chunk(std::string bytes) const {
  if (!chunked_ || bytes.empty()) return bytes;
  return std::string(SharedPiece(bytes).chunk());
}

Co<Status> ServerExchange::Send(std::string bytes) {
  co_return Sent(co_await parts_.output->Write(std::move(bytes)));
}

Status ServerExchange::Sent(Status status) {
  if (!status) {
    keep_alive_ = false;
    context_.CancelWith(status.error());
  }
  return status;
}

Co<Status> ServerExchange::Reply(HttpReply reply) {
  if (answer_ != Answer::kNone) co_return AlreadyAnswered();
  answer_ = Answer::kDone;
  LetGoOfBody();
  if (context_.cancelled() || reply.close) keep_alive_ = false;
  ReplyFraming framing;
  framing.close = !keep_alive_;
  if (reply.body.size() >= kSmallBody && WantsGzip(reply)) {
    framing.gzip = true;
    reply.body = GzipEncoder(GzipEncoder::Kind::kWhole).End(reply.body);
  }
  if (StatusHasBody(reply.status)) {
    framing.length = reply.body.size();
  } else {
    reply.content_type.clear();
  }
  std::string bytes = ReplyHead(reply, framing, parts_.loop->Wall());
  if (framing.length && request_.method != "HEAD") bytes += reply.body;
  std::string().swap(reply.body);
  co_return co_await Send(std::move(bytes));
}

Co<Status> ServerExchange::StartStream(HttpReply head) {
  if (answer_ != Answer::kNone) co_return AlreadyAnswered();
  answer_ = Answer::kStream;
  LetGoOfBody();
  bodyless_ = request_.method == "HEAD" || !StatusHasBody(head.status);
  chunked_ = !parts_.http_1_0 && StatusHasBody(head.status);
  if (!bodyless_ && WantsGzip(head)) {
    gzip_ = std::make_unique<GzipEncoder>(GzipEncoder::Kind::kStream);
  }
  ReplyFraming framing;
  framing.chunked = chunked_;
  framing.gzip = gzip_ != nullptr;
  framing.close = !keep_alive_;
  co_return co_await Send(ReplyHead(head, framing, parts_.loop->Wall()));
}

Co<Status> ServerExchange::Write(std::string bytes) {
  if (answer_ != Answer::kStream) {
    co_return Error(Code::kFailedPrecondition, "no stream has been started");
  }
  if (bytes.empty()) co_return Status();
  if (bodyless_) co_return Error(Code::kCancelled, "this answer has no body");
  if (gzip_) bytes = gzip_->Add(bytes);
  co_return co_await Send(Chunk(std::move(bytes)));
}

Co<Status> ServerExchange::WriteShared(std::shared_ptr<const SharedPiece> piece) {
  if (answer_ != Answer::kStream || bodyless_ || gzip_ || !chunked_) {
    co_return co_await Write(std::string(piece->plain()));
  }
  // The parameter PIECE keeps the bytes alive until the write has returned.
  co_return Sent(co_await parts_.output->WriteView(piece->chunk()));
}

Co<Result<WebSocketChannel*>> ServerExchange::AcceptWebSocket() {
  if (answer_ != Answer::kNone) co_return AlreadyAnswered();
  DROVER_CO_TRY(WebSocket::Check(request_));
  answer_ = Answer::kWebSocket;
  LetGoOfBody();
  keep_alive_ = false;
  WebSocket::Parts parts{parts_.loop,   parts_.stream,  parts_.input,
                         parts_.output, parts_.options, {}};
  parts.on_end = [this] { context_.Cancel("the client has gone"); };
  websocket_ = std::make_unique<WebSocket>(std::move(parts));
  DROVER_CO_TRY(co_await websocket_->Accept(request_));
  co_return websocket_.get();
}

Co<void> ServerExchange::Finish(bool failed, std::string thrown) {
  if (answer_ == Answer::kNone) {
    const std::string why = failed ? thrown : "no answer was given";
    (void)co_await Reply(TextReply(500, "internal error: " + why));
  } else if (answer_ == Answer::kStream) {
    answer_ = Answer::kDone;
    if (failed) {
      keep_alive_ = false;
    } else if (!bodyless_) {
      std::string rest = gzip_ ? Chunk(gzip_->End()) : std::string();
      if (chunked_) rest += "0\r\n\r\n";
      (void)co_await Send(std::move(rest));
    }
  } else if (answer_ == Answer::kWebSocket) {
    answer_ = Answer::kDone;
    constexpr int kNormal = 1000;
    constexpr int kInternalError = 1011;
    co_await websocket_->End(failed ? kInternalError : kNormal);
  }
}

}  // namespace drover
