// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"

namespace drover {

// Runs WORK after each burst of events. Note counts the events. A burst begins when Note has
// counted kMany events since WORK last ran. It ends when Note is not called for kQuiet, or when the
// burst has lasted for kLongest. Control thread only.
class AfterBurst {
 public:
  static constexpr int kMany = 256;
  static constexpr Duration kQuiet = 500ms;
  static constexpr Duration kLongest = 30s;

  AfterBurst(Loop* loop, std::function<Co<void>()> work) : work_(std::move(work)), many_(loop) {}

  void Note(int things = 1) {
    noted_ += things;
    if (noted_ >= kMany) many_.Set();
  }

  // Runs WORK after each burst, until CONTEXT ends.
  Co<void> Run(Context context);

 private:
  const std::function<Co<void>()> work_;
  int noted_ = 0;
  Event many_;
};

}  // namespace drover
