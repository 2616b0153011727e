// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include "host/base/co.h"
#include "host/base/result.h"

namespace drover {

// Runs WORK to its end on LOOP, a RealLoop or a SimLoop, and returns its result. Aborts if WORK has
// not ended after LIMIT, a Duration, or else after the limit of the loop's RunToEnd.
template <typename AnyLoop, typename T, typename... Limit>
T AwaitForTest(AnyLoop* loop, Co<T> work, Limit... limit) {
  std::optional<T> result;
  auto whole = [](Co<T> inner, std::optional<T>* out) -> Co<void> {
    T value = co_await std::move(inner);
    out->emplace(std::move(value));
  };
  DROVER_CHECK(loop->RunToEnd(whole(std::move(work), &result), limit...));
  return std::move(*result);
}

}  // namespace drover
