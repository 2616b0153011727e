// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"
#include "host/cluster/cluster_address.h"
#include "host/http/byte_stream.h"
#include "host/http/tls_stream.h"

namespace drover {

// The first byte of a connection to a server: what follows it.
inline constexpr char kMuxV2 = 6;     // a session of yamux, each stream of which has a mode
inline constexpr char kStartTls = 4;  // the handshake of TLS, and then one of these bytes

// How connections to servers are protected. The files are in PEM format.
struct ClusterTls {
  bool enabled = false;
  std::string ca_file;    // the authority of the cluster, which signs all its certificates
  std::string cert_file;  // the certificate of this node, for "client.REGION.nomad"
  std::string key_file;   // if it is empty, cert_file has the key
  // Whether the certificate must be for "server.REGION.nomad". Otherwise each certificate of the
  // authority will do, also one of another node.
  bool verify_server_hostname = true;
  // While a cluster gets TLS: a server that closes the connection instead of a handshake has no TLS
  // yet, and is called without it. So whoever can disturb the network can switch TLS off.
  bool upgrade_mode = false;
};

// Makes a connection to a server. The interface is for tests.
class ServerDialer {
 public:
  virtual ~ServerDialer() = default;

  // Returns a connection to ADDRESS that is ready for a session. Takes at most ten seconds. If
  // CONTEXT ends first, returns its error. All other errors name the address.
  virtual Co<Result<std::unique_ptr<ByteStream>>> Dial(Context context, ClusterAddress address) = 0;
};

// Makes connections over TCP. Control thread only.
class TcpServerDialer : public ServerDialer {
 public:
  // Returns kInvalidArgument or kFailedPrecondition if TLS cannot be used.
  static Result<std::unique_ptr<TcpServerDialer>> Create(const std::string& region,
                                                         const ClusterTls& tls);

  Co<Result<std::unique_ptr<ByteStream>>> Dial(Context context, ClusterAddress address) override;

 private:
  TcpServerDialer(std::string server_name, bool upgrades, std::shared_ptr<TlsContext> tls)
      : server_name_(std::move(server_name)), upgrades_(upgrades), tls_(std::move(tls)) {}
  // An attempt with or without TLS. REFUSED is set if the server has closed the connection instead
  // of a handshake.
  Co<Result<std::unique_ptr<ByteStream>>> DialOnce(Context context, ClusterAddress address,
                                                   bool with_tls, bool* refused) const;

  const std::string server_name_;          // "server.REGION.nomad"
  const bool upgrades_;                    // see ClusterTls::upgrade_mode
  const std::shared_ptr<TlsContext> tls_;  // null without TLS
};

}  // namespace drover
