// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "sdk/testhost/end_signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace drover {
namespace {

int g_write_end = -1;

void NoteSignal(int) {
  const int kept = errno;
  (void)!write(g_write_end, "", 1);
  errno = kept;
}

}  // namespace

EndSignals::EndSignals(Loop* loop, Context end) : arrived_(loop->io()) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  arrived_.assign(ends[0]);
  g_write_end = ends[1];
  arrived_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                      [end = std::move(end)](const boost::system::error_code& error) {
                        if (!error) Context(end).Cancel("a signal has ended this host");
                      });
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction action{};
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = NoteSignal;
    // System calls of the driver's threads go on.
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    sigaction(number, &action, nullptr);
  }
}

}  // namespace drover
