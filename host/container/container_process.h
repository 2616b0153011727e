// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/base/unique_fd.h"

namespace drover {

// How a container ended, as far as it can be known.
struct ContainerDeath {
  std::string why;  // what the host had against it; empty: it ended by itself
  int exit_code = -1;
  int signal = 0;
  std::string function;                // of the driver, where it was
  std::vector<std::string> backtrace;  // FILE(SYMBOL+OFFSET), innermost first
  std::string output;                  // the last of what it wrote

  // "plugin x 1.0 crashed in start (signal 11, Segmentation fault), at ...": one line about PLUGIN.
  std::string Text(const std::string& plugin) const;
};

// The process of a container, from outside: its life, its last output and its last words. Its
// children are its own: a driver may have made its tasks itself, and they go on.
class ContainerProcess {
 public:
  // Starts this program again with the checked file at PLUGIN_FD, which is not consumed. NAME is
  // for lists of processes. Blocks for as long as a program takes to be loaded. [any thread]
  static Result<std::unique_ptr<ContainerProcess>> Start(int plugin_fd, const std::string& name);
  ~ContainerProcess();
  ContainerProcess(const ContainerProcess&) = delete;
  ContainerProcess& operator=(const ContainerProcess&) = delete;

  pid_t pid() const { return pid_; }
  // Readable when it has ended.
  int pidfd() const { return pidfd_.get(); }
  // Its standard output and standard error; non-blocking.
  int output_fd() const { return output_.get(); }
  // The host's end of the pair of sockets; once.
  UniqueFd TakeSocket() { return std::move(socket_); }

  // Only ever by the pidfd: its number may be another's by now. [any thread]
  void Signal(int number) const;

  // Waits for the end, at most until DEADLINE, and reports it: signal or code, function, backtrace.
  // False: it has not ended, which a process cannot that hangs in the kernel. PATH stands in the
  // backtrace for the descriptor from which the code was loaded.
  bool Reap(TimePoint deadline, const std::string& path, ContainerDeath* death);
  // Where its threads are in the kernel, for a process that does not end: "D do_exit, S
  // futex_wait".
  std::string KernelPlaces() const;

 private:
  ContainerProcess() = default;

  pid_t pid_ = 0;
  bool reaped_ = false;
  UniqueFd pidfd_;
  UniqueFd output_;
  UniqueFd crash_;
  UniqueFd socket_;
};

}  // namespace drover
