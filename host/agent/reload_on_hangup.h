// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/signal_set.hpp>
#include <functional>

#include "host/agent/agent.h"
#include "host/base/gate.h"

namespace drover {

// Makes the agent read its configuration again whenever SIGHUP comes. The signal does not end the
// process while the object lives. One that comes before Listen counts afterwards; all that come
// during a reload lead to one more. Control thread only.
class ReloadOnHangup {
 public:
  ReloadOnHangup(RealLoop* loop, Agent* agent, std::function<Result<AgentConfig>()> read);

  void Listen();
  // Returns when no reload runs any more.
  Co<void> End();

 private:
  Co<void> Reload();

  Agent* const agent_;
  const std::function<Result<AgentConfig>()> read_;
  boost::asio::signal_set signals_;
  bool reloading_ = false;
  bool again_ = false;  // a signal has come since the last reload began
  Gate gate_;
};

}  // namespace drover
