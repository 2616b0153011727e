// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/http_connection.h"

#include <exception>
#include <utility>

#include "host/api/browser_check.h"
#include "host/api/reply_head.h"
#include "host/api/server_exchange.h"

namespace drover {
namespace {

// Room for bytes that come with the head.
constexpr std::size_t kReadAhead = 64 << 10;

}  // namespace

HttpConnection::HttpConnection(Context stop, HttpService* service,
                               std::unique_ptr<ByteStream> stream, std::string remote)
    : stop_(stop),
      service_(service),
      options_(service->options),
      stream_(std::move(stream)),
      remote_(std::move(remote)),
      input_(stop.loop(), stream_.get(), options_.max_header_bytes + kReadAhead),
      output_(stop.loop(), stream_.get(), options_.write_stall),
      gate_(stop.loop()),
      on_stop_(stop.OnCancel([this] {
        stop_timer_ = stop_.loop()->After(options_.stop_time, [this] { stream_->Close(); });
      })) {}

HttpConnection::~HttpConnection() { stop_.loop()->Cancel(stop_timer_); }

Co<void> HttpConnection::Serve() {
  if (co_await Handshake()) {
    gate_.Spawn(input_.Pump());
    while (co_await ServeRequest()) {
    }
  }
  co_await End();
}

Co<void> HttpConnection::TurnAway() {
  gate_.Spawn(input_.Pump());
  co_await Refuse(429, "too many connections; close some or try again later");
  co_await End();
}

Co<bool> HttpConnection::Handshake() {
  const Loop::TimerId timer =
      stop_.loop()->After(options_.header_time, [this] { stream_->Close(); });
  const ByteStream::ErrorCode error = co_await stream_->Handshake();
  stop_.loop()->Cancel(timer);
  co_return !error;
}

Co<bool> HttpConnection::ServeRequest() {
  if (!co_await FirstByte()) co_return false;
  const RequestParser::Limits limits{options_.max_header_bytes, options_.max_body_bytes};
  RequestParser parser(limits);
  ByteBudget::Share body;  // held as long as the body exists
  if (!co_await Read(&parser, Part::kHead)) co_return false;
  if (const auto wrong = RefuseForBrowser(parser.request(), options_, service_->local_only)) {
    co_await Refuse(403, *wrong);
    co_return false;
  }
  if (parser.has_body()) {
    if (options_.refuse_body) {
      if (const auto wrong = options_.refuse_body(parser.request())) {
        co_await Refuse(403, *wrong);
        co_return false;
      }
    }
    const std::string* expect = parser.request().Header("Expect");
    if (expect && !EqualsIgnoringCase(*expect, "100-continue")) {
      co_await Refuse(417, "only 100-continue can be expected");
      co_return false;
    }
    if (expect && input_.bytes().empty() && !parser.http_1_0()) {
      const Status invited = co_await output_.Write("HTTP/1.1 100 Continue\r\n\r\n");
      if (!invited) co_return false;
    }
    if (!co_await ReadBody(&parser, &body)) co_return false;
  }
  co_return co_await Handle(&parser);
}

// Takes room for the whole body before the first byte is read. A request that has room thus waits
// for no other, so the waiting ones always get their turn.
Co<bool> HttpConnection::ReadBody(RequestParser* parser, ByteBudget::Share* share) {
  const std::size_t bytes = parser->body_length().value_or(options_.max_body_bytes);
  ByteBudget* const budget =
      bytes <= options_.small_body_bytes ? &service_->small_bodies : &service_->bodies;
  const Context wait = stop_.WithTimeout(options_.body_wait);
  Result<ByteBudget::Share> taken = co_await budget->Take(wait, bytes);
  if (!taken.ok()) {
    co_await Refuse(503, "too many large requests at once; try again later");
    co_return false;
  }
  *share = std::move(*taken);
  if (!co_await Read(parser, Part::kAll)) co_return false;
  share->ShrinkTo(parser->request().body.capacity());
  co_return true;
}

Co<bool> HttpConnection::FirstByte() {
  const Context wait = stop_.WithTimeout(options_.idle_time);
  while (input_.bytes().empty()) {
    if (input_.ended()) co_return false;
    const Status more = co_await input_.More(wait);
    if (!more) co_return false;
  }
  co_return !stop_.cancelled();
}

Co<bool> HttpConnection::Read(RequestParser* parser, Part part) {
  const bool head = part == Part::kHead;
  const Context wait = stop_.WithTimeout(head ? options_.header_time : options_.body_time);
  for (;;) {
    const std::size_t taken = parser->Put(input_.bytes());
    input_.Take(taken);
    if (parser->refusal()) {
      const RequestParser::Refusal refusal = *parser->refusal();
      co_await Refuse(refusal.status, refusal.text);
      co_return false;
    }
    if (head ? parser->head_done() : parser->done()) co_return true;
    if (taken > 0) continue;
    if (input_.ended()) co_return false;
    if (input_.full()) {
      co_await Refuse(400, "the head of a chunk is too large");
      co_return false;
    }
    const Status more = co_await input_.More(wait);
    if (more.code() == Code::kTimeout) co_await Refuse(408, "the request came too slowly");
    if (!more) co_return false;
  }
}

Co<bool> HttpConnection::Handle(RequestParser* parser) {
  HttpRequest request = std::move(parser->request());
  request.remote = remote_;
  request.tls = options_.tls.enabled();
  request.client_subject = stream_->client_subject();
  const ServerExchange::Parts parts{
      stop_.loop(),         stream_.get(),       &input_, &output_, &options_, parser->http_1_0(),
      parser->keep_alive(), [this] { trust_(); }};
  ServerExchange exchange(parts, stop_, std::move(request));
  bool failed = false;
  std::string thrown;
  try {
    co_await service_->handler(&exchange);
  } catch (const std::exception& e) {
    failed = true;
    thrown = e.what();
  }
  co_await exchange.Finish(failed, std::move(thrown));
  if (!exchange.keep_alive()) linger_ = !output_.failed();
  co_return exchange.keep_alive();
}

Co<void> HttpConnection::Refuse(int status, std::string text) {
  const HttpReply reply = TextReply(status, std::move(text));
  ReplyFraming framing;
  framing.length = reply.body.size();
  framing.close = true;
  std::string bytes = ReplyHead(reply, framing, stop_.loop()->Wall()) + reply.body;
  const Status written = co_await output_.Write(std::move(bytes));
  linger_ = written.ok();
}

// A close with unread bytes could destroy the answer on its way, so the client may close first.
Co<void> HttpConnection::End() {
  if (linger_ && !input_.ended()) {
    const Loop::TimerId timer =
        stop_.loop()->After(options_.linger_time, [this] { stream_->Close(); });
    input_.Discard();
    co_await stream_->ShutdownSend();
    co_await input_.end()->Wait();
    stop_.loop()->Cancel(timer);
  }
  stream_->Close();
  input_.Discard();
  co_await gate_.Close();
}

}  // namespace drover
