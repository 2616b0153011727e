// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/gate.h"

namespace drover {

Co<void> Gate::RunInside(Gate* gate, Co<void> coroutine) {
  co_await std::move(coroutine);
  if (--gate->running_ == 0) gate->empty_.Set();
}

bool Gate::Spawn(Co<void> coroutine) {
  if (closed_) return false;
  ++running_;
  empty_.Reset();
  loop_->Spawn(RunInside(this, std::move(coroutine)));
  return true;
}

Co<void> Gate::Close() {
  closed_ = true;
  return Join();
}

Co<void> Gate::Join() {
  while (running_ > 0) co_await empty_.Wait();
}

Co<void> InParallel(Loop* loop, std::vector<Co<void>> coroutines) {
  Gate gate(loop);
  for (Co<void>& coroutine : coroutines) gate.Spawn(std::move(coroutine));
  co_await gate.Close();
}

}  // namespace drover
