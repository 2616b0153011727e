// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace drover {

// Reads the answer to one request. Skips interim answers (1xx).
class ResponseParser {
 public:
  ResponseParser();
  ResponseParser(const ResponseParser&) = delete;
  ResponseParser& operator=(const ResponseParser&) = delete;
  ~ResponseParser();

  // Takes bytes from the beginning of BYTES until there is a piece of the body, the end or a
  // mistake. Returns the number of bytes that it took. Sets BODY to the piece, which is a part of
  // BYTES.
  std::size_t Put(std::string_view bytes, std::string_view* body);
  // Call it when the connection has ended. Some answers have no length and are complete only when
  // the connection ends.
  void PutEnd();

  bool done() const;
  // Returns why the bytes are not a valid answer, or an empty text. After a mistake, Put takes no
  // more bytes.
  const std::string& mistake() const;

  // The functions below may be called when the head has come. Before that, the status is 0.
  int status() const;
  std::string Header(std::string_view name) const;  // empty if there is no such header
  // Returns whether another request may follow on this connection.
  bool keep_alive() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace drover
