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

// Asks an agent several things at a time, each over a connection of its own, and hands out the
// answers as they come. More than kMostConnections wait for their turn. One thread; nothing happens
// but in Wait. Errors are as those of ApiClient.
class ApiStreams {
 public:
  // An agent lets one client have a hundred. It counts those that were left for a while longer, and
  // some are for others to ask with.
  static constexpr int kMostConnections = 45;

  using End = std::function<void(const Status& status)>;

  explicit ApiStreams(std::shared_ptr<const Endpoint> endpoint);
  ApiStreams(ApiStreams&&) noexcept;
  ~ApiStreams();

  // Asks for PATH with METHOD. TAKE gets the body of a success, and then END that all has come, or
  // why not; both may ask and drop. BODY: null for none.
  std::uint64_t Ask(const char* method, const std::string& path, const Query& query, TakeBytes take,
                    End end, const std::string* body = nullptr);
  // Leaves an answer: neither its TAKE nor its END is called any more.
  void Drop(std::uint64_t id);

  // Hands out what comes, until something has come, FD (-1: none) can be read, or MOST has passed.
  Status Wait(int fd, Duration most);

 private:
  class Set;
  std::unique_ptr<Set> set_;
};

}  // namespace drover
