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

// Signals the work that was started under it to stop. It ends once: by a call, by its deadline or
// with its parent. Copies are the same context. Control thread only.
class Context {
 public:
  // A context without parent, which ends only by Cancel.
  explicit Context(Loop* loop);

  Loop* loop() const;
  Context Child() const;
  // A child that also ends, with Code::kTimeout, at DEADLINE.
  Context WithDeadline(TimePoint deadline) const;
  Context WithTimeout(Duration timeout) const { return WithDeadline(loop()->Now() + timeout); }

  // Ends it, then its children and callbacks in the order in which they were added. The first
  // reason stays.
  void Cancel(std::string reason = "cancelled");
  void CancelWith(Error reason);

  bool cancelled() const;
  // Success, or why it was cancelled: Code::kCancelled or Code::kTimeout.
  Status status() const;
  // The earliest deadline of this context and its parents.
  std::optional<TimePoint> deadline() const;

  // Calls FUNCTION once when the context is cancelled: at once if it already is.
  [[nodiscard]] Subscription OnCancel(std::function<void()> function) const;
  // Returns when the context is cancelled.
  Co<void> Cancelled() const;

  static long live();  // contexts in this process; a metric

 private:
  friend class JoinContext;
  struct State;
  explicit Context(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// A context with two parents, such as "the task is killed" and "the agent shuts down". It ends with
// the first parent that ends, and at the latest with its scope. So no work under it outlives the
// scope.
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

// Sleeps for DURATION. If the context ends first, returns its error.
Co<Status> Sleep(Context context, Duration duration);

}  // namespace drover
