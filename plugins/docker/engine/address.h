// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace drover_docker {

// The files of a connection with TLS, each a path to a file in PEM form.
struct TlsFiles {
  std::string ca;    // the authorities that the engine's certificate must be signed by
  std::string cert;  // the own certificate, with its chain; empty together with KEY for none
  std::string key;

  bool empty() const { return ca.empty() && cert.empty() && key.empty(); }
};

// The place of an engine.
struct EngineAddress {
  std::string path;  // of a Unix socket; empty for a TCP address
  std::string host;  // a name or an IP address, without brackets
  std::uint16_t port = 0;
  TlsFiles tls;  // empty: no TLS

  // Parses unix:///path, tcp://host:port, http://host:port or https://host:port. The default ports
  // are 2375, and 2376 with TLS. Throws Error(kInvalidArgument) with the reason.
  static EngineAddress Parse(std::string_view text, TlsFiles tls = {});

  // Returns the address as people write it, for messages.
  std::string Text() const;
};

}  // namespace drover_docker
