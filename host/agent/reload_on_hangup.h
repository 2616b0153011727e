// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/signal_set.hpp>
#include <functional>

#include "host/base/gate.h"
#include "host/base/loop.h"
#include "host/base/result.h"

namespace drover {

// Calls RELOAD whenever this process receives SIGHUP. The signal does not end the process while
// the object lives. A signal that comes before Listen takes effect at Listen. All signals that
// come during a reload cause one more reload. Each reload is reported to the service manager and
// to the log. Control thread only.
class ReloadOnHangup {
 public:
  ReloadOnHangup(Loop* loop, std::function<Co<Status>()> reload);

  void Listen();
  // Stops listening for the signal. Returns when no reload runs any more.
  Co<void> End();

 private:
  Co<void> Run();

  const std::function<Co<Status>()> reload_;
  boost::asio::signal_set signals_;
  bool reloading_ = false;
  bool again_ = false;  // a signal has come since the last reload began
  Gate gate_;
};

}  // namespace drover
