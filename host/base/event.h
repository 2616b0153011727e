// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "host/base/callback_list.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/loop.h"
#include "host/base/result.h"

namespace drover {

// A condition that coroutines wait for. It stays set until Reset. An event must outlive its
// waiters. Control thread only.
class Event {
 public:
  explicit Event(Loop* loop) : loop_(loop) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  // Sets the event. The loop resumes the waiters later, never inside Set.
  void Set();
  void Reset() { set_ = false; }
  bool is_set() const { return set_; }

  Co<void> Wait();
  // Returns success when the event is set, or the error of CONTEXT if CONTEXT ends first. If both
  // have happened, returns success.
  Co<Status> Wait(Context context);

  // Calls FUNCTION once when the event is set, or at once if it already is.
  [[nodiscard]] Subscription OnSet(std::function<void()> function);

  Loop* loop() const { return loop_; }

 private:
  Loop* loop_;
  bool set_ = false;
  CallbackList callbacks_;
};

// Returns when all work of LOOP that is ready now has run.
Co<void> NextTurn(Loop* loop);

// Returns when one of the events is set or CONTEXT has ended.
Co<void> WaitAny(Context context, Event* first, Event* second);

}  // namespace drover
