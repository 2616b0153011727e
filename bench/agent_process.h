// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "bench/scratch.h"
#include "host/client/api_client.h"

namespace drover::bench {

// The real agent with its directories in SCRATCH. Callers ask it through its API, as any client
// does. It ends with this object. Aborts when it does not start: there is nothing to measure then.
class AgentProcess {
 public:
  explicit AgentProcess(const Scratch& scratch);
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;
  ~AgentProcess();

  pid_t pid() const { return pid_; }
  const std::string& address() const { return address_; }  // "http://127.0.0.1:PORT"
  // Makes a new connection, for one thread.
  ApiClient Connect() const;
  // Processor time so far, in seconds.
  double CpuSeconds() const;

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::string address_;
};

}  // namespace drover::bench
