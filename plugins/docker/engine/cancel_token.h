// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "drover/call.hpp"

namespace drover_docker {

// Ends a blocking call of this folder from another thread. All copies are the same token.
// [any-thread]
class CancelToken {
 public:
  // Throws Error(kResourceExhausted) if the process has no descriptors left.
  CancelToken();

  // Every call that waits with this token throws Error(kCancelled) soon. A later call does so at
  // once.
  void Cancel() const;
  bool cancelled() const;
  // Throws Error(kCancelled) if the token is cancelled.
  void Check() const;
  // Returns a descriptor that is readable once the token is cancelled. The token owns it.
  int fd() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Returns a token that is cancelled when the host gives CALL up. It replaces the function of an
// earlier CALL.OnCancel.
CancelToken CancelOf(const drover::CallView& call);

}  // namespace drover_docker
