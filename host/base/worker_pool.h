// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "host/base/co.h"

namespace drover {

// A few threads for work that blocks, such as walking directories, reading files and hashing. Such
// work must use only the arguments of its function.
class WorkerPool {
 public:
  explicit WorkerPool(int threads) : pool_(static_cast<std::size_t>(threads)) {}

  // Runs FUNCTION on a pool thread. Afterwards the awaiting coroutine continues on its own thread.
  // The call cannot be cancelled and returns only after FUNCTION. [any thread with a loop]
  Co<void> Do(std::function<void()> function);

  // Like Do, for a function with a result.
  template <typename F>
  Co<std::invoke_result_t<F&>> Run(F function) {
    std::optional<std::invoke_result_t<F&>> result;
    co_await Do([&result, &function] { result.emplace(function()); });
    co_return std::move(*result);
  }

  // Waits for all work that the pool has received so far. The program calls this function at its
  // end. In contrast, the destructor waits only for work that has begun, and drops all other work.
  void Join() { pool_.join(); }

 private:
  boost::asio::thread_pool pool_;
};

}  // namespace drover
