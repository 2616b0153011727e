// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/cancel_token.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace drover_docker {

struct CancelToken::State {
  State() : fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (fd < 0) {
      throw drover::Error(drover::Code::kResourceExhausted,
                          "the driver has no descriptors left: raise its limit of open files",
                          true);
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { ::close(fd); }

  const int fd;
  std::atomic<bool> cancelled{false};
};

CancelToken::CancelToken() : state_(std::make_shared<State>()) {}

void CancelToken::Cancel() const {
  if (state_->cancelled.exchange(true)) return;
  const std::uint64_t one = 1;
  // The counter of an eventfd that is written once cannot be full.
  (void)!::write(state_->fd, &one, sizeof one);
}

bool CancelToken::cancelled() const { return state_->cancelled; }

void CancelToken::Check() const {
  if (cancelled()) throw drover::Error(drover::Code::kCancelled, "the call was given up");
}

int CancelToken::fd() const { return state_->fd; }

CancelToken CancelOf(const drover::CallView& call) {
  CancelToken token;
  call.OnCancel([token] { token.Cancel(); });
  return token;
}

}  // namespace drover_docker
