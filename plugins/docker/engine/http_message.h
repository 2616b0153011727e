// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drover/types.hpp"

namespace drover_docker {

// One request to an engine.
struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  // path and query, encoded; see Target
  drover::StringMap headers;
  std::string body;
  std::string content_type;  // of the body, such as application/json
  // The body is what this descriptor yields until its end, sent in chunks, instead of BODY. The
  // caller owns the descriptor. -1: none.
  int body_fd = -1;
};

// The head of an answer.
struct HttpHead {
  int status = 0;
  drover::StringMap headers;  // names in lower case; the last value of each name

  std::string Header(const std::string& name) const;  // empty if it is missing
};

struct HttpResponse {
  HttpHead head;
  std::string body;
};

// What a request may cost. A time of 0 has no limit.
struct HttpLimits {
  drover::Duration connect = std::chrono::seconds(5);
  drover::Duration first_byte = std::chrono::seconds(30);  // from the sent request on
  drover::Duration silence = std::chrono::seconds(30);     // between two bytes in any direction
  drover::Duration total = std::chrono::seconds(60);       // of the whole request
  std::size_t max_body = 16u << 20;                        // bytes of a collected body
};

// Returns TEXT with all characters but letters, digits and -._~ as %XX. Characters of KEEP stay.
std::string PercentEncode(std::string_view text, std::string_view keep = "");

// Returns PATH with the encoded QUERY behind it.
std::string Target(std::string_view path,
                   const std::vector<std::pair<std::string, std::string>>& query);

// Returns the head of REQUEST as it is sent. HOST is the value of the header of this name.
// UPGRADE: asks for a connection that carries raw bytes after the answer. Throws
// Error(kInvalidArgument) if a part of the request contains a control character.
std::string RequestHead(const HttpRequest& request, const std::string& host, bool upgrade);

}  // namespace drover_docker
