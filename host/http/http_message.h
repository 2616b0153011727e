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

// A request from a client.
struct HttpRequest {
  std::string method;  // any token, in the client's spelling
  std::string path;    // as the client sent it, not decoded and without the query
  HttpFields query;    // the decoded names and values
  HttpFields headers;
  std::string body;
  std::string remote;  // the client's address, such as "127.0.0.1:4711" or "[::1]:4711"
  // The name of the client for limits. Each user of this machine is one client, and so is each
  // address of another machine.
  std::string client;
  bool tls = false;
  // The subject of a verified client certificate, or an empty text if there is none.
  std::string client_subject;

  // Each function returns the first value of NAME, or nullptr if there is no value. The case of
  // header names is ignored.
  const std::string* Header(std::string_view name) const;
  const std::string* Query(std::string_view name) const;
};

// The reply to a request. The server itself adds Content-Length, Content-Encoding, Date, Vary and
// Connection.
struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";  // if it is empty, there is no Content-Type
  HttpFields headers;
  std::string body;
  bool close = false;  // whether the server closes the connection after this reply
};

// Returns a reply in plain text, such as an error.
HttpReply TextReply(int status, std::string text);

// Replaces each %XX by its byte. Returns an error for other uses of % and for NUL characters.
Result<std::string> PercentDecode(std::string_view text);

// Splits and decodes a query such as "a=1&b=x%20y+z". A name without "=" has the empty value.
Result<HttpFields> ParseQuery(std::string_view text);

bool EqualsIgnoringCase(std::string_view a, std::string_view b);

}  // namespace drover
