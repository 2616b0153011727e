// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/client/api_path.h"
#include "host/client/endpoint.h"
#include "host/client/http_client.h"

namespace drover {

// Sends several requests to an agent at a time, each over a connection of its own. The object
// passes the answers to callbacks as they come. Requests beyond kMostConnections wait for their
// turn. Use it on one thread only. It sends, receives and calls back only in Wait. Errors are like
// those of ApiClient.
class ApiStreams {
 public:
  // This number is low enough for an agent that allows one client only a hundred connections. An
  // agent still counts a dropped connection for a while, and other programs of the same user need
  // some connections too.
  static constexpr int kMostConnections = 45;

  using End = std::function<void(const Status& status)>;

  explicit ApiStreams(std::shared_ptr<const Endpoint> endpoint);
  ApiStreams(ApiStreams&&) noexcept;
  ~ApiStreams();

  // Sends a request for PATH with METHOD, and returns the id of the request. If BODY is null, the
  // request has no body. TAKE receives the body of a successful answer. END is then called with
  // success, or with the error that ended the request. Both callbacks may call Ask and Drop.
  std::uint64_t Ask(const char* method, const std::string& path, const Query& query, TakeBytes take,
                    End end, const std::string* body = nullptr);
  // Drops a request. Neither its TAKE nor its END is called any more.
  void Drop(std::uint64_t id);

  // Passes answers to their callbacks. Returns when a callback was called, when FD can be read, or
  // when MOST has passed. FD is -1 if no descriptor must be watched.
  Status Wait(int fd, Duration most);

 private:
  class Set;
  std::unique_ptr<Set> set_;
};

}  // namespace drover
