// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/exec_terminal.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace drover {

RawTerminal::RawTerminal() {
  termios now{};
  if (tcgetattr(STDIN_FILENO, &now) != 0) return;
  before_ = now;
  cfmakeraw(&now);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
}

RawTerminal::~RawTerminal() {
  if (before_) tcsetattr(STDIN_FILENO, TCSADRAIN, &*before_);
}

SignalQueue::SignalQueue() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGWINCH, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  fd_.Reset(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalQueue::~SignalQueue() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

int SignalQueue::Next() {
  signalfd_siginfo info{};
  const ssize_t size = read(fd_.get(), &info, sizeof info);
  return size == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace drover
