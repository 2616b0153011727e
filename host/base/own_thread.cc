// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/own_thread.h"

#include <memory>
#include <string>
#include <system_error>
#include <thread>

#include "host/base/event.h"
#include "host/base/loop_port.h"

namespace drover {

Co<Status> RunOnOwnThread(Context context, std::function<void()> work) {
  struct Answer {
    explicit Answer(Loop* on) : port(on), done(on) {}
    LoopPort port;
    Event done;
  };
  auto answer = std::make_shared<Answer>(context.loop());
  try {
    std::thread([answer, work = std::move(work)]() mutable {
      work();
      work = nullptr;
      answer->port.Post([answer] { answer->done.Set(); });
    }).detach();
  } catch (const std::system_error& e) {
    co_return Error(Code::kResourceExhausted, std::string("no thread can be made: ") + e.what(),
                    /*recoverable=*/true);
  }
  const Status waited = co_await answer->done.Wait(context);
  answer->port.Close();
  if (answer->done.is_set()) co_return Status();
  co_return waited;
}

}  // namespace drover
