// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "host/base/callback_list.h"

namespace drover {

// Functions to call each time something happens, until their subscription goes. (Those of a
// CallbackList are called once.) Control thread only.
template <typename... Args>
class ListenerList {
 public:
  [[nodiscard]] Subscription Add(std::function<void(Args...)> function) {
    auto listener = std::make_shared<Listener>();
    listener->function = std::move(function);
    Subscription subscription = listener->token.Add([] {});
    listeners_.push_back(std::move(listener));
    return subscription;
  }

  // A listener may add, cancel, or destroy this list meanwhile.
  void Call(Args... args) {
    std::erase_if(listeners_, [](const auto& listener) { return listener->token.empty(); });
    const auto now = listeners_;
    for (const auto& listener : now) {
      if (!listener->token.empty()) listener->function(args...);
    }
  }

  bool empty() const {
    return std::all_of(listeners_.begin(), listeners_.end(),
                       [](const auto& listener) { return listener->token.empty(); });
  }

 private:
  struct Listener {
    CallbackList token;  // holds one entry as long as the subscription lives
    std::function<void(Args...)> function;
  };
  std::vector<std::shared_ptr<Listener>> listeners_;
};

}  // namespace drover
