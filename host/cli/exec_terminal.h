// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <termios.h>

#include <optional>

#include "host/base/unique_fd.h"

namespace drover {

// Sets this program's terminal to raw mode, so that every key reaches a remote program. The
// destructor restores the old mode.
class RawTerminal {
 public:
  // Standard input must be a terminal.
  RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal();

 private:
  std::optional<termios> before_;
};

// A file descriptor for SIGWINCH and for the signals that would end this program. While the object
// lives, these signals have no other effect, so the program can restore its terminal before it
// exits.
class SignalQueue {
 public:
  SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  ~SignalQueue();

  int fd() const { return fd_.get(); }
  // Returns the number of the next signal, or 0 if there is none.
  int Next();

 private:
  UniqueFd fd_;
  sigset_t before_{};
};

}  // namespace drover
