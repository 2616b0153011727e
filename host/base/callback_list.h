// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

namespace drover {

// Functions to call once when something happens, in the order in which they were added. Control
// thread only.
class CallbackList {
 public:
  // Removes the function when it is destroyed; may outlive the list.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(Subscription&& other) noexcept = default;
    Subscription& operator=(Subscription&& other) noexcept {
      Cancel();
      functions_ = std::move(other.functions_);
      id_ = other.id_;
      return *this;
    }
    ~Subscription() { Cancel(); }
    void Cancel() {
      if (auto functions = functions_.lock()) functions->erase(id_);
      functions_.reset();
    }

   private:
    friend class CallbackList;
    std::weak_ptr<std::map<std::uint64_t, std::function<void()>>> functions_;
    std::uint64_t id_ = 0;
  };

  [[nodiscard]] Subscription Add(std::function<void()> function) {
    Subscription subscription;
    subscription.functions_ = functions_;
    subscription.id_ = next_id_++;
    functions_->emplace(subscription.id_, std::move(function));
    return subscription;
  }

  // Calls and removes all functions. One that is added or cancelled meanwhile is not called.
  void Fire() {
    const auto functions = functions_;  // a function may destroy this list
    const std::uint64_t end = next_id_;
    while (!functions->empty() && functions->begin()->first < end) {
      auto node = functions->extract(functions->begin());
      node.mapped()();
    }
  }

  bool empty() const { return functions_->empty(); }

 private:
  std::shared_ptr<std::map<std::uint64_t, std::function<void()>>> functions_ =
      std::make_shared<std::map<std::uint64_t, std::function<void()>>>();
  std::uint64_t next_id_ = 1;
};

using Subscription = CallbackList::Subscription;

}  // namespace drover
