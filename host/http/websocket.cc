// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/websocket.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>
#include <memory>
#include <tuple>
#include <utility>

#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/http/beast_stream.h"

namespace drover {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace {

// The channel stops reading ahead when the messages that wait for Read have this many bytes.
constexpr std::size_t kReadAhead = 64 << 10;
// The number of bytes that is added to the size of each message for its overhead.
constexpr std::size_t kMessageCost = 64;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
using ErrorCode = boost::system::error_code;

beast::http::request<beast::http::empty_body> ForBeast(const HttpRequest& request) {
  beast::http::request<beast::http::empty_body> message(beast::http::verb::get, request.path, 11);
  message.method_string(request.method);
  for (const auto& [name, value] : request.headers) message.insert(name, value);
  return message;
}

// Beast's operations wait for each other, and two of them can wait forever. The close operation
// waits until the read operation has ended. After an invalid frame, the read operation waits for
// its turn to report the frame. The end of the connection wakes neither of them, so the operations
// must be cancelled.
struct Operations {
  void Cancel() {
    for (asio::cancellation_signal* one : {&read, &ping, &write, &close}) {
      one->emit(asio::cancellation_type::terminal);
    }
  }

  asio::cancellation_signal read;
  asio::cancellation_signal ping;
  asio::cancellation_signal write;
  asio::cancellation_signal close;
};

auto By(asio::cancellation_signal* signal) {
  return asio::bind_cancellation_slot(signal->slot(), kTuple);
}

}  // namespace

struct WebSocket::State {
  explicit State(Parts given)
      : parts(std::move(given)),
        socket(parts.loop, parts.input, parts.output),
        background(parts.loop),
        pinging(parts.loop),
        arrived(parts.loop),
        taken(parts.loop),
        written(parts.loop) {}

  void BeginClosing();
  Co<void> ReadAhead();
  Co<void> Ping();
  Error Closed() const { return Error(Code::kUnavailable, "the websocket is closed"); }

  Parts parts;
  beast::websocket::stream<BeastStream<ByteInput, ByteOutput>, false> socket;
  // This is a shared pointer because this object may be destroyed when the last operation ends.
  // Cancel then still uses the operations.
  const std::shared_ptr<Operations> operations = std::make_shared<Operations>();
  Gate background;
  Context pinging;
  std::deque<WebSocketMessage> messages;
  std::size_t ahead = 0;  // bytes of the messages, with kMessageCost for each
  bool over = false;      // whether no more messages come
  bool closing = false;   // whether the server has begun to close
  bool writing = false;
  bool trusted = false;
  bool has_first = false;  // whether a message has come
  Event arrived;
  Event taken;
  Event written;
};

// Drops all messages that wait for Read, and also the messages that arrive later. From now on,
// only the client's answer to the close matters.
void WebSocket::State::BeginClosing() {
  closing = true;
  messages.clear();
  ahead = 0;
  taken.Set();
  arrived.Set();
}

Co<void> WebSocket::State::ReadAhead() {
  while (!over) {
    if (ahead >= kReadAhead || (has_first && !trusted && !closing)) {
      taken.Reset();
      co_await taken.Wait();
      continue;
    }
    beast::flat_buffer buffer;
    const std::tuple<ErrorCode, std::size_t> read =
        co_await socket.async_read(buffer, By(&operations->read));
    over = static_cast<bool>(std::get<0>(read));
    has_first = true;
    if (!over && !closing) {
      messages.push_back({socket.got_text(), beast::buffers_to_string(buffer.data())});
      ahead += messages.back().bytes.size() + kMessageCost;
    }
    arrived.Set();
  }
  pinging.Cancel("the websocket is closed");
  if (parts.on_end) parts.on_end();
}

// Sends pings. Closes the connection of a client that sends nothing for two intervals, although
// the server reads. Such a client has disconnected without a close.
Co<void> WebSocket::State::Ping() {
  const Duration interval = parts.options->ping_interval;
  for (;;) {
    const Status slept = co_await Sleep(pinging, interval);
    if (!slept || closing) co_return;
    const bool reading = ahead < kReadAhead;
    if (reading && parts.input->last_arrival() + 2 * interval < parts.loop->Now()) {
      parts.stream->Close();
      co_return;
    }
    const beast::websocket::ping_data nothing;
    const std::tuple<ErrorCode> pinged = co_await socket.async_ping(nothing, By(&operations->ping));
    if (std::get<0>(pinged)) co_return;
  }
}

WebSocket::WebSocket(Parts parts) : state_(std::make_unique<State>(std::move(parts))) {}
WebSocket::~WebSocket() = default;

Status WebSocket::Check(const HttpRequest& request) {
  const std::string* version = request.Header("Sec-WebSocket-Version");
  const std::string* key = request.Header("Sec-WebSocket-Key");
  if (!version || *version != "13" || !key || key->size() != 24 ||
      !beast::websocket::is_upgrade(ForBeast(request))) {
    return Error(Code::kInvalidArgument, "this is not a request for a websocket of version 13");
  }
  return {};
}

Co<Status> WebSocket::Accept(HttpRequest request) {
  auto& socket = state_->socket;
  // Beast's timers would end a websocket whose input nobody reads for a while, so they are off.
  // The function Ping sends the pings.
  beast::websocket::stream_base::timeout never{};
  never.handshake_timeout = beast::websocket::stream_base::none();
  never.idle_timeout = beast::websocket::stream_base::none();
  never.keep_alive_pings = false;
  socket.set_option(never);
  socket.set_option(
      beast::websocket::stream_base::decorator([](beast::websocket::response_type& response) {
        response.set(beast::http::field::server, "drover");
      }));
  const HttpServerOptions& options = *state_->parts.options;
  socket.read_message_max(std::min(options.max_first_message_bytes, options.max_message_bytes));
  socket.auto_fragment(false);
  const auto message = ForBeast(request);
  const std::tuple<ErrorCode> accepted = co_await socket.async_accept(message, kTuple);
  if (std::get<0>(accepted)) {
    state_->over = true;
    co_return Error(Code::kUnavailable,
                    "the websocket cannot be opened: " + std::get<0>(accepted).message());
  }
  state_->background.Spawn(state_->ReadAhead());
  state_->background.Spawn(state_->Ping());
  co_return Status();
}

void WebSocket::Trust() {
  state_->socket.read_message_max(state_->parts.options->max_message_bytes);
  state_->trusted = true;
  state_->taken.Set();
}

Co<Result<WebSocketMessage>> WebSocket::Read(Context context) {
  State* state = state_.get();
  while (state->messages.empty()) {
    if (state->over || state->closing) co_return state->Closed();
    state->arrived.Reset();
    DROVER_CO_TRY(co_await state->arrived.Wait(context));
  }
  WebSocketMessage message = std::move(state->messages.front());
  state->messages.pop_front();
  state->ahead -= message.bytes.size() + kMessageCost;
  state->taken.Set();
  co_return message;
}

Co<Status> WebSocket::Write(Context context, bool text, std::string bytes) {
  State* state = state_.get();
  while (state->writing) {
    state->written.Reset();
    DROVER_CO_TRY(co_await state->written.Wait(context));
  }
  DROVER_CO_TRY(context.status());
  if (state->over || state->closing) co_return state->Closed();
  state->writing = true;
  state->socket.text(text);
  const asio::const_buffer buffer = asio::buffer(bytes);
  const std::tuple<ErrorCode, std::size_t> written =
      co_await state->socket.async_write(buffer, By(&state->operations->write));
  state->writing = false;
  state->written.Set();
  if (std::get<0>(written)) co_return state->Closed();
  co_return Status();
}

Co<Status> WebSocket::Close(int code, std::string reason) {
  State* state = state_.get();
  if (state->over || state->closing) co_return state->Closed();
  state->BeginClosing();
  // The client must answer the close. If the client does not answer, its connection is closed.
  const Loop::TimerId timer =
      state->parts.loop->After(state->parts.options->linger_time,
                               [stream = state->parts.stream, operations = state->operations] {
                                 stream->Close();
                                 operations->Cancel();
                               });
  constexpr std::size_t kLongestReason = 123;
  const beast::websocket::close_reason why(
      static_cast<beast::websocket::close_code>(code),
      beast::string_view(reason.data(), std::min(reason.size(), kLongestReason)));
  const std::tuple<ErrorCode> closed =
      co_await state->socket.async_close(why, By(&state->operations->close));
  state->parts.loop->Cancel(timer);
  if (std::get<0>(closed)) co_return state->Closed();
  co_return Status();
}

Co<void> WebSocket::End(int code) {
  (void)co_await Close(code, "");
  state_->pinging.Cancel("the websocket is closed");
  state_->BeginClosing();
  if (!state_->over) state_->parts.stream->Close();
  co_await state_->background.Close();
}

}  // namespace drover
