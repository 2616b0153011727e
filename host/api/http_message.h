// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/result.h"

namespace drover {

// Names and values in the order in which they came.
using HttpFields = std::vector<std::pair<std::string, std::string>>;

// What a client asks.
struct HttpRequest {
  std::string method;  // any token, in its case
  std::string path;    // as it was sent: not decoded, without the query
  HttpFields query;    // decoded
  HttpFields headers;
  std::string body;
  std::string remote;  // "127.0.0.1:4711", "[::1]:4711"
  bool tls = false;
  std::string client_subject;  // of a verified client certificate; empty without one

  // The first of this name; nullptr without one. Names of headers have no case.
  const std::string* Header(std::string_view name) const;
  const std::string* Query(std::string_view name) const;
};

// What it is told. Content-Length, Content-Encoding, Date, Vary and Connection are the server's.
struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";  // empty: without one
  HttpFields headers;
  std::string body;
};

// A reply of plain text, as errors are.
HttpReply TextReply(int status, std::string text);

// Replaces %XX; refuses what is no such escape, and NUL.
Result<std::string> PercentDecode(std::string_view text);

// Takes "a=1&b=x%20y+z" apart; a pair without "=" has the empty value.
Result<HttpFields> ParseQuery(std::string_view text);

bool EqualsIgnoringCase(std::string_view a, std::string_view b);

}  // namespace drover
