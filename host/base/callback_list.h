// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace drover {

// A list of functions that are called once when something happens, in the order in which they were
// added. An empty list allocates no memory, because most lists are empty most of the time. Control
// thread only.
class CallbackList {
  using Functions = std::map<std::uint64_t, std::function<void()>>;

 public:
  // Owns one function of the list. The destructor of the subscription removes the function from the
  // list. A subscription may outlive the list.
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
    std::weak_ptr<Functions> functions_;
    std::uint64_t id_ = 0;
  };

  [[nodiscard]] Subscription Add(std::function<void()> function) {
    if (functions_ == nullptr) functions_ = std::make_shared<Functions>();
    Subscription subscription;
    subscription.functions_ = functions_;
    subscription.id_ = next_id_++;
    functions_->emplace(subscription.id_, std::move(function));
    return subscription;
  }

  // Calls and removes all functions. If a called function adds or cancels another function, this
  // Fire does not call that other function.
  void Fire() {
    const auto functions = std::exchange(functions_, nullptr);  // a function may destroy this list
    while (functions != nullptr && !functions->empty()) {
      auto node = functions->extract(functions->begin());
      node.mapped()();
    }
  }

  bool empty() const { return functions_ == nullptr || functions_->empty(); }

 private:
  // Null if no function has been added since the last Fire.
  std::shared_ptr<Functions> functions_;
  std::uint64_t next_id_ = 1;
};

using Subscription = CallbackList::Subscription;

}  // namespace drover
