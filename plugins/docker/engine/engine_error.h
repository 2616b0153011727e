// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "drover/error.hpp"
#include "engine/http_message.h"

namespace drover_docker {

// A refusal by the engine: its HTTP status and its own words. The code follows the status: 404 is
// kNotFound, 409 kFailedPrecondition, 400 kInvalidArgument, 401 and 403 kPermissionDenied, 501
// kUnimplemented; the others are recoverable and kUnavailable.
class EngineError : public drover::Error {
 public:
  // ACTION is what was asked for, such as "create container web-1".
  EngineError(int status, const std::string& action, std::string reason);

  int status() const { return status_; }
  const std::string& reason() const { return reason_; }  // the engine's own words
  bool not_found() const { return status_ == 404; }
  bool conflict() const { return status_ == 409; }
  bool not_modified() const { return status_ == 304; }

 private:
  int status_;
  std::string reason_;
};

// Returns the error that RESPONSE describes: its JSON member "message", or "cause" and "message"
// of podman, or its text. The reason is at most 2 KiB of printable characters.
EngineError ErrorOf(const HttpResponse& response, const std::string& action);

// Returns TEXT from outside in a form for messages: control characters and invalid UTF-8 replaced,
// and cut to MOST bytes.
std::string Printable(std::string_view text, std::size_t most = 2048);

}  // namespace drover_docker
