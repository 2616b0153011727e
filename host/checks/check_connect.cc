// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_connect.h"

#include <netdb.h>
#include <sys/socket.h>

#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cctype>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "host/base/own_thread.h"

namespace drover {
namespace asio = boost::asio;
namespace {

using ErrorCode = ByteStream::ErrorCode;
using StreamEndpoint = asio::generic::stream_protocol::endpoint;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr int kMostLookups = 16;
constexpr std::size_t kMostEndpoints = 8;

struct LookedUp {
  int error = 0;
  std::vector<StreamEndpoint> endpoints;
};

// Counts the threads that look up names, also those for which no check waits any more.
std::atomic<int>& Lookups() {
  static std::atomic<int> count{0};
  return count;
}

void LookUp(const std::string& host, int port, LookedUp* found) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  found->error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (found->error != 0) return;
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    if (found->endpoints.size() < kMostEndpoints)
      found->endpoints.emplace_back(at->ai_addr, at->ai_addrlen);
  }
  freeaddrinfo(list);
}

Co<Result<std::vector<StreamEndpoint>>> EndpointsOf(Context context, std::string host, int port) {
  ErrorCode error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  std::vector<StreamEndpoint> endpoints;
  if (!error) {
    const asio::ip::tcp::endpoint endpoint(address, static_cast<unsigned short>(port));
    endpoints.emplace_back(endpoint);
    co_return endpoints;
  }
  if (Lookups().fetch_add(1) >= kMostLookups) {
    Lookups().fetch_sub(1);
    co_return Error(Code::kResourceExhausted,
                    "lookup " + host + ": too many names are looked up already");
  }
  const auto found = std::make_shared<LookedUp>();
  // Counts also when the work is dropped because no thread could be made.
  const std::shared_ptr<void> turn(nullptr, [](void*) { Lookups().fetch_sub(1); });
  std::function<void()> look_up = [found, host, port, turn] {
    (void)turn;  // ends together with the thread
    LookUp(host, port, found.get());
  };
  DROVER_CO_TRY(co_await RunOnOwnThread(context, std::move(look_up)));
  if (found->error != 0) {
    co_return Error(Code::kUnavailable, "lookup " + host + ": " + gai_strerror(found->error));
  }
  co_return std::move(found->endpoints);
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

Co<Result<StreamSocket>> ConnectForCheck(Context context, std::string host, int port) {
  const std::string place = "dial tcp " + HostPort(host, port) + ": ";
  const auto ended = [&]() {
    const bool late = context.status().code() == Code::kTimeout;
    return Error(context.status().code(),
                 place + (late ? std::string("i/o timeout") : context.status().error().message()));
  };
  if (context.cancelled()) co_return ended();
  const Result<std::vector<StreamEndpoint>> places = co_await EndpointsOf(context, host, port);
  if (context.cancelled()) co_return ended();
  if (!places.ok()) co_return Error(places.code(), "dial tcp: " + places.error().message());
  ErrorCode error = asio::error::host_not_found;
  for (const StreamEndpoint& endpoint : *places) {
    StreamSocket socket(context.loop()->io());
    const Subscription on_cancel = context.OnCancel([&socket] {
      ErrorCode ignored;
      socket.close(ignored);
    });
    const std::tuple<ErrorCode> connected = co_await socket.async_connect(endpoint, kTuple);
    if (context.cancelled()) co_return ended();
    error = std::get<0>(connected);
    if (!error) co_return std::move(socket);
  }
  co_return Error(Code::kUnavailable, place + "connect: " + LowerMessage(error));
}

}  // namespace drover
