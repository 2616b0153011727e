// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/stats/stats_demand.h"

namespace drover {

// A demand for samples that ends when Renew has not been called for the time LINGER. Control
// thread only.
class LingeringDemand {
 public:
  LingeringDemand(Loop* loop, Duration linger) : loop_(loop), linger_(linger), demand_(loop) {}
  ~LingeringDemand() { loop_->Cancel(timer_); }
  LingeringDemand(const LingeringDemand&) = delete;
  LingeringDemand& operator=(const LingeringDemand&) = delete;

  void Renew() {
    if (!token_.held()) token_ = demand_.Acquire();
    loop_->Cancel(timer_);
    timer_ = loop_->After(linger_, [this] { End(); });
  }
  void End() {
    loop_->Cancel(std::exchange(timer_, 0));
    token_.Release();
  }

  bool wanted() const { return demand_.wanted() > 0; }
  Event* some() { return demand_.some(); }
  Event* none() { return demand_.none(); }

 private:
  Loop* const loop_;
  const Duration linger_;
  StatsDemand demand_;
  StatsDemand::Token token_;
  Loop::TimerId timer_ = 0;
};

}  // namespace drover
