// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/api/http_message.h"

namespace drover {

// How much all bodies that are in memory may take together. [any thread]
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t bytes) : left_(static_cast<long long>(bytes)) {}
  bool Take(std::size_t bytes) {
    if (left_.fetch_sub(static_cast<long long>(bytes)) >= static_cast<long long>(bytes))
      return true;
    Give(bytes);
    return false;
  }
  void Give(std::size_t bytes) { left_.fetch_add(static_cast<long long>(bytes)); }

 private:
  std::atomic<long long> left_;
};

// Reads one request. Whatever two readers could understand differently is refused: that is what
// smuggling lives on.
class RequestParser {
 public:
  struct Limits {
    std::size_t header_bytes;
    std::size_t body_bytes;
  };
  struct Refusal {
    int status;
    std::string text;
  };

  RequestParser(Limits limits, BodyBudget* budget);
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;
  ~RequestParser();

  // Takes what it can use of BYTES, which begin behind what was taken before, and says how much
  // that was. 0: it needs more than these.
  std::size_t Put(std::string_view bytes);

  bool head_done() const;
  bool done() const;
  // Why the client is wrong; nothing further is taken then.
  const std::optional<Refusal>& refusal() const;

  // These are known when the head is done.
  bool keep_alive() const;
  bool http_1_0() const;
  bool has_body() const;  // that is still to come
  // The request as far as it is known; its body counts against the budget as long as the parser
  // lives.
  HttpRequest& request();

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace drover
