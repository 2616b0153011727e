// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/worker_pool.h"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace drover {
namespace asio = boost::asio;

Co<void> WorkerPool::Do(std::function<void()> function) {
  const asio::any_io_executor home = co_await asio::this_coro::executor;
  auto initiate = [this, &function, &home](auto handler) {
    auto shared = std::make_shared<asio::any_completion_handler<void()>>(std::move(handler));
    // The work guard keeps the caller's loop running until the loop has received the answer. The
    // function that delivers the answer owns the guard, because the loop may be destroyed as soon
    // as this function is posted.
    asio::post(pool_, [work = std::move(function), shared, home,
                       guard = asio::make_work_guard(home)]() mutable {
      work();
      work = nullptr;
      asio::post(home,
                 [answer = std::move(shared), held = std::move(guard)] { std::move (*answer)(); });
    });
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>&, void()>(initiate,
                                                                        asio::use_awaitable);
}

}  // namespace drover
