// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/loop_wait.h"

#include <sys/epoll.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>

#include "host/base/context.h"
#include "host/base/unique_fd.h"

namespace drover {
namespace asio = boost::asio;
namespace {

// Returns when SET, an epoll descriptor, can be read, or CONTEXT has ended.
Co<void> Readable(Context context, UniqueFd set) {
  asio::posix::stream_descriptor descriptor(context.loop()->io(), set.Release());
  const Subscription on_cancel = context.OnCancel([&descriptor] {
    boost::system::error_code ignored;
    descriptor.cancel(ignored);
  });
  if (context.cancelled()) co_return;
  constexpr auto as_tuple = asio::as_tuple(asio::use_awaitable);
  [[maybe_unused]] const auto waited =
      co_await descriptor.async_wait(asio::posix::descriptor_base::wait_read, as_tuple);
}

}  // namespace

Status RunUntil(RealLoop* loop, Event* event, const std::vector<int>& fds, Duration most) {
  UniqueFd set(epoll_create1(EPOLL_CLOEXEC));
  if (!set) return ErrnoError(errno, "epoll_create1");
  for (const int fd : fds) {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    // A descriptor that epoll refuses, such as a regular file, can always be read.
    if (fd >= 0 && epoll_ctl(set.get(), EPOLL_CTL_ADD, fd, &wanted) != 0) most = Duration(0);
  }
  Context context = Context(loop).WithTimeout(most);
  const Subscription on_event = event->OnSet([context]() mutable { context.Cancel(); });
  loop->RunToEnd(Readable(context, std::move(set)), kForever);
  return {};
}

}  // namespace drover
