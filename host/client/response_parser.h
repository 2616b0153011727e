// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "host/http/http_message.h"

namespace drover {

// The head of an answer.
struct ReplyHead {
  int status = 0;
  std::string reason;  // such as "OK"
  HttpFields headers;
};

// Parses the answer to one request. Skips interim answers (1xx).
class ResponseParser {
 public:
  ResponseParser();
  ResponseParser(const ResponseParser&) = delete;
  ResponseParser& operator=(const ResponseParser&) = delete;
  ~ResponseParser();

  // Parses BYTES until a piece of the body, the end of the answer or a mistake is found. Returns
  // the number of parsed bytes. Sets BODY to the piece, which is a part of BYTES.
  std::size_t Put(std::string_view bytes, std::string_view* body);
  // Call it when the connection has ended. An answer that has no length is complete only then.
  void PutEnd();

  bool done() const;
  // Returns why the bytes are not a valid answer. Returns an empty text if there is no mistake.
  // After a mistake, Put parses no more bytes.
  const std::string& mistake() const;

  // The functions below may be called when the head has arrived. Until then, status() returns 0.
  int status() const;
  std::string Header(std::string_view name) const;  // empty if the header is missing
  ReplyHead head() const;
  // Returns whether another request may follow on this connection.
  bool keep_alive() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace drover
