// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/context.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "host/base/event.h"
#include "host/base/live_count.h"

namespace drover {

struct Context::State : LiveCount<Context::State> {
  explicit State(Loop* on) : loop(on) {}
  ~State() { StopTimer(); }

  void End(Error reason) {
    if (error) return;
    error = std::move(reason);
    StopTimer();
    callbacks.Fire();
  }
  // StopTimer must not use the loop of a context without a timer, because the loop may already be
  // destroyed.
  void StopTimer() {
    if (timer != 0) loop->Cancel(std::exchange(timer, 0));
  }

  Loop* loop;
  std::optional<Error> error;
  std::optional<TimePoint> deadline;
  Loop::TimerId timer = 0;
  CallbackList callbacks;
  std::vector<std::pair<std::shared_ptr<State>, Subscription>> parents;
};

namespace {

// Makes CHILD end when PARENT ends.
template <typename State>
void Bind(const std::shared_ptr<State>& child, const std::shared_ptr<State>& parent) {
  if (parent->deadline) {
    child->deadline =
        child->deadline ? std::min(*child->deadline, *parent->deadline) : *parent->deadline;
  }
  if (parent->error) {
    child->End(*parent->error);
    return;
  }
  std::weak_ptr<State> weak = child;
  State* from = parent.get();
  child->parents.emplace_back(parent, parent->callbacks.Add([weak, from] {
    if (auto state = weak.lock()) state->End(*from->error);
  }));
}

}  // namespace

Context::Context(Loop* loop) : state_(std::make_shared<State>(loop)) {}

Loop* Context::loop() const { return state_->loop; }

Context Context::Child() const {
  auto child = std::make_shared<State>(state_->loop);
  Bind(child, state_);
  return Context(std::move(child));
}

Context Context::WithDeadline(TimePoint deadline) const {
  Context child = Child();
  State* state = child.state_.get();
  if (state->error) return child;
  state->deadline = state->deadline ? std::min(*state->deadline, deadline) : deadline;
  std::weak_ptr<State> weak = child.state_;
  state->timer = state->loop->At(deadline, [weak] {
    if (auto alive = weak.lock()) {
      alive->timer = 0;
      alive->End(Error(Code::kTimeout, "the deadline has passed"));
    }
  });
  return child;
}

void Context::Cancel(std::string reason) { CancelWith(Error(Code::kCancelled, std::move(reason))); }

void Context::CancelWith(Error reason) {
  const auto state = state_;  // a callback may destroy this Context
  state->End(std::move(reason));
}

bool Context::cancelled() const { return state_->error.has_value(); }

Status Context::status() const {
  if (state_->error) return *state_->error;
  return {};
}

std::optional<TimePoint> Context::deadline() const { return state_->deadline; }

Subscription Context::OnCancel(std::function<void()> function) const {
  if (state_->error) {
    function();
    return {};
  }
  return state_->callbacks.Add(std::move(function));
}

Co<void> Context::Cancelled() const {
  const Context self = *this;
  Event event(self.loop());
  const Subscription subscription = self.OnCancel([&event] { event.Set(); });
  co_await event.Wait();
}

long Context::live() { return State::live(); }

JoinContext::JoinContext(const Context& first, const Context& second) : context_(first.Child()) {
  if (!context_.state_->error) Bind(context_.state_, second.state_);
}

Co<Status> Sleep(Context context, Duration duration) {
  Event event(context.loop());
  const Loop::TimerId timer = context.loop()->After(duration, [&event] { event.Set(); });
  Status status = co_await event.Wait(context);
  context.loop()->Cancel(timer);
  co_return status;
}

}  // namespace drover
