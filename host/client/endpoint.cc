// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/endpoint.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <tuple>
#include <utility>

#include "host/client/proxy.h"
#include "host/client/resolve.h"

namespace drover {
namespace asio = boost::asio;
namespace {

using ErrorCode = ByteStream::ErrorCode;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr Duration kConnectTime = 10s;
constexpr int kKeepAliveSeconds = 60;

// An agent may send no bytes of an answer for a long time. The keep-alive probes of TCP detect that
// the agent's machine has become unreachable during this time.
void KeepAlive(StreamSocket* socket) {
  const int on = 1;
  const int fd = socket->native_handle();
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &kKeepAliveSeconds, sizeof kKeepAliveSeconds);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &kKeepAliveSeconds, sizeof kKeepAliveSeconds);
}

}  // namespace

Result<std::shared_ptr<const Endpoint>> Endpoint::Create(ClientOptions options) {
  const auto odd = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  if (std::any_of(options.token.begin(), options.token.end(), odd)) {
    return Error(Code::kInvalidArgument,
                 "the token has a line break or another control character: "
                 "see --token and NOMAD_TOKEN");
  }
  DROVER_ASSIGN(ServerAddress address, ParseServerAddress(options.address));
  DROVER_TRY(RefuseProxy(address));
  const std::shared_ptr<Endpoint> endpoint(new Endpoint(std::move(options), std::move(address)));
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
  const Result<StreamEndpoints> places = co_await Resolve(context, address_);
  if (!places.ok()) co_return Unreachable(places.error().message(), places.code());
  Loop* const loop = context.loop();
  ErrorCode error;
  for (std::size_t i = 0; i < places->size(); ++i) {
    // The context may have ended after Resolve was done and before this coroutine was resumed.
    DROVER_CO_TRY(context.status());
    // Each endpoint except the last may use only half of the remaining time, so that there is time
    // for the next endpoint if one does not answer.
    const Duration left = *context.deadline() - loop->Now();
    const Context attempt = context.WithTimeout(i + 1 < places->size() ? left / 2 : left);
    StreamSocket socket(loop->io());
    const Subscription on_cancel = attempt.OnCancel([&socket] {
      ErrorCode ignored;
      socket.close(ignored);
    });
    const std::tuple<ErrorCode> connected = co_await socket.async_connect((*places)[i], kTuple);
    DROVER_CO_TRY(context.status());
    error = attempt.cancelled() ? ErrorCode(asio::error::timed_out) : std::get<0>(connected);
    if (error) continue;
    KeepAlive(&socket);
    co_return std::move(socket);
  }
  co_return Unreachable(error.message() + ": " + options_.advice).AsRecoverable();
}

Co<Result<std::unique_ptr<ByteStream>>> Endpoint::Connect(Context context) const {
  const Context limited = context.WithTimeout(kConnectTime);
  const auto failed = [&](const Error& error) {
    const bool timed_out = limited.cancelled() && !context.cancelled();
    return timed_out ? Unreachable("no connection within 10 seconds", Code::kTimeout) : error;
  };
  Result<StreamSocket> socket = co_await ConnectSocket(limited);
  if (!socket.ok()) co_return failed(socket.error());
  if (!tls_) co_return MakePlainStream(std::move(*socket));
  const std::string server = address_.host.substr(0, address_.host.find('%'));
  std::unique_ptr<ByteStream> stream = tls_->MakeStream(std::move(*socket), server);
  const Subscription on_cancel = limited.OnCancel([&stream] { stream->Close(); });
  const ErrorCode refused = co_await stream->Handshake();
  if (refused) co_return failed(Unreachable(refused.message()));
  co_return std::move(stream);
}

}  // namespace drover
