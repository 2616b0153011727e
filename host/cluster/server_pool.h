// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/result.h"
#include "host/cluster/rpc_caller.h"
#include "host/cluster/rpc_connection.h"
#include "host/cluster/server_dialer.h"
#include "host/cluster/server_list.h"

namespace drover {

struct ServerPoolOptions {
  std::string region = "global";
  // The servers of the configuration. They count until servers have said who they are, and again
  // when none of those can be reached.
  std::vector<ClusterAddress> servers;
  // How often Join tries again, 0 for ever, and the pause before each try.
  int retry_max = 0;
  Duration retry_interval = 30s;
  // A call that no server can carry out is repeated for so long, such as while a leader is elected.
  Duration hold = 5s;
  StreamHandlers handlers;
  YamuxLimits limits;
  MsgpackLimits answer_limits;
  // Called after calls have got a new connection. A server reaches the node over a connection only
  // after a heartbeat on it, so the node sends one at once. May be null.
  std::function<void()> connected;
};

// Calls the servers of a cluster, over one connection to one of them. If that fails, takes the next
// server. From time to time changes the server, so that the nodes of a cluster stay divided among
// its servers. Control thread only.
class ServerPool : public RpcCaller {
 public:
  ServerPool(Loop* loop, std::unique_ptr<ServerDialer> dialer, ServerPoolOptions options,
             RandomBelow random = KernelRandom());
  ~ServerPool() override;

  // Keeps the connections until CONTEXT ends; then closes them, and all calls fail. Call it once,
  // before the first call. The pool must outlive it.
  Co<void> Run(Context context);

  // Returns when a server has answered. Tries as often as the options say, and returns the last
  // error if that does not help.
  Co<Status> Join(Context context);

  // A call is repeated on another server if the servers had no leader, if no byte of it was sent,
  // or if it was interrupted and changes nothing.
  Co<Result<nlohmann::json>> Call(Context context, std::string method,
                                  nlohmann::json args) override;

  // Takes the list of servers that an answer has, and the number of NODES of the cluster. The
  // present connection stays.
  void Learn(std::vector<ClusterAddress> servers, std::size_t nodes);
  // Calls the configured servers again, such as after an answer without a leader.
  void Rediscover();

  const ServerList& servers() const { return list_; }
  // Returns the server to which the calls go, if there is a connection.
  std::optional<ClusterAddress> server() const;

 private:
  // A connection that calls wait for.
  struct Dialing {
    explicit Dialing(Loop* loop) : done(loop) {}
    Event done;
    std::shared_ptr<RpcConnection> connection;
    std::optional<Error> error;
  };

  Co<Result<std::shared_ptr<RpcConnection>>> Connected(Context context);
  Co<void> DialFirst(std::shared_ptr<Dialing> dialing);
  // Returns a connection to ADDRESS that is served.
  Co<Result<std::shared_ptr<RpcConnection>>> Dial(ClusterAddress address);
  Co<void> Serve(std::shared_ptr<RpcConnection> connection);
  // Makes CONNECTION that of all further calls.
  void Adopt(std::shared_ptr<RpcConnection> connection, ClusterAddress address);
  // Closes CONNECTION when nobody uses it any more.
  Co<void> Drain(std::shared_ptr<RpcConnection> connection);
  // Takes the next server for further calls.
  void GiveUp(const std::shared_ptr<RpcConnection>& connection);
  Co<void> Rebalance();
  EncodedCall Encode(std::string method, nlohmann::json args);

  Loop* const loop_;
  const std::unique_ptr<ServerDialer> dialer_;
  const ServerPoolOptions options_;
  const RandomBelow random_;
  Context context_;  // of everything that the pool runs
  ServerList list_;
  std::size_t nodes_ = 0;
  std::size_t failed_in_row_ = 0;  // servers that were not reached one after the other
  std::uint64_t sequence_ = 0;
  std::shared_ptr<RpcConnection> current_;
  ClusterAddress current_address_;
  std::shared_ptr<Dialing> dialing_;
  Gate gate_;
};

}  // namespace drover
