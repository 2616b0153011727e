// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_connect.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cctype>
#include <cerrno>
#include <tuple>
#include <utility>
#include <vector>

#include "host/checks/name_lookups.h"

namespace drover {
namespace asio = boost::asio;
namespace {

using ErrorCode = ByteStream::ErrorCode;
using StreamEndpoint = asio::generic::stream_protocol::endpoint;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

ErrorCode SystemError(int error) { return {error, boost::system::system_category()}; }

// Begins to connect to ENDPOINT, and sets SOCKET. Returns no error if it is connected. IsPending
// says which errors mean that this is not known yet.
//
// What is on this machine has usually answered when the first call of connect returns. The second
// call says what, and then the loop need not watch the socket.
ErrorCode BeginConnect(const StreamEndpoint& endpoint, UniqueFd* socket) {
  const int family = endpoint.protocol().family();
  *socket = UniqueFd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!*socket) return SystemError(errno);
  const auto size = static_cast<socklen_t>(endpoint.size());
  if (connect(socket->get(), endpoint.data(), size) == 0) return {};
  if (errno != EINPROGRESS) return SystemError(errno);
  if (connect(socket->get(), endpoint.data(), size) == 0 || errno == EISCONN) return {};
  return SystemError(errno);
}

bool IsPending(const ErrorCode& error) {
  return error == asio::error::in_progress || error == asio::error::already_started;
}

// Waits until SOCKET is connected or the attempt has failed, or until CONTEXT ends.
Co<ErrorCode> AwaitConnect(Context context, UniqueFd* socket) {
  asio::posix::stream_descriptor watched(context.loop()->io());
  ErrorCode failed;
  watched.assign(socket->get(), failed);
  if (failed) co_return failed;
  socket->Release();
  const Subscription on_cancel = context.OnCancel([&watched] {
    ErrorCode ignored;
    watched.cancel(ignored);
  });
  const std::tuple<ErrorCode> waited =
      co_await watched.async_wait(asio::posix::stream_descriptor::wait_write, kTuple);
  *socket = UniqueFd(watched.release());
  if (std::get<0>(waited)) co_return std::get<0>(waited);
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(socket->get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  co_return error == 0 ? ErrorCode() : SystemError(error);
}

}  // namespace

std::string HostPort(const std::string& host, int port) {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string LowerMessage(const ErrorCode& error) {
  std::string text = error.message();
  const bool acronym = text.size() > 1 && std::isupper(static_cast<unsigned char>(text[1])) != 0;
  if (!text.empty() && !acronym)
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

bool ConnectedToItself(int fd) {
  StreamEndpoint own;
  StreamEndpoint other;
  auto own_size = static_cast<socklen_t>(own.capacity());
  auto other_size = static_cast<socklen_t>(other.capacity());
  if (getsockname(fd, own.data(), &own_size) != 0) return false;
  if (getpeername(fd, other.data(), &other_size) != 0) return false;
  own.resize(own_size);
  other.resize(other_size);
  return own == other;
}

Result<StreamSocket> SocketOf(Loop* loop, UniqueFd connection) {
  int family = AF_UNSPEC;
  socklen_t size = sizeof family;
  if (getsockopt(connection.get(), SOL_SOCKET, SO_DOMAIN, &family, &size) != 0) {
    return ErrnoError(errno, "cannot use the connection");
  }
  StreamSocket socket(loop->io());
  ErrorCode error;
  socket.assign(StreamSocket::protocol_type(family, IPPROTO_TCP), connection.get(), error);
  if (error) return Error(Code::kUnavailable, "cannot use the connection: " + LowerMessage(error));
  connection.Release();
  return socket;
}

Co<Result<UniqueFd>> ConnectForCheck(Context context, NameLookups* names, std::string alloc_id,
                                     std::string host, int port) {
  const auto place = [&] { return "dial tcp " + HostPort(host, port) + ": "; };
  const auto ended = [&]() {
    const bool late = context.status().code() == Code::kTimeout;
    return Error(context.status().code(), place() + (late ? std::string("i/o timeout")
                                                          : context.status().error().message()));
  };
  if (context.cancelled()) co_return ended();
  std::vector<StreamEndpoint> places;
  ErrorCode error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  if (!error) {
    places.emplace_back(asio::ip::tcp::endpoint(address, static_cast<unsigned short>(port)));
  } else {
    const Result<NameLookups::Endpoints> found =
        co_await names->Find(context, std::move(alloc_id), host);
    if (context.cancelled()) co_return ended();
    if (!found.ok()) co_return Error(found.code(), "dial tcp: " + found.error().message());
    for (asio::ip::tcp::endpoint place : *found) {
      place.port(static_cast<unsigned short>(port));
      places.emplace_back(place);
    }
  }
  error = asio::error::host_not_found;
  for (const StreamEndpoint& endpoint : places) {
    UniqueFd socket;
    error = BeginConnect(endpoint, &socket);
    if (IsPending(error)) error = co_await AwaitConnect(context, &socket);
    if (context.cancelled()) co_return ended();
    if (!error && ConnectedToItself(socket.get())) error = asio::error::connection_refused;
    if (!error) co_return std::move(socket);
  }
  co_return Error(Code::kUnavailable, place() + "connect: " + LowerMessage(error));
}

}  // namespace drover
