// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "host/base/callback_list.h"

namespace drover {

// A list of functions that are called each time something happens, as long as their subscriptions
// live. (A CallbackList calls its functions only once.) Call removes cancelled functions. Add also
// removes them each time the number of functions has doubled since the last removal. So the cost
// of removals per Add is constant on average. Control thread only.
template <typename... Args>
class ListenerList {
 public:
  [[nodiscard]] Subscription Add(std::function<void(Args...)> function) {
    if (listeners_.size() >= sweep_at_) {
      Sweep();
      sweep_at_ = std::max(kLeast, 2 * listeners_.size());
    }
    auto listener = std::make_shared<Listener>();
    listener->function = std::move(function);
    Subscription subscription = listener->token.Add([] {});
    listeners_.push_back(std::move(listener));
    return subscription;
  }

  // Calls all functions. A function may add or cancel listeners, or destroy this list.
  void Call(Args... args) {
    Sweep();
    const auto now = listeners_;
    for (const auto& listener : now) {
      if (!listener->token.empty()) listener->function(args...);
    }
  }

  bool empty() const {
    return std::all_of(listeners_.begin(), listeners_.end(),
                       [](const auto& listener) { return listener->token.empty(); });
  }
  // The number of listeners, including cancelled listeners that are not removed yet.
  std::size_t size() const { return listeners_.size(); }

 private:
  static constexpr std::size_t kLeast = 16;
  struct Listener {
    CallbackList token;  // not empty as long as the subscription lives
    std::function<void(Args...)> function;
  };
  void Sweep() {
    // The removed listeners live until the end of this function, because the destructor of a
    // listener's function may use this list.
    std::vector<std::shared_ptr<Listener>> gone;
    std::erase_if(listeners_, [&gone](auto& listener) {
      if (!listener->token.empty()) return false;
      gone.push_back(std::move(listener));
      return true;
    });
  }

  std::vector<std::shared_ptr<Listener>> listeners_;
  std::size_t sweep_at_ = kLeast;
};

}  // namespace drover
