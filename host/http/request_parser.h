// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/http/http_message.h"

namespace drover {

// Reads one request. Refuses every request that two readers could understand differently, because
// request smuggling depends on such requests.
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

  // Takes as many of BYTES as it can use, and returns their number. BYTES must begin after the
  // bytes that were taken before. Returns 0 if it needs more bytes.
  std::size_t Put(std::string_view bytes);

  bool head_done() const;
  bool done() const;
  // Returns why the request is refused, or nothing. After a refusal, Put takes no more bytes.
  const std::optional<Refusal>& refusal() const;

  // The functions below may be called when the head is done.
  bool keep_alive() const;
  bool http_1_0() const;
  bool has_body() const;  // whether a part of the body is still to come
  // Returns the length of the body. Returns nothing if the body comes in chunks, because the
  // length of such a body is not known in advance.
  std::optional<std::size_t> body_length() const;
  // Makes the parser skip the body instead of keeping it.
  void DiscardBody();
  // Returns the parts of the request that have been parsed so far.
  HttpRequest& request();

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace drover
