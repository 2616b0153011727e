// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/connect_any.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <tuple>
#include <utility>

namespace drover {
namespace asio = boost::asio;
namespace {

constexpr auto kConnectTuple = asio::as_tuple(asio::use_awaitable);
constexpr int kKeepAliveSeconds = 60;

// A server may send no bytes for a long time. The keep-alive probes of TCP detect that its machine
// has become unreachable during this time.
void KeepAlive(StreamSocket* socket) {
  const int on = 1;
  const int fd = socket->native_handle();
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &kKeepAliveSeconds, sizeof kKeepAliveSeconds);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &kKeepAliveSeconds, sizeof kKeepAliveSeconds);
}

}  // namespace

Co<Result<StreamSocket>> ConnectAny(Context context, StreamEndpoints places) {
  Loop* const loop = context.loop();
  ByteStream::ErrorCode error;
  for (std::size_t i = 0; i < places.size(); ++i) {
    DROVER_CO_TRY(context.status());
    // So there is time for the next place if this one does not answer.
    const Duration left = *context.deadline() - loop->Now();
    const Context attempt = context.WithTimeout(i + 1 < places.size() ? left / 2 : left);
    StreamSocket socket(loop->io());
    const Subscription on_cancel = attempt.OnCancel([&socket] {
      ByteStream::ErrorCode ignored;
      socket.close(ignored);
    });
    const std::tuple<ByteStream::ErrorCode> connected =
        co_await socket.async_connect(places[i], kConnectTuple);
    DROVER_CO_TRY(context.status());
    error = attempt.cancelled() ? ByteStream::ErrorCode(asio::error::timed_out)
                                : std::get<0>(connected);
    if (error) continue;
    KeepAlive(&socket);
    co_return std::move(socket);
  }
  co_return Error(Code::kUnavailable, error.message(), true);
}

}  // namespace drover
