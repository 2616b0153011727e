// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"
#include "host/client/client_options.h"
#include "host/client/server_address.h"
#include "host/http/byte_stream.h"
#include "host/http/tls_stream.h"

namespace drover {

// The address of the agent to which requests are sent, and how to connect to it. Immutable.
class Endpoint {
 public:
  // OPTIONS must come from WithEnvironment. Returns Code::kInvalidArgument if OPTIONS are invalid.
  static Result<std::shared_ptr<const Endpoint>> Create(ClientOptions options);

  const ClientOptions& options() const { return options_; }
  const ServerAddress& address() const { return address_; }

  // The proxy that gets requests with the whole URL of the server. Null if there is none, or if the
  // proxy only passes the bytes of TLS on.
  const ServerAddress* forwarder() const { return proxy_ && !address_.tls ? &*proxy_ : nullptr; }

  // Returns a new connection. If the connection has TLS, its handshake is complete. Takes at most
  // ten seconds.
  Co<Result<std::unique_ptr<ByteStream>>> Connect(Context context) const;

  // Returns an error with CODE and the text "cannot reach ADDRESS: WHY".
  Error Unreachable(const std::string& why, Code code = Code::kUnavailable) const;

 private:
  Endpoint(ClientOptions options, ServerAddress address)
      : options_(std::move(options)), address_(std::move(address)) {}
  Co<Result<StreamSocket>> ConnectSocket(Context context) const;
  // Has the proxy connect SOCKET with the server. [CONTEXT must have a deadline]
  Co<Status> Tunnel(Context context, StreamSocket* socket) const;

  const ClientOptions options_;
  const ServerAddress address_;
  std::optional<ServerAddress> proxy_;  // to which connections are made instead
  std::shared_ptr<TlsContext> tls_;     // null if connections have no TLS
};

}  // namespace drover
