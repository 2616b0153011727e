// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "host/cli/api_client.h"
#include "host/cli/curl_library.h"

namespace drover {

// Asks an agent several things at a time, each over a connection of its own, and hands out what it
// answers as it comes. More than kMostConnections wait for their turn. One thread; nothing happens
// but in Wait. Errors are as those of ApiClient.
class ApiStreams {
 public:
  // An agent lets one client have a hundred, of which it counts those that were left for a while
  // longer, and some are for others to ask with.
  static constexpr long kMostConnections = 45;

  using End = std::function<void(const Status& status)>;

  static Result<ApiStreams> Create(const CurlLibrary& curl, const ClientOptions& options);
  ApiStreams(ApiStreams&&) noexcept;
  ~ApiStreams();

  // Asks for PATH with METHOD. TAKE gets the body of a success, and then END that all has come, or
  // why not; both may ask and drop. BODY: null for none.
  std::uint64_t Ask(const char* method, const std::string& path, const Query& query, TakeBytes take,
                    End end, const std::string* body = nullptr);
  // Leaves an answer: neither its TAKE nor its END is called any more.
  void Drop(std::uint64_t id);

  // Waits until something has come or FD is readable, at most as long as MOST, and hands it out.
  Status Wait(int fd, Duration most);

 private:
  class Set;
  explicit ApiStreams(std::unique_ptr<Set> set);
  std::unique_ptr<Set> set_;
};

}  // namespace drover
