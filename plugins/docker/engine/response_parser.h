// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "engine/http_message.h"

namespace drover_docker {

// Parses the answer to one request, piece by piece, in bounded memory. Skips interim answers (1xx)
// but 101, which ends the HTTP part of the connection.
class ResponseParser {
 public:
  static constexpr std::size_t kMostHead = 64u << 10;  // bytes
  static constexpr int kMostInterim = 8;               // interim answers

  // HAS_BODY: false for the answer to a HEAD request. RAW: the caller has asked for an upgrade, so
  // the bytes behind the head are no part of the answer.
  explicit ResponseParser(bool has_body = true, bool raw = false);
  ResponseParser(const ResponseParser&) = delete;
  ResponseParser& operator=(const ResponseParser&) = delete;
  ~ResponseParser();

  // Parses BYTES until a piece of the body, the end of the answer or a mistake is found. Returns
  // the number of parsed bytes. Sets BODY to the piece, which is a part of BYTES.
  std::size_t Put(std::string_view bytes, std::string_view* body);
  // Call it when the connection has ended. An answer without a length is complete only then.
  void PutEnd();

  bool has_head() const;
  bool done() const;
  // True if any byte of the answer has arrived.
  bool begun() const;
  // Returns why the bytes are not a valid answer; empty if there is no mistake. After a mistake,
  // Put parses no more bytes.
  const std::string& mistake() const;
  const HttpHead& head() const;
  // Returns whether another request may follow on this connection. Valid when done.
  bool keep_alive() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace drover_docker
