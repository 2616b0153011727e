// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/base/callback_list.h"
#include "host/base/co.h"
#include "host/base/loop.h"
#include "host/base/result.h"

namespace drover {

// A signal that tells all work under the context to stop. A context ends once: by Cancel, by its
// deadline or together with its parent. Copies refer to the same context. Control thread only.
class Context {
 public:
  // Makes a context without a parent, which ends only by Cancel.
  explicit Context(Loop* loop);

  Loop* loop() const;
  Context Child() const;
  // Returns a child that also ends at DEADLINE, with Code::kTimeout.
  Context WithDeadline(TimePoint deadline) const;
  Context WithTimeout(Duration timeout) const { return WithDeadline(loop()->Now() + timeout); }

  // Ends the context. Then ends its children and calls its callbacks, in the order in which they
  // were added. Only the first call sets the reason.
  void Cancel(std::string reason = "cancelled");
  void CancelWith(Error reason);

  bool cancelled() const;
  // Returns success, or the reason of the cancellation with Code::kCancelled or Code::kTimeout.
  Status status() const;
  // Returns the earliest deadline of this context and its parents, if there is a deadline.
  std::optional<TimePoint> deadline() const;

  // Calls FUNCTION once when the context is cancelled, or at once if it already is.
  [[nodiscard]] Subscription OnCancel(std::function<void()> function) const;
  // Returns when the context is cancelled.
  Co<void> Cancelled() const;

  static long live();  // the number of contexts in this process, a metric

 private:
  friend class JoinContext;
  struct State;
  explicit Context(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// A context with two parents, such as "the task is killed" and "the agent shuts down". It ends
// when the first of its parents ends, and at the latest when this object is destroyed. So no work
// under the context outlives the scope of this object.
class JoinContext {
 public:
  JoinContext(const Context& first, const Context& second);
  JoinContext(const JoinContext&) = delete;
  JoinContext& operator=(const JoinContext&) = delete;
  ~JoinContext() { context_.Cancel("the scope of the context has ended"); }

  const Context& context() const { return context_; }

 private:
  Context context_;
};

// Sleeps for DURATION. If CONTEXT ends first, returns the error of CONTEXT.
Co<Status> Sleep(Context context, Duration duration);

}  // namespace drover
