// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/result.h"

namespace drover {

// Limits how many starts of a driver run at the same time. The others wait, in the sequence in
// which they have come. Control thread only.
class StartTurns {
  struct State {
    struct Waiter {
      explicit Waiter(Loop* loop) : admitted(loop) {}
      Event admitted;
    };
    void Admit() {
      while (!queue.empty() && (most == 0 || taken < most)) {
        const std::shared_ptr<Waiter> next = queue.front();
        queue.pop_front();
        ++taken;
        next->admitted.Set();
      }
    }
    unsigned most = 0;
    unsigned taken = 0;
    std::deque<std::shared_ptr<Waiter>> queue;
  };

 public:
  // One start. The destructor lets the next one begin.
  class Turn {
   public:
    Turn() = default;
    explicit Turn(std::shared_ptr<State> state) : state_(std::move(state)) {}
    Turn(Turn&& other) noexcept : state_(std::move(other.state_)) {}
    Turn& operator=(Turn&& other) noexcept {
      std::swap(state_, other.state_);
      return *this;
    }
    ~Turn() {
      if (!state_) return;
      --state_->taken;
      state_->Admit();
    }

   private:
    std::shared_ptr<State> state_;
  };

  explicit StartTurns(Loop* loop) : loop_(loop), state_(std::make_shared<State>()) {}

  // Changes the limit for later starts. 0 means no limit.
  void SetLimit(unsigned most) {
    state_->most = most;
    state_->Admit();
  }
  // Waits until a start may begin. Fails if CONTEXT ends first.
  Co<Result<Turn>> Take(Context context) {
    const std::shared_ptr<State> state = state_;
    if (state->most == 0 || (state->queue.empty() && state->taken < state->most)) {
      ++state->taken;
      co_return Turn(state);
    }
    const auto waiter = std::make_shared<State::Waiter>(loop_);
    state->queue.push_back(waiter);
    const Status admitted = co_await waiter->admitted.Wait(context);
    if (admitted.ok() || waiter->admitted.is_set()) co_return Turn(state);
    std::erase(state->queue, waiter);
    co_return admitted.error();
  }
  std::size_t waiting() const { return state_->queue.size(); }

 private:
  Loop* const loop_;
  const std::shared_ptr<State> state_;
};

}  // namespace drover
