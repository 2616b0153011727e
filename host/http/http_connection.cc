// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/http_connection.h"

#include <exception>
#include <utility>

#include "host/http/browser_check.h"
#include "host/http/reply_head.h"
#include "host/http/server_exchange.h"

namespace drover {
namespace {

// The room in bytes for data that arrives together with the head of a request.
constexpr std::size_t kReadAhead = 64 << 10;

}  // namespace

HttpConnection::HttpConnection(Context stop, HttpService* service,
                               std::unique_ptr<ByteStream> stream, std::string remote,
                               std::string client)
    : stop_(stop),
      service_(service),
      options_(service->options),
      stream_(std::move(stream)),
      remote_(std::move(remote)),
      client_(std::move(client)),
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
  co_await Refuse({429, "too many connections; close some or try again later"});
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
  idle_(true);
  const bool begun = co_await FirstByte();
  idle_(false);
  if (!begun) co_return false;
  RequestParser parser({options_.max_header_bytes, options_.max_body_bytes});
  ByteBudget::Share body;  // the room of the body, held as long as the body exists
  std::optional<Refusal> wrong = co_await Read(&parser, Part::kHead, stop_);
  if (!wrong) {
    if (auto of_browser = RefuseForBrowser(parser.request(), options_, service_->local_only)) {
      wrong = Refusal{403, std::move(*of_browser)};
    }
  }
  if (!wrong && parser.has_body()) wrong = co_await TakeBody(&parser, &body);
  if (wrong) {
    // A client that does not read its answer must not hold room for a body.
    std::string().swap(parser.request().body);
    body.ShrinkTo(0);
    co_await Refuse(std::move(*wrong));
    co_return false;
  }
  co_return co_await Handle(&parser, &body);
}

Co<std::optional<RequestParser::Refusal>> HttpConnection::TakeBody(RequestParser* parser,
                                                                   ByteBudget::Share* share) {
  bool wanted = true;
  if (options_.wants_body) {
    DescribeClient(&parser->request());
    const Result<bool> wants = options_.wants_body(parser->request(), stop_.loop());
    if (!wants.ok()) {
      const bool too_many = wants.code() == Code::kResourceExhausted;
      co_return Refusal{too_many ? 429 : 403, wants.error().message()};
    }
    wanted = *wants;
  }
  const std::string* expect = parser->request().Header("Expect");
  if (expect && !EqualsIgnoringCase(*expect, "100-continue")) {
    co_return Refusal{417, "only 100-continue can be expected"};
  }
  if (expect && input_.bytes().empty() && !parser->http_1_0()) {
    if (!co_await output_.Write("HTTP/1.1 100 Continue\r\n\r\n")) co_return Refusal{};
  }
  if (wanted) co_return co_await ReadBody(parser, share);
  parser->DiscardBody();
  co_return co_await Read(parser, Part::kAll, stop_);
}

// Reserves room for the whole body before it reads the first byte. A body with room waits only for
// its own client, so each body that waits for room gets its turn.
Co<std::optional<RequestParser::Refusal>> HttpConnection::ReadBody(RequestParser* parser,
                                                                   ByteBudget::Share* share) {
  const std::size_t bytes = parser->body_length().value_or(options_.max_body_bytes);
  ByteBudget* const budget =
      bytes <= options_.small_body_bytes ? &service_->small_bodies : &service_->bodies;
  const Context wait = stop_.WithTimeout(options_.body_wait);
  const Context reading = stop_.Child();
  ByteBudget::Owner owner{client_, [loop = stop_.loop(), reading] {
                            loop->Post([reading] { Context(reading).Cancel("others wait"); });
                          }};
  Result<ByteBudget::Share> taken = co_await budget->Take(wait, bytes, std::move(owner));
  if (!taken.ok()) co_return Refusal{503, "too many large requests at once; try again later"};
  *share = std::move(*taken);
  std::optional<Refusal> wrong = co_await Read(parser, Part::kAll, reading);
  if (wrong) co_return wrong;
  share->ShrinkTo(parser->request().body.capacity());
  co_return std::nullopt;
}

Co<bool> HttpConnection::FirstByte() {
  const Context wait = stop_.WithTimeout(options_.idle_time);
  while (input_.bytes().empty()) {
    if (input_.ended()) co_return false;
    if (!co_await input_.More(wait)) co_return false;
  }
  co_return !stop_.cancelled();
}

Co<std::optional<RequestParser::Refusal>> HttpConnection::Read(RequestParser* parser, Part part,
                                                               Context reading) {
  const bool head = part == Part::kHead;
  const Context wait = reading.WithTimeout(head ? options_.header_time : options_.body_time);
  for (;;) {
    const std::size_t taken = parser->Put(input_.bytes());
    input_.Take(taken);
    if (parser->refusal()) co_return parser->refusal();
    if (head ? parser->head_done() : parser->done()) co_return std::nullopt;
    if (taken > 0) continue;
    if (input_.ended()) co_return Refusal{};
    if (input_.full()) co_return Refusal{400, "the head of a chunk is too large"};
    const Status more = co_await input_.More(wait);
    if (more) continue;
    if (more.code() == Code::kTimeout) co_return Refusal{408, "the request came too slowly"};
    if (stop_.cancelled()) co_return Refusal{};
    co_return Refusal{503, "others need the room that this request keeps; try again later"};
  }
}

void HttpConnection::DescribeClient(HttpRequest* request) const {
  request->remote = remote_;
  request->client = client_;
  request->tls = options_.tls.enabled();
  request->client_subject = stream_->client_subject();
}

Co<bool> HttpConnection::Handle(RequestParser* parser, ByteBudget::Share* body) {
  HttpRequest request = std::move(parser->request());
  DescribeClient(&request);
  const ServerExchange::Parts parts{stop_.loop(),
                                    stream_.get(),
                                    &input_,
                                    &output_,
                                    &options_,
                                    parser->http_1_0(),
                                    parser->keep_alive(),
                                    body,
                                    [this] { trust_(); }};
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

Co<void> HttpConnection::Refuse(Refusal refusal) {
  if (refusal.status == 0) co_return;
  const HttpReply reply = TextReply(refusal.status, std::move(refusal.text));
  ReplyFraming framing;
  framing.length = reply.body.size();
  framing.close = true;
  const Status written =
      co_await output_.Write(ReplyHead(reply, framing, stop_.loop()->Wall()) + reply.body);
  linger_ = written.ok();
}

// If the server closes a connection with unread bytes, TCP may discard the answer before the
// client has received the answer. The client therefore gets time to close the connection first.
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
