// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/after_burst.h"

namespace drover {

Co<void> AfterBurst::Run(Context context) {
  while (true) {
    const Status many = co_await many_.Wait(context);
    if (!many.ok()) co_return;
    const TimePoint latest = context.loop()->Now() + kLongest;
    for (int seen = 0; seen != noted_ && context.loop()->Now() < latest;) {
      seen = noted_;
      const Status slept = co_await Sleep(context, kQuiet);
      if (!slept.ok()) co_return;
    }
    noted_ = 0;
    many_.Reset();
    co_await work_();
  }
}

}  // namespace drover
