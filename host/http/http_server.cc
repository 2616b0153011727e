// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/http_server.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "host/base/descriptor_reserve.h"
#include "host/base/gate.h"
#include "host/http/byte_stream.h"
#include "host/http/connection_table.h"
#include "host/http/http_connection.h"
#include "host/http/peer_user.h"
#include "host/http/tls_stream.h"

namespace drover {
namespace asio = boost::asio;
using asio::ip::tcp;
namespace {

// The server answers at most this many surplus connections at a time. The answer is that there are
// too many connections. Further surplus connections, and those with TLS, are closed without an
// answer.
constexpr int kMostTurnedAway = 32;

struct ServerThread {
  RealLoop loop;  // must be first, because the other members refer to it
  Context stop{&loop};
  Gate gate{&loop};
  std::thread thread;
};

Co<void> StopThread(ServerThread* thread) {
  thread->stop.Cancel("the server stops");
  co_await thread->gate.Close();
  thread->loop.Stop();
}

// Returns the name of the client that owns a connection. Each user of this machine is one client,
// and so is each address of another machine.
std::string ClientOf(const tcp::socket& socket, const tcp::endpoint& remote) {
  boost::system::error_code error;
  const tcp::endpoint local = socket.local_endpoint(error);
  std::string client = remote.address().to_string();
  if (error || (!remote.address().is_loopback() && remote.address() != local.address())) {
    return client;
  }
  const std::optional<uid_t> user = UserOfPeer(local, remote);
  return user ? "user " + std::to_string(*user) : client;
}

std::string ClientText(const tcp::endpoint& remote) {
  const std::string address = remote.address().to_string();
  return (remote.address().is_v6() ? "[" + address + "]" : address) + ":" +
         std::to_string(remote.port());
}

}  // namespace

struct HttpServer::State {
  State(HttpServerOptions given, HttpHandler handler)
      : service(std::move(given), std::move(handler)),
        connected(service.options.max_connections, service.options.max_connections_per_client) {}

  Status Listen();
  Co<void> Accept();
  // Passes the connection to THREAD. If ROOM is false, the server must close another connection
  // before it can serve this connection. If no other connection can be closed, the server only
  // answers that there are too many connections.
  void Give(ServerThread* thread, tcp::socket socket, bool room);
  Co<void> Serve(ServerThread* thread, std::shared_ptr<tcp::socket> socket, tcp::endpoint remote,
                 bool room);
  std::shared_ptr<TlsContext> Tls() const {
    const std::lock_guard lock(tls_mutex);
    return tls;
  }

  HttpService service;
  ConnectionTable connected;
  mutable std::mutex tls_mutex;
  std::shared_ptr<TlsContext> tls;  // null without TLS
  std::atomic<int> turned_away{0};
  std::vector<std::unique_ptr<ServerThread>> threads;
  std::optional<tcp::acceptor> acceptor;  // belongs to the first thread
  int port = 0;
  bool stopped = false;
};

Status HttpServer::State::Listen() {
  const HttpServerOptions& options = service.options;
  const std::string where = options.address + " port " + std::to_string(options.port);
  boost::system::error_code error;
  const asio::ip::address address = asio::ip::make_address(options.address, error);
  if (error) {
    return Error(Code::kInvalidArgument,
                 "cannot listen on '" + options.address + "': it is not an IP address");
  }
  const tcp::endpoint endpoint(address, static_cast<std::uint16_t>(options.port));
  acceptor.emplace(threads.front()->loop.io());
  acceptor->open(endpoint.protocol(), error);
  if (!error) acceptor->set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
  if (!error) port = acceptor->local_endpoint(error).port();
  if (error) return ErrnoError(error.value(), "cannot listen on " + where);
  return {};
}

Co<void> HttpServer::State::Accept() {
  ServerThread* first = threads.front().get();
  const Subscription on_stop = first->stop.OnCancel([this] {
    boost::system::error_code ignored;
    acceptor->close(ignored);
  });
  constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
  for (std::size_t next = 0; !first->stop.cancelled(); ++next) {
    ServerThread* thread = threads[next % threads.size()].get();
    std::tuple<boost::system::error_code, tcp::socket> accepted =
        co_await acceptor->async_accept(thread->loop.io(), kTuple);
    if (std::get<0>(accepted)) {
      // No file descriptors or no memory are left. Both become available when some connection has
      // ended.
      (void)co_await Sleep(first->stop, 50ms);
      continue;
    }
    Give(thread, std::move(std::get<1>(accepted)), DescriptorsLeft(kDescriptorsForStops));
  }
}

void HttpServer::State::Give(ServerThread* thread, tcp::socket socket, bool room) {
  boost::system::error_code error;
  const tcp::endpoint remote = socket.remote_endpoint(error);
  if (!error) socket.set_option(tcp::no_delay(true), error);
  if (!error) socket.set_option(asio::socket_base::keep_alive(true), error);
  if (error) return;
  auto shared = std::make_shared<tcp::socket>(std::move(socket));
  thread->loop.Post([this, thread, shared, remote, room] {
    thread->gate.Spawn(Serve(thread, shared, remote, room));
  });
}

Co<void> HttpServer::State::Serve(ServerThread* thread, std::shared_ptr<tcp::socket> socket,
                                  tcp::endpoint remote, bool room) {
  const std::string client = ClientOf(*socket, remote);
  const std::shared_ptr<TlsContext> tls_now = Tls();
  std::unique_ptr<ByteStream> stream =
      tls_now ? tls_now->MakeStream(std::move(*socket)) : MakePlainStream(std::move(*socket));
  HttpConnection connection(thread->stop, &service, std::move(stream), ClientText(remote), client);
  // The pointer becomes null after the connection was served.
  const auto served = std::make_shared<HttpConnection*>(&connection);
  const auto drop = [loop = &thread->loop, served] {
    loop->Post([served] {
      if (*served != nullptr) (*served)->Drop();
    });
  };
  const ConnectionTable::Owner owner{client, ""};
  if (const auto place = connected.Add(owner, !room, drop)) {
    connection.OnTrust([given = place.get()] { given->Trust(); });
    co_await connection.Serve();
    *served = nullptr;
  } else {
    const int most = room ? kMostTurnedAway : kDescriptorsForStops / 2;
    if (turned_away.fetch_add(1) < most && !tls_now) co_await connection.TurnAway();
    turned_away.fetch_sub(1);
  }
}

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::~HttpServer() { Stop(); }

Result<std::unique_ptr<HttpServer>> HttpServer::Start(HttpServerOptions options,
                                                      HttpHandler handler) {
  auto state = std::make_unique<State>(std::move(options), std::move(handler));
  if (state->service.options.tls.enabled()) {
    DROVER_ASSIGN(state->tls, TlsContext::Load(state->service.options.tls));
  }
  for (int i = 0; i < std::max(1, state->service.options.threads); ++i) {
    state->threads.push_back(std::make_unique<ServerThread>());
  }
  DROVER_TRY(state->Listen());
  ServerThread* first = state->threads.front().get();
  first->loop.Post([first, listening = state.get()] { first->gate.Spawn(listening->Accept()); });
  for (const auto& thread : state->threads) {
    thread->thread = std::thread([running = thread.get()] { running->loop.Run(); });
    pthread_setname_np(thread->thread.native_handle(), "drover-api");
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

void HttpServer::UseTls(std::shared_ptr<TlsContext> tls) {
  const std::lock_guard lock(state_->tls_mutex);
  DROVER_CHECK(state_->tls != nullptr && tls != nullptr);
  state_->tls.swap(tls);
}

int HttpServer::port() const { return state_->port; }
int HttpServer::connections() const { return state_->connected.total(); }

void HttpServer::Stop() {
  if (std::exchange(state_->stopped, true)) return;
  for (const auto& thread : state_->threads) {
    thread->loop.Post([running = thread.get()] { running->loop.Spawn(StopThread(running)); });
  }
  for (const auto& thread : state_->threads) thread->thread.join();
}

}  // namespace drover
