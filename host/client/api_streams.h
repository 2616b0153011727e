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

// Sends several requests to an agent at a time, each on a separate connection. The object passes
// the answers to callbacks as they arrive. Requests beyond kMostConnections wait for their turn.
// Use it on one thread only. The object sends, receives and calls its callbacks only in Wait.
// Errors are like those of ApiClient.
class ApiStreams {
 public:
  // An agent may allow each client only a hundred connections. It counts a dropped connection for
  // some more time, and other programs of the same user also need connections. So the number is
  // less than half of a hundred.
  static constexpr int kMostConnections = 45;

  using End = std::function<void(const Status& status)>;

  explicit ApiStreams(std::shared_ptr<const Endpoint> endpoint);
  ApiStreams(ApiStreams&&) noexcept;
  ~ApiStreams();

  // Sends a request for PATH with METHOD, and returns the id of the request. If BODY is null, the
  // request has no body. TAKE receives the body of a successful answer. Then END is called with
  // success, or with the error that ended the request. Both callbacks may call Ask and Drop.
  std::uint64_t Ask(const char* method, const std::string& path, const Query& query, TakeBytes take,
                    End end, const std::string* body = nullptr);
  // Cancels the request ID. After this call, neither TAKE nor END of the request is called.
  void Drop(std::uint64_t id);

  // Passes answers to their callbacks. Returns when a callback was called, when FD can be read, or
  // when MOST has passed. If FD is -1, no file descriptor is watched.
  Status Wait(int fd, Duration most);

 private:
  class Set;
  std::unique_ptr<Set> set_;
};

}  // namespace drover
