// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>

#include "host/base/context.h"
#include "host/base/loop.h"

namespace drover {

// Cancels a context when SIGTERM, SIGINT or SIGHUP comes, once: the second such signal ends the
// process. A signal that the parent has ignored stays ignored. One object per process, which is
// never destroyed.
class EndSignals {
 public:
  EndSignals(Loop* loop, Context end);

 private:
  boost::asio::posix::stream_descriptor arrived_;
};

}  // namespace drover
