// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/server_dialer.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <tuple>
#include <utility>

#include "host/client/connect_any.h"
#include "host/client/resolve.h"

namespace drover {
namespace asio = boost::asio;
namespace {

constexpr auto kDialTuple = asio::as_tuple(asio::use_awaitable);
constexpr Duration kDialTime = 10s;

Error CannotReach(const ClusterAddress& address, const std::string& why,
                  Code code = Code::kUnavailable) {
  return Error(code, "cannot reach the server " + address.ToString() + ": " + why, true);
}

// Returns whether ERROR of a handshake means that the server has closed the connection. A server
// that refuses a certificate says so instead.
bool IsClosed(const ByteStream::ErrorCode& error) {
  return error == asio::error::eof || error == asio::error::connection_reset ||
         error == asio::error::broken_pipe || error == asio::ssl::error::stream_truncated;
}

}  // namespace

Result<std::unique_ptr<TcpServerDialer>> TcpServerDialer::Create(const std::string& region,
                                                                 const ClusterTls& tls) {
  std::shared_ptr<TlsContext> context;
  if (tls.enabled) {
    // Without a file the authorities of the system would count, who know nothing of this cluster.
    if (tls.ca_file.empty()) {
      return Error(Code::kInvalidArgument,
                   "TLS to the servers needs the authority of the cluster: set tls.ca_file");
    }
    TlsTrust trust;
    trust.ca_file = tls.ca_file;
    trust.cert_file = tls.cert_file;
    trust.key_file = tls.key_file;
    trust.any_name = !tls.verify_server_hostname;
    DROVER_ASSIGN(context, TlsContext::LoadForClient(trust));
  }
  return std::unique_ptr<TcpServerDialer>(new TcpServerDialer(
      "server." + region + ".nomad", tls.enabled && tls.upgrade_mode, std::move(context)));
}

Co<Result<std::unique_ptr<ByteStream>>> TcpServerDialer::Dial(Context context,
                                                              ClusterAddress address) {
  const Context limited = context.WithTimeout(kDialTime);
  bool refused = false;
  auto stream = co_await DialOnce(limited, address, tls_ != nullptr, &refused);
  if (!stream.ok() && refused && upgrades_) {
    stream = co_await DialOnce(limited, address, false, &refused);
  }
  DROVER_CO_TRY(context.status());
  if (limited.cancelled()) co_return CannotReach(address, "no answer in time", Code::kTimeout);
  co_return stream;
}

Co<Result<std::unique_ptr<ByteStream>>> TcpServerDialer::DialOnce(Context context,
                                                                  ClusterAddress address,
                                                                  bool with_tls,
                                                                  bool* refused) const {
  ServerAddress place;
  place.host = address.host;
  place.port = address.port;
  const Result<StreamEndpoints> places = co_await Resolve(context, place);
  DROVER_CO_TRY(context.status());
  if (!places.ok()) co_return CannotReach(address, places.error().message());
  Result<StreamSocket> socket = co_await ConnectAny(context, *places);
  DROVER_CO_TRY(context.status());
  if (!socket.ok()) co_return CannotReach(address, socket.error().message());
  std::unique_ptr<ByteStream> stream;
  if (with_tls) {
    // One byte fits into the buffer of a new connection, so this cannot wait.
    const std::tuple<ByteStream::ErrorCode, std::size_t> sent =
        co_await asio::async_write(*socket, asio::buffer(&kStartTls, 1), kDialTuple);
    if (std::get<0>(sent)) co_return CannotReach(address, std::get<0>(sent).message());
    stream = tls_->MakeStream(std::move(*socket), server_name_);
  } else {
    stream = MakePlainStream(std::move(*socket));
  }
  const Subscription on_cancel = context.OnCancel([&stream] { stream->Close(); });
  const ByteStream::ErrorCode failed = co_await stream->Handshake();
  DROVER_CO_TRY(context.status());
  if (failed) {
    *refused = IsClosed(failed);
    const std::string advice =
        *refused ? ": it has no TLS, or it does not take this node's certificate" : "";
    co_return CannotReach(address, "TLS: " + failed.message() + advice);
  }
  const asio::const_buffer first = asio::buffer(&kMuxV2, 1);
  const ByteStream::Transfer begun = co_await stream->WriteSome(first);
  DROVER_CO_TRY(context.status());
  if (std::get<0>(begun)) co_return CannotReach(address, std::get<0>(begun).message());
  co_return std::move(stream);
}

}  // namespace drover
