// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/resolve.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <functional>
#include <memory>
#include <string>

#include "host/base/own_thread.h"

namespace drover {
namespace {

struct Found {
  int error = 0;
  StreamEndpoints endpoints;
};

Found LookUp(const std::string& host, const std::string& port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  Found found;
  found.error = getaddrinfo(host.c_str(), port.c_str(), &hints, &list);
  if (found.error != 0) return found;
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    found.endpoints.emplace_back(at->ai_addr, at->ai_addrlen);
  }
  freeaddrinfo(list);
  return found;
}

}  // namespace

Co<Result<StreamEndpoints>> Resolve(Context context, ServerAddress address) {
  if (!address.socket_path.empty()) {
    if (address.socket_path.size() >= sizeof(sockaddr_un::sun_path)) {
      co_return Error(Code::kInvalidArgument, "the path of the socket is too long");
    }
    const boost::asio::local::stream_protocol::endpoint socket(address.socket_path);
    co_return StreamEndpoints{socket};
  }
  const std::string port = std::to_string(address.port);
  Found numeric = LookUp(address.host, port, AI_NUMERICHOST);
  if (numeric.error == 0) co_return std::move(numeric.endpoints);
  // The name servers may take a long time to answer, so the lookup runs on a separate thread.
  const auto found = std::make_shared<Found>();
  std::function<void()> look_up = [found, host = address.host, port] {
    *found = LookUp(host, port, 0);
  };
  DROVER_CO_TRY(co_await RunOnOwnThread(context, std::move(look_up)));
  if (found->error == 0) co_return std::move(found->endpoints);
  co_return Error(Code::kUnavailable,
                  "could not resolve the host " + address.host + ": " + gai_strerror(found->error));
}

}  // namespace drover
