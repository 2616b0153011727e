// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "host/base/callback_list.h"

namespace drover {

// Functions to call each time something happens, until their subscription goes. (Those of a
// CallbackList are called once.) Those whose subscription has gone are dropped when there are twice
// as many as there were listeners: what it costs to find them is shared by those that were added.
// Control thread only.
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

  // A listener may add, cancel, or destroy this list meanwhile.
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
  std::size_t size() const { return listeners_.size(); }  // with those that were not dropped yet

 private:
  static constexpr std::size_t kLeast = 16;
  struct Listener {
    CallbackList token;  // holds one entry as long as the subscription lives
    std::function<void(Args...)> function;
  };
  void Sweep() {
    // What a function owns may use this list when it goes.
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
