// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/patience.h"

#include <algorithm>

namespace drover {

Patience::Patience(const Context& parent, Duration limit)
    : context_(parent.Child()), part_(std::max(limit / kParts, Duration(1))), left_(limit) {
  if (!context_.cancelled()) BeginPart();
}

Patience::~Patience() {
  if (timer_ != 0) context_.loop()->Cancel(timer_);
  context_.Cancel("the scope of the context has ended");
}

void Patience::BeginPart() {
  // The last part also includes the remainder of the division of LIMIT by kParts.
  const Duration part = left_ < 2 * part_ ? left_ : part_;
  const TimePoint due = context_.loop()->Now() + part;
  timer_ = context_.loop()->At(due, [this, part, due] {
    timer_ = 0;
    if (context_.cancelled()) return;
    // If the timer fired late by a whole part or more, the part begins again.
    if (context_.loop()->Now() - due < part_) left_ -= part;
    if (left_ > Duration(0)) return BeginPart();
    context_.CancelWith(Error(Code::kTimeout, "the deadline has passed"));
  });
}

}  // namespace drover
