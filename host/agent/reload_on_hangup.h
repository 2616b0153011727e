// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/signal_set.hpp>
#include <functional>

#include "host/base/gate.h"
#include "host/base/loop.h"
#include "host/base/result.h"

namespace drover {

// Calls RELOAD whenever SIGHUP comes. The signal does not end the process while the object lives.
// One that comes before Listen counts afterwards; all that come during a reload lead to one more.
// The service manager and the log hear of each reload. Control thread only.
class ReloadOnHangup {
 public:
  ReloadOnHangup(Loop* loop, std::function<Co<Status>()> reload);

  void Listen();
  // Returns when no reload runs any more.
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
