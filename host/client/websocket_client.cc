// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/websocket_client.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/websocket/error.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>
#include <tuple>
#include <utility>

#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/client/loop_wait.h"
#include "host/http/beast_stream.h"

namespace drover {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace {

using ErrorCode = boost::system::error_code;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kMostMessage = 16 << 20;
// The maximum size in bytes of the agent's text in an error of a refused websocket.
constexpr std::size_t kMostRefusal = 4 << 10;
constexpr std::size_t kWriteBuffer = 64 << 10;
constexpr Duration kOpenTime = 30s;

Error Lost(const std::string& why) {
  return Error(Code::kUnavailable, "the connection to the agent is lost: " + why);
}

std::string TextOf(const ErrorCode& error) {
  const bool closed = error == asio::error::eof || error == beast::http::error::end_of_stream;
  return closed ? "it was closed" : error.message();
}

// Returns the error for ANSWER, with which the agent has refused to open a websocket.
Error Refusal(const beast::websocket::response_type& answer) {
  if (answer.result() == beast::http::status::switching_protocols) {
    return Error(Code::kInternal, "the answer is that of no websocket: is it an agent?");
  }
  if (!answer.body().empty()) return Error(Code::kInternal, answer.body().substr(0, kMostRefusal));
  const auto reason = answer.reason();
  return Error(Code::kInternal, "the agent answers HTTP/1.1 " +
                                    std::to_string(answer.result_int()) + " " +
                                    std::string(reason.data(), reason.size()));
}

}  // namespace

struct WebSocketClient::State {
  using Socket = beast::websocket::stream<BeastStream<ByteStream, ByteStream>, false>;

  ~State() {
    ended = true;
    queued.Set();
    if (stream) stream->Close();
    loop.RunToEnd(gate.Close(), kForever);
  }

  Co<Status> Connect(Context context, const Endpoint* endpoint, std::string target);
  Co<void> Read();
  Co<void> Write();
  Error EndOf(const ErrorCode& error) const;

  RealLoop loop;
  Gate gate{&loop};
  std::unique_ptr<ByteStream> stream;
  std::optional<Socket> socket;
  std::deque<std::string> messages;  // messages that have arrived and were not returned yet
  std::deque<std::string> queue;     // messages to send
  std::size_t unsent = 0;            // number of bytes that were not sent yet
  bool ended = false;                // whether no more messages will arrive
  Error why{Code::kUnavailable, ""};
  Event changed{&loop};  // set when a message or the end has arrived, or a message was sent
  Event queued{&loop};   // set when there is something to send, or the websocket has ended
};

Co<Status> WebSocketClient::State::Connect(Context context, const Endpoint* endpoint,
                                           std::string target) {
  DROVER_CO_ASSIGN(stream, co_await endpoint->Connect(context));
  const Subscription on_cancel = context.OnCancel([this] { stream->Close(); });
  socket.emplace(&loop, stream.get(), stream.get());
  using Options = beast::websocket::stream_base;
  socket->set_option(Options::timeout{Options::none(), Options::none(), false});
  socket->read_message_max(kMostMessage);
  socket->auto_fragment(false);
  socket->write_buffer_bytes(kWriteBuffer);
  const std::string& token = endpoint->options().token;
  const ServerAddress& address = endpoint->address();
  socket->set_option(
      Options::decorator([&token, &address](beast::websocket::request_type& request) {
        if (!token.empty()) request.set("X-Nomad-Token", token);
        if (!address.authorization.empty()) request.set("Authorization", address.authorization);
      }));
  target = address.prefix + target;
  beast::websocket::response_type answer;
  const std::tuple<ErrorCode> opened =
      co_await socket->async_handshake(answer, address.authority, target, kTuple);
  const ErrorCode error = std::get<0>(opened);
  if (!error) co_return Status();
  if (context.cancelled()) co_return Lost("it does not answer");
  if (error.category() == make_error_code(beast::websocket::error::closed).category()) {
    co_return Refusal(answer);
  }
  co_return Lost(TextOf(error));
}

// Returns why the websocket has ended. If the agent gave no reason, the error is Code::kCancelled.
Error WebSocketClient::State::EndOf(const ErrorCode& error) const {
  if (error != beast::websocket::error::closed) return Lost(TextOf(error));
  const auto& reason = socket->reason().reason;
  if (reason.empty()) return Error(Code::kCancelled, "the agent has closed the websocket");
  return Error(Code::kFailedPrecondition, std::string(reason.data(), reason.size()));
}

// Receives messages. Each read also answers the agent's pings.
Co<void> WebSocketClient::State::Read() {
  while (!ended) {
    beast::flat_buffer buffer;
    const std::tuple<ErrorCode, std::size_t> read = co_await socket->async_read(buffer, kTuple);
    if (std::get<0>(read)) {
      ended = true;
      why = EndOf(std::get<0>(read));
      queued.Set();
    } else {
      messages.push_back(beast::buffers_to_string(buffer.data()));
    }
    changed.Set();
  }
}

Co<void> WebSocketClient::State::Write() {
  while (!ended) {
    if (queue.empty()) {
      queued.Reset();
      co_await queued.Wait();
      continue;
    }
    const std::string text = std::move(queue.front());
    queue.pop_front();
    const asio::const_buffer buffer = asio::buffer(text);
    const std::tuple<ErrorCode, std::size_t> written = co_await socket->async_write(buffer, kTuple);
    unsent -= text.size();
    if (std::get<0>(written)) co_return;  // The function Read reports the error.
    changed.Set();
  }
}

WebSocketClient::WebSocketClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
WebSocketClient::~WebSocketClient() = default;

Result<std::unique_ptr<WebSocketClient>> WebSocketClient::Open(const Endpoint& endpoint,
                                                               const std::string& target) {
  auto state = std::make_unique<State>();
  Status opened;
  const auto open = [](State* to, const Endpoint* at, std::string what,
                       Status* result) -> Co<void> {
    const Context context = Context(&to->loop).WithTimeout(kOpenTime);
    *result = co_await to->Connect(context, at, std::move(what));
  };
  state->loop.RunToEnd(open(state.get(), &endpoint, target, &opened), kForever);
  DROVER_TRY(opened);
  state->gate.Spawn(state->Read());
  state->gate.Spawn(state->Write());
  return std::unique_ptr<WebSocketClient>(new WebSocketClient(std::move(state)));
}

void WebSocketClient::Send(std::string text) {
  state_->unsent += text.size();
  state_->queue.push_back(std::move(text));
  state_->queued.Set();
}

std::size_t WebSocketClient::unsent() const { return state_->unsent; }

Result<std::optional<std::string>> WebSocketClient::Receive() {
  if (state_->messages.empty()) {
    if (state_->ended) return state_->why;
    return std::optional<std::string>();
  }
  std::optional<std::string> message = std::move(state_->messages.front());
  state_->messages.pop_front();
  return message;
}

Status WebSocketClient::Wait(const std::vector<int>& fds, Duration most) {
  if (state_->messages.empty() && !state_->ended) state_->changed.Reset();
  return RunUntil(&state_->loop, &state_->changed, fds, most);
}

}  // namespace drover
