// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/http_socket_server.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

#include "host/base/descriptor_reserve.h"
#include "host/base/gate.h"
#include "host/http/byte_stream.h"
#include "host/http/connection_table.h"
#include "host/http/http_connection.h"

namespace drover {
namespace asio = boost::asio;
using asio::local::stream_protocol;
namespace {

// A socket accepts this many connections at once, and then one each kAcceptEach. All sockets share
// one thread. Each new connection costs time on it before anything is known of its client.
constexpr int kAcceptedAtOnce = 64;
constexpr Duration kAcceptEach = 1ms;

// The server then does not check names in the Host header; see IsLocalOnly.
constexpr char kNoLoopback[] = "0.0.0.0";

HttpServerOptions ForSockets(HttpServerOptions options) {
  options.address = kNoLoopback;
  options.tls = HttpTls();
  return options;
}

}  // namespace

struct HttpSocketServer::State {
  State(HttpServerOptions options, HttpHandler handler)
      : service(ForSockets(std::move(options)), std::move(handler)),
        connected(service.options.max_connections, service.options.max_connections_per_client) {}

  // The functions below are called on the thread of the server.
  void Begin(std::uint64_t id, UniqueFd listener, ConnectionTable::Owner owner);
  void End(std::uint64_t id);
  static Co<void> Accept(State* state, Context stop, std::shared_ptr<UniqueFd> listener,
                         ConnectionTable::Owner owner);
  static Co<void> ServeOne(State* state, Context stop,
                           std::shared_ptr<stream_protocol::socket> socket,
                           ConnectionTable::Owner owner);
  static Co<void> Close(State* state);

  RealLoop loop;  // must be first, because the other members refer to it
  Context stop{&loop};
  Gate gate{&loop};
  HttpService service;
  ConnectionTable connected;
  std::map<std::uint64_t, Context> served;  // the context of each socket, by its number
  std::atomic<std::uint64_t> next_id{1};
  std::thread thread;
  std::atomic<bool> stopped{false};
};

void HttpSocketServer::State::Begin(std::uint64_t id, UniqueFd listener,
                                    ConnectionTable::Owner owner) {
  if (stop.cancelled()) return;
  const Context context = stop.Child();
  served.emplace(id, context);
  gate.Spawn(
      Accept(this, context, std::make_shared<UniqueFd>(std::move(listener)), std::move(owner)));
}

void HttpSocketServer::State::End(std::uint64_t id) {
  const auto found = served.find(id);
  if (found == served.end()) return;
  Context context = found->second;
  served.erase(found);
  context.Cancel("the socket is not served any more");
}

Co<void> HttpSocketServer::State::Accept(State* state, Context stop,
                                         std::shared_ptr<UniqueFd> listener,
                                         ConnectionTable::Owner owner) {
  boost::system::error_code error;
  stream_protocol::acceptor acceptor(state->loop.io());
  acceptor.assign(stream_protocol(), listener->get(), error);
  if (error) co_return;  // the descriptor is no socket; LISTENER closes it
  (void)listener->Release();
  const Subscription on_stop = stop.OnCancel([&acceptor] {
    boost::system::error_code ignored;
    acceptor.close(ignored);
  });
  constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
  TimePoint full = state->loop.Now();  // when the socket may accept all at once again
  while (!stop.cancelled()) {
    std::tuple<boost::system::error_code, stream_protocol::socket> accepted =
        co_await acceptor.async_accept(kTuple);
    if (stop.cancelled()) break;
    if (std::get<0>(accepted)) {
      // No file descriptors or no memory are left. Both become available when some connection has
      // ended.
      (void)co_await Sleep(stop, 50ms);
      continue;
    }
    auto socket = std::make_shared<stream_protocol::socket>(std::move(std::get<1>(accepted)));
    state->gate.Spawn(ServeOne(state, stop, std::move(socket), owner));
    // A client that connects again and again must not keep out those of other sockets.
    const TimePoint now = state->loop.Now();
    full = std::max(full, now) + kAcceptEach;
    const Duration pause = full - now - kAcceptEach * kAcceptedAtOnce;
    if (pause > Duration(0)) {
      (void)co_await Sleep(stop, pause);
    } else {
      co_await NextTurn(&state->loop);
    }
  }
}

Co<void> HttpSocketServer::State::ServeOne(State* state, Context stop,
                                           std::shared_ptr<stream_protocol::socket> socket,
                                           ConnectionTable::Owner owner) {
  HttpConnection connection(stop, &state->service, MakePlainStream(std::move(*socket)),
                            owner.client, owner.client);
  // The pointer becomes null after the connection was served.
  const auto open = std::make_shared<HttpConnection*>(&connection);
  const auto drop = [loop = &state->loop, open] {
    loop->Post([open] {
      if (*open != nullptr) (*open)->Drop();
    });
  };
  const bool is_short = !DescriptorsLeft(kDescriptorsForStops);
  // Without a place, the connection is closed without an answer.
  if (const auto place = state->connected.Add(owner, is_short, drop)) {
    connection.OnTrust([given = place.get()] { given->Trust(); });
    connection.OnIdle([given = place.get()](bool idle) { given->SetIdle(idle); });
    co_await connection.Serve();
  }
  *open = nullptr;
}

Co<void> HttpSocketServer::State::Close(State* state) {
  state->stop.Cancel("the server stops");
  co_await state->gate.Close();
  state->served.clear();
  state->loop.Stop();
}

HttpSocketServer::HttpSocketServer(std::shared_ptr<State> state) : state_(std::move(state)) {}
HttpSocketServer::~HttpSocketServer() { Stop(); }

std::unique_ptr<HttpSocketServer> HttpSocketServer::Start(HttpServerOptions options,
                                                          HttpHandler handler) {
  auto state = std::make_shared<State>(std::move(options), std::move(handler));
  state->thread = std::thread([running = state.get()] { running->loop.Run(); });
  pthread_setname_np(state->thread.native_handle(), "drover-tasks");
  return std::unique_ptr<HttpSocketServer>(new HttpSocketServer(std::move(state)));
}

std::unique_ptr<HttpSocketServer::Served> HttpSocketServer::Serve(UniqueFd listener,
                                                                  std::string client,
                                                                  std::string group) {
  const std::uint64_t id = state_->next_id.fetch_add(1);
  const auto shared = std::make_shared<UniqueFd>(std::move(listener));
  ConnectionTable::Owner owner{std::move(client), std::move(group)};
  state_->loop.Post([state = state_.get(), id, shared, owner = std::move(owner)] {
    state->Begin(id, std::move(*shared), owner);
  });
  return std::make_unique<Served>(state_, id);
}

// After Stop, nobody runs the loop. What is posted then is dropped with the loop.
HttpSocketServer::Served::~Served() {
  state_->loop.Post([state = state_.get(), id = id_] { state->End(id); });
}

void HttpSocketServer::Stop() {
  if (state_->stopped.exchange(true)) return;
  state_->loop.Post([state = state_.get()] { state->loop.Spawn(State::Close(state)); });
  state_->thread.join();
}

}  // namespace drover
