// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/result.h"

namespace drover {

// Names and values in the order of their arrival.
using HttpFields = std::vector<std::pair<std::string, std::string>>;

// A request of a client.
struct HttpRequest {
  std::string method;  // any token, in the client's spelling
  std::string path;    // as sent: not decoded, without the query
  HttpFields query;    // decoded
  HttpFields headers;
  std::string body;
  std::string remote;  // "127.0.0.1:4711", "[::1]:4711"
  bool tls = false;
  std::string client_subject;  // of a verified client certificate; empty without one

  // The first value of this name; nullptr if there is none. The case of header names is ignored.
  const std::string* Header(std::string_view name) const;
  const std::string* Query(std::string_view name) const;
};

// The reply to it. The server itself adds Content-Length, Content-Encoding, Date, Vary and
// Connection.
struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";  // empty: no such header
  HttpFields headers;
  std::string body;
};

// A reply in plain text, such as an error.
HttpReply TextReply(int status, std::string text);

// Replaces each %XX; refuses other uses of % and NUL characters.
Result<std::string> PercentDecode(std::string_view text);

// Splits and decodes "a=1&b=x%20y+z"; a name without "=" has the empty value.
Result<HttpFields> ParseQuery(std::string_view text);

bool EqualsIgnoringCase(std::string_view a, std::string_view b);

}  // namespace drover
