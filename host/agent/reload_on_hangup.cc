// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/reload_on_hangup.h"

#include <spdlog/spdlog.h>

#include <csignal>
#include <utility>

#include "host/agent/service_manager.h"

namespace drover {

ReloadOnHangup::ReloadOnHangup(Loop* loop, std::function<Co<Status>()> reload)
    : reload_(std::move(reload)), signals_(loop->io(), SIGHUP), gate_(loop) {}

void ReloadOnHangup::Listen() {
  signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (error || gate_.closed()) return;
    Listen();
    again_ = true;
    if (!reloading_) gate_.Spawn(Run());
  });
}

Co<void> ReloadOnHangup::Run() {
  reloading_ = true;
  while (std::exchange(again_, false) && !gate_.closed()) {
    NotifyOrWarn(ReloadingState());
    const Status done = co_await reload_();
    if (!done.ok()) {
      spdlog::error("the configuration stays as it was: {}", done.error().message());
    }
    NotifyOrWarn("READY=1");
  }
  reloading_ = false;
}

Co<void> ReloadOnHangup::End() {
  signals_.cancel();
  co_await gate_.Close();
}

}  // namespace drover
