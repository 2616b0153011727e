// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/http/http_message.h"

namespace drover {

// Reads one request. Refuses everything that two readers could understand differently, since
// request smuggling depends on that.
class RequestParser {
 public:
  struct Limits {
    std::size_t header_bytes;
    std::size_t body_bytes;
  };
  struct Refusal {
    int status = 0;
    std::string text;
  };

  explicit RequestParser(Limits limits);
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;
  ~RequestParser();

  // Takes as many of BYTES as it can use and returns their number. BYTES begin after the bytes
  // taken before. 0: it needs more bytes.
  std::size_t Put(std::string_view bytes);

  bool head_done() const;
  bool done() const;
  // Why the request is refused; after that, Put takes no more bytes.
  const std::optional<Refusal>& refusal() const;

  // These are known when the head is done.
  bool keep_alive() const;
  bool http_1_0() const;
  bool has_body() const;  // a part of it is still to come
  // Nothing: the body comes in chunks, and only the limit is known.
  std::optional<std::size_t> body_length() const;
  // The body is read over and not kept.
  void DiscardBody();
  // The request as far as it is known.
  HttpRequest& request();

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace drover
