// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace drover {

// Reads the answer to one request. Interim answers (1xx) are skipped.
class ResponseParser {
 public:
  ResponseParser();
  ResponseParser(const ResponseParser&) = delete;
  ResponseParser& operator=(const ResponseParser&) = delete;
  ~ResponseParser();

  // Takes bytes from the beginning of BYTES until there is a piece of the body, the end or a
  // mistake, and returns their number. BODY is that piece, a part of BYTES.
  std::size_t Put(std::string_view bytes, std::string_view* body);
  // The connection has ended, which is the end of some answers.
  void PutEnd();

  bool done() const;
  // Why this is no answer. After that, Put takes no more bytes.
  const std::string& mistake() const;

  // These are known when the head has come; before, the status is 0.
  int status() const;
  std::string Header(std::string_view name) const;  // empty for none
  // A further request may follow on this connection.
  bool keep_alive() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace drover
