// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/endpoint.h"

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <tuple>
#include <utility>

#include "host/base/printable.h"
#include "host/client/connect_any.h"
#include "host/client/proxy.h"
#include "host/client/resolve.h"

namespace drover {
namespace asio = boost::asio;
namespace {

using ErrorCode = ByteStream::ErrorCode;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr Duration kConnectTime = 10s;
constexpr char kEndOfHead[] = "\r\n\r\n";
constexpr std::size_t kMostProxyHead = 16 << 10;

}  // namespace

Result<std::shared_ptr<const Endpoint>> Endpoint::Create(ClientOptions options) {
  const auto odd = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  if (std::any_of(options.token.begin(), options.token.end(), odd)) {
    return Error(Code::kInvalidArgument,
                 "the token has a line break or another control character: "
                 "see --token and NOMAD_TOKEN");
  }
  DROVER_ASSIGN(ServerAddress address, ParseServerAddress(options.address));
  const bool uses_proxy = options.uses_proxy;
  if (!uses_proxy) DROVER_TRY(RefuseProxy(address));
  const std::shared_ptr<Endpoint> endpoint(new Endpoint(std::move(options), std::move(address)));
  if (uses_proxy) {
    DROVER_ASSIGN(endpoint->proxy_, FindProxy(endpoint->address_));
  }
  if (endpoint->address_.tls) {
    const ClientOptions& files = endpoint->options_;
    const TlsTrust trust{files.ca_cert, files.ca_path, files.client_cert, files.client_key,
                         files.tls_skip_verify};
    DROVER_ASSIGN(endpoint->tls_, TlsContext::LoadForClient(trust));
  }
  return std::shared_ptr<const Endpoint>(endpoint);
}

Error Endpoint::Unreachable(const std::string& why, Code code) const {
  const bool again = code == Code::kTimeout;
  return Error(code, "cannot reach " + options_.address + ": " + why, again);
}

Co<Result<StreamSocket>> Endpoint::ConnectSocket(Context context) const {
  const std::string through = proxy_ ? "the proxy " + proxy_->authority + ": " : "";
  const Result<StreamEndpoints> places = co_await Resolve(context, proxy_ ? *proxy_ : address_);
  if (!places.ok()) co_return Unreachable(through + places.error().message(), places.code());
  Result<StreamSocket> socket = co_await ConnectAny(context, *places);
  // The context may also end after a connection is there and before this coroutine is resumed.
  DROVER_CO_TRY(context.status());
  if (socket.ok()) co_return socket;
  co_return Unreachable(through + socket.error().message() + ": " + options_.advice)
      .AsRecoverable();
}

Co<Status> Endpoint::Tunnel(Context context, StreamSocket* socket) const {
  const std::string through = "the proxy " + proxy_->authority + ": ";
  const bool is_ipv6 = address_.host.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? "[" + address_.host + "]" : address_.host;
  const std::string server = host + ":" + std::to_string(address_.port);
  std::string request = "CONNECT " + server + " HTTP/1.1\r\nHost: " + server + "\r\n";
  if (!proxy_->authorization.empty()) {
    request += "Proxy-Authorization: " + proxy_->authorization + "\r\n";
  }
  request += "\r\n";
  const Subscription on_cancel = context.OnCancel([socket] {
    ErrorCode ignored;
    socket->close(ignored);
  });
  const ByteStream::Transfer sent =
      co_await asio::async_write(*socket, asio::buffer(request), kTuple);
  DROVER_CO_TRY(context.status());
  if (std::get<0>(sent)) co_return Unreachable(through + std::get<0>(sent).message());
  std::string head;
  std::array<char, 1024> block{};
  while (head.find(kEndOfHead) == head.npos && head.size() <= kMostProxyHead) {
    const ByteStream::Transfer read = co_await socket->async_read_some(asio::buffer(block), kTuple);
    DROVER_CO_TRY(context.status());
    if (std::get<0>(read)) co_return Unreachable(through + std::get<0>(read).message());
    head.append(block.data(), std::get<1>(read));
  }
  // The server is silent until the handshake begins, so what came after the head is not its.
  const bool is_whole = head.ends_with(kEndOfHead) && head.find(kEndOfHead) == head.size() - 4;
  if (!head.starts_with("HTTP/1.") || head.size() < 12 || head[8] != ' ') {
    co_return Unreachable(through + "it does not speak HTTP/1.1");
  }
  const std::string status = head.substr(9, 3);
  if (status[0] == '2' && is_whole) co_return Status();
  co_return Unreachable(through + "it makes no connection: HTTP status " + Printable(status))
      .AsRecoverable();
}

Co<Result<std::unique_ptr<ByteStream>>> Endpoint::Connect(Context context) const {
  const Context limited = context.WithTimeout(kConnectTime);
  const auto failed = [&](const Error& error) {
    const bool timed_out = limited.cancelled() && !context.cancelled();
    return timed_out ? Unreachable("no connection within 10 seconds", Code::kTimeout) : error;
  };
  Result<StreamSocket> socket = co_await ConnectSocket(limited);
  if (!socket.ok()) co_return failed(socket.error());
  if (proxy_ && tls_) {
    const Status tunnel = co_await Tunnel(limited, &*socket);
    if (!tunnel.ok()) co_return failed(tunnel.error());
  }
  if (!tls_) co_return MakePlainStream(std::move(*socket));
  const std::string server = address_.host.substr(0, address_.host.find('%'));
  std::unique_ptr<ByteStream> stream = tls_->MakeStream(std::move(*socket), server);
  const Subscription on_cancel = limited.OnCancel([&stream] { stream->Close(); });
  const ErrorCode refused = co_await stream->Handshake();
  if (refused) co_return failed(Unreachable(refused.message()));
  co_return std::move(stream);
}

}  // namespace drover
