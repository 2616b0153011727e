// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "host/base/result.h"
#include "host/http/byte_stream.h"
#include "host/http/http_options.h"

namespace drover {

// The servers that a client trusts, and the certificate that the client shows. The files are in
// PEM format.
struct TlsTrust {
  std::string ca_file;  // certificates that the client trusts
  // A directory of certificates that the client trusts. If ca_file and ca_path are empty, the
  // client trusts the certificates of the system.
  std::string ca_path;
  std::string cert_file;
  std::string key_file;  // if it is empty, cert_file has the key
  bool skip_verify = false;
  // Accepts a certificate of a trusted authority whatever its name is.
  bool any_name = false;
};

// The certificate of one side of a connection, and the TLS rules of this side. [any thread]
class TlsContext {
 public:
  static Result<std::shared_ptr<TlsContext>> Load(const HttpTls& tls);
  static Result<std::shared_ptr<TlsContext>> LoadForClient(const TlsTrust& trust);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  // Returns a TLS stream over SOCKET. A client passes SERVER, the host name or IP address for
  // which the server's certificate must be valid. On the server's side, SERVER is empty.
  std::unique_ptr<ByteStream> MakeStream(StreamSocket socket, const std::string& server = "");

 private:
  struct State;
  explicit TlsContext(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover
