// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/reload_on_hangup.h"

#include <spdlog/spdlog.h>

#include <csignal>
#include <utility>

#include "host/agent/service_manager.h"

namespace drover {

ReloadOnHangup::ReloadOnHangup(RealLoop* loop, Agent* agent,
                               std::function<Result<AgentConfig>()> read)
    : agent_(agent), read_(std::move(read)), signals_(loop->io(), SIGHUP), gate_(loop) {}

void ReloadOnHangup::Listen() {
  signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (!error) gate_.Spawn(Reload());
  });
}

Co<void> ReloadOnHangup::Reload() {
  NotifyOrWarn(ReloadingState());
  std::function<Result<AgentConfig>()> read = read_;
  const Status done = co_await agent_->Reload(std::move(read));
  if (!done.ok()) {
    spdlog::error("the configuration stays as it was: {}", done.error().message());
  }
  NotifyOrWarn("READY=1");
  if (!gate_.closed()) Listen();
}

Co<void> ReloadOnHangup::End() {
  co_await gate_.Close();
  signals_.cancel();
}

}  // namespace drover
