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

// How a container ended, as far as that is known.
struct ContainerDeath {
  std::string why;  // why the host ended the container; empty: it ended by itself
  int exit_code = -1;
  int signal = 0;
  std::string function;                // the driver's function that was running, or all of them
  std::vector<std::string> backtrace;  // FILE(SYMBOL+OFFSET), innermost first
  std::string output;                  // the last part of the output

  // Returns one line about PLUGIN: "plugin x 1.0 crashed in start (signal 11, Segmentation fault),
  // at ...".
  std::string Text(const std::string& plugin) const;
};

// The process of a container, as the host sees it: its life, its last output and its crash report.
// The driver may have started its tasks as children of this process. When the process ends, these
// children continue.
class ContainerProcess {
 public:
  // Starts this program as a new process, which loads the checked plugin file at PLUGIN_FD. The
  // caller keeps PLUGIN_FD. NAME appears in lists of processes. Blocks as long as it takes to load
  // a program. [any thread]
  static Result<std::unique_ptr<ContainerProcess>> Start(int plugin_fd, const std::string& name);
  ~ContainerProcess();
  ContainerProcess(const ContainerProcess&) = delete;
  ContainerProcess& operator=(const ContainerProcess&) = delete;

  pid_t pid() const { return pid_; }
  // Returns the pidfd of the process, which is readable when the process has ended.
  int pidfd() const { return pidfd_.get(); }
  // Returns the read end of the process's standard output and standard error; it is non-blocking.
  int output_fd() const { return output_.get(); }
  // Returns the host's end of the pair of sockets. Must be called only once.
  UniqueFd TakeSocket() { return std::move(socket_); }

  // Sends a signal to the process through the pidfd, because the pid may belong to another process
  // by now. [any thread]
  void Signal(int number) const;

  // Waits for the end of the process, at most until DEADLINE. Sets all members of DEATH that
  // describe the end. Returns false if the process has not ended, which happens if it hangs in the
  // kernel. The plugin was loaded from a descriptor, so the kernel's frames name /proc/self/fd/N.
  // The backtrace has PATH in the place of that name.
  bool Reap(TimePoint deadline, const std::string& path, ContainerDeath* death);
  // Returns where in the kernel the threads of the process are, if the process does not end: "D
  // do_exit, S futex_wait".
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
