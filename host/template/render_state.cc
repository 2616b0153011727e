// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/template/render_state.h"

#include "host/template/function.h"

namespace drover::templates {
namespace {

constexpr std::uint64_t kStepsPerLookAtClock = 256;

}  // namespace

Heap& Call::heap() const { return state->heap(); }

Result<nlohmann::json> RenderState::Ask(const ValueRequest& request) {
  if (values_ == nullptr) {
    return Error(Code::kFailedPrecondition, "there are no values from outside here");
  }
  used_.insert(request);
  return values_->Value(request);
}

Status RenderState::Step() {
  heap_.Step();
  if (++steps_ % kStepsPerLookAtClock == 0 && std::chrono::steady_clock::now() > deadline_) {
    return Error(Code::kTimeout, "the template takes too long");
  }
  return heap_.Check();
}

}  // namespace drover::templates
