// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/late_releases.h"

#include <algorithm>

namespace drover {
namespace {

constexpr Duration kFirst = 1s;
constexpr Duration kLast = 1min;

}  // namespace

void LateReleases::Add(RunId run) {
  (void)ledger_->AddRun(run);
  ledger_->HoldRun(run);  // so that the run's allocation cannot remove the entry
  tries_.Spawn(Try(this, run));
}

Co<void> LateReleases::Try(LateReleases* self, RunId run) {
  for (Duration pause = kFirst;; pause = std::min(2 * pause, kLast)) {
    const Status released = co_await self->processes_->Release(self->life_, run);
    if (released.ok()) break;
    const Status slept = co_await Sleep(self->life_, pause);
    if (!slept.ok()) co_return;
  }
  self->ledger_->LetGoOfRun(run);
  self->ledger_->RemoveRun(run);
}

Co<void> LateReleases::Close() {
  life_.Cancel("the node is being shut down");
  co_await tries_.Close();
}

}  // namespace drover
