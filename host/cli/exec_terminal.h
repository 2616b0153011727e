// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <termios.h>

#include <optional>

#include "host/base/unique_fd.h"

namespace drover {

// The terminal of this program while another one far away has it: every key goes there. Given back
// by the destructor.
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

// SIGWINCH, and the signals that end this program, as a descriptor: while it is there they do
// nothing else, so that a terminal is given back.
class SignalQueue {
 public:
  SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  ~SignalQueue();

  int fd() const { return fd_.get(); }
  // The next one that has come; 0 for none.
  int Next();

 private:
  UniqueFd fd_;
  sigset_t before_{};
};

}  // namespace drover
