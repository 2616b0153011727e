// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/result.h"

namespace drover {

// The parts of a server's address.
struct ServerAddress {
  bool tls = false;
  // The path of a Unix socket. If it is empty, the server has a host and a port.
  std::string socket_path;
  std::string host;  // a name or an IP address, without brackets
  std::uint16_t port = 0;
  std::string authority;  // the value of the Host header
  std::string prefix;     // the path that precedes the path of each request
  // The value of the header Authorization. It is empty if the address names no user.
  std::string authorization;
};

// Reads an address of the form "http://[USER:PASSWORD@]HOST[:PORT][/PREFIX]", of the same form
// with https://, or of the form "unix:///PATH". If TEXT is invalid, returns
// Code::kInvalidArgument.
Result<ServerAddress> ParseServerAddress(const std::string& text);

}  // namespace drover
