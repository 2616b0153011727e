// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/signal_set.hpp>
#include <functional>

#include "host/agent/agent.h"
#include "host/base/gate.h"

namespace drover {

// Has the agent read its configuration again whenever SIGHUP comes. The signal does not end the
// process from here on; one that comes before Listen, or during a reload, counts afterwards.
// Control thread only.
class ReloadOnHangup {
 public:
  ReloadOnHangup(RealLoop* loop, Agent* agent, std::function<Result<AgentConfig>()> read);

  void Listen();
  // Returns when nothing of it runs any more.
  Co<void> End();

 private:
  Co<void> Reload();

  Agent* const agent_;
  const std::function<Result<AgentConfig>()> read_;
  boost::asio::signal_set signals_;
  Gate gate_;
};

// Tells the service manager, and the log when that cannot be told.
void NotifyOrWarn(const std::string& state);

}  // namespace drover
