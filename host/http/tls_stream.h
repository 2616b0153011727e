// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>

#include "host/base/result.h"
#include "host/http/byte_stream.h"
#include "host/http/http_options.h"

namespace drover {

// The certificate of a server and its rules for TLS. [any thread]
class TlsContext {
 public:
  static Result<std::shared_ptr<TlsContext>> Load(const HttpTls& tls);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  std::unique_ptr<ByteStream> MakeStream(boost::asio::ip::tcp::socket socket);

 private:
  struct State;
  explicit TlsContext(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover
