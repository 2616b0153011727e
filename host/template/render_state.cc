// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/template/render_state.h"

#include "host/template/function.h"

namespace drover::templates {
namespace {

// The most bytes of the arguments of a request. The host keeps them while it watches the value.
constexpr std::size_t kMostArguments = 4 << 10;

}  // namespace

Heap& Call::heap() const { return state->heap(); }

Result<nlohmann::json> RenderState::Ask(const ValueRequest& request) {
  if (values_ == nullptr) {
    return Error(Code::kFailedPrecondition, "there are no values from outside here");
  }
  std::size_t bytes = 0;
  for (const std::string& argument : request.arguments) bytes += argument.size();
  if (bytes > kMostArguments) {
    return Error(Code::kInvalidArgument,
                 "the arguments have more than " + std::to_string(kMostArguments) + " bytes");
  }
  if (used_.size() >= most_values_ && !used_.contains(request)) {
    return Error(Code::kResourceExhausted,
                 "the template asks for more than " + std::to_string(most_values_) + " values");
  }
  used_.insert(request);
  return values_->Value(request);
}

Status RenderState::Step() {
  heap_.Step();
  return heap_.Check();
}

}  // namespace drover::templates
