// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/event.h"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>

namespace drover {
namespace asio = boost::asio;
namespace {

using Handler = asio::any_completion_handler<void()>;

// Adds a callback to LIST, and suspends the calling coroutine until the callback is called.
// SUBSCRIPTION owns the callback.
Co<void> Suspend(Loop* loop, CallbackList* list, Subscription* subscription) {
  return asio::async_initiate<const asio::use_awaitable_t<>&, void()>(
      [loop, list, subscription](auto handler) {
        auto shared = std::make_shared<Handler>(std::move(handler));
        *subscription = list->Add(
            [loop, shared] { asio::post(loop->io(), [shared] { std::move (*shared)(); }); });
      },
      asio::use_awaitable);
}

}  // namespace

void Event::Set() {
  if (set_) return;
  set_ = true;
  callbacks_.Fire();
}

Subscription Event::OnSet(std::function<void()> function) {
  if (set_) {
    function();
    return {};
  }
  return callbacks_.Add(std::move(function));
}

Co<void> Event::Wait() {
  Subscription subscription;
  if (!set_) co_await Suspend(loop_, &callbacks_, &subscription);
}

Co<Status> Event::Wait(Context context) {
  if (set_) co_return Status();
  CallbackList either;
  const Subscription on_set = OnSet([&either] { either.Fire(); });
  const Subscription on_cancel = context.OnCancel([&either] { either.Fire(); });
  Subscription subscription;
  if (!set_ && !context.cancelled()) co_await Suspend(loop_, &either, &subscription);
  // An event that was set and reset before this coroutine continued counts as set.
  if (set_ || !context.cancelled()) co_return Status();
  co_return context.status();
}

Co<void> NextTurn(Loop* loop) { co_await asio::post(loop->io(), asio::use_awaitable); }

Co<void> WaitAny(Context context, Event* first, Event* second) {
  CallbackList any;
  bool over = false;
  auto fire = [&any, &over] {
    over = true;
    any.Fire();
  };
  const Subscription on_first = first->OnSet(fire);
  const Subscription on_second = second->OnSet(fire);
  const Subscription on_cancel = context.OnCancel(fire);
  Subscription subscription;
  if (!over) co_await Suspend(context.loop(), &any, &subscription);
}

}  // namespace drover
