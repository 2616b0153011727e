// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/result.h"

namespace drover {

// The parts of a server's address.
struct ServerAddress {
  bool tls = false;
  std::string socket_path;    // of a Unix socket; empty: the server is at a host and a port
  std::string host;           // a name or an IP address, without brackets
  std::uint16_t port = 0;     //
  std::string authority;      // the value of the Host header
  std::string prefix;         // the path before each path that is asked for
  std::string authorization;  // the value of that header; empty: the address names no user
};

// Reads "http://HOST[:PORT][/PREFIX]", the same with https:// and with USER:PASSWORD@ before the
// host, or "unix:///PATH". Code::kInvalidArgument says what makes no sense.
Result<ServerAddress> ParseServerAddress(const std::string& text);

}  // namespace drover
