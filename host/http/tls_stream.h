// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "host/base/result.h"
#include "host/http/byte_stream.h"
#include "host/http/http_options.h"

namespace drover {

// The server that a client expects, and the certificate that the client shows. Files in PEM.
struct TlsTrust {
  std::string ca_file;  // certificates that vouch for the server
  std::string ca_path;  // a directory of those; without both, the system's count
  std::string cert_file;
  std::string key_file;  // empty: the key is in cert_file
  bool skip_verify = false;
};

// The certificate of one side of a connection, and its rules for TLS. [any thread]
class TlsContext {
 public:
  static Result<std::shared_ptr<TlsContext>> Load(const HttpTls& tls);
  static Result<std::shared_ptr<TlsContext>> LoadForClient(const TlsTrust& trust);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  // A client names the SERVER, a host name or an IP address, that the certificate must be for.
  std::unique_ptr<ByteStream> MakeStream(StreamSocket socket, const std::string& server = "");

 private:
  struct State;
  explicit TlsContext(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover
