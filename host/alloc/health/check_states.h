// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "host/base/callback_list.h"

namespace drover {

// The states of the checks of allocations, as far as they decide on the health of an allocation.
// Control thread only.
class CheckStates {
 public:
  virtual ~CheckStates() = default;
  // Returns whether all checks of the allocation pass that decide on its health. Returns true if
  // there are none. A check that has not run yet does not pass.
  virtual bool Passing(const std::string& alloc_id) const = 0;
  // Says that the checks of the allocation are about to begin, or to change. Until they have,
  // Passing returns false: without checks it would return true. Does nothing unless this object
  // learns of the beginning.
  virtual void Expect(const std::string& alloc_id) { (void)alloc_id; }
  // Calls CHANGED when a check of the allocation may have changed, until the subscription is
  // destroyed. Several changes may give one call.
  [[nodiscard]] virtual Subscription OnChange(const std::string& alloc_id,
                                              std::function<void()> changed) = 0;
};

}  // namespace drover
