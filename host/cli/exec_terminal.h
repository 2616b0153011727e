// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <termios.h>

#include <optional>

#include "host/base/unique_fd.h"

namespace drover {

// The terminal of this program while a program far away has it: every key goes there. The
// destructor restores it.
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

// SIGWINCH, and the signals that would end this program, as a descriptor. They do nothing else
// while the object lives, so that a terminal can be restored.
class SignalQueue {
 public:
  SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  ~SignalQueue();

  int fd() const { return fd_.get(); }
  // The next signal; 0 for none.
  int Next();

 private:
  UniqueFd fd_;
  sigset_t before_{};
};

}  // namespace drover
