// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "drover/process.hpp"
#include "engine/address.h"
#include "engine/cancel_token.h"

namespace drover_docker {

using SteadyTime = std::chrono::steady_clock::time_point;

// Returns the time AFTER from now on. An AFTER of 0 means never.
SteadyTime DeadlineAfter(drover::Duration after);

// Waits until FD has one of EVENTS (of poll), or until DEADLINE. FD may be -1. Returns the events;
// 0 at the deadline. Throws Error(kCancelled) if one of the tokens is cancelled; SECOND may be
// null.
short WaitFor(int fd, short events, SteadyTime deadline, const CancelToken& cancel,
              const CancelToken* second = nullptr);

// One connection to an engine, with or without TLS. Only one thread may use it at a time.
class Connection {
 public:
  enum class Io { kDone, kWantRead, kWantWrite, kEnd };
  struct IoResult {
    Io io = Io::kDone;
    std::size_t size = 0;  // the bytes that were read or written if IO is kDone
  };

  // Connects to ADDRESS, with the handshake of TLS. Throws Error(kUnavailable) with the address and
  // the reason, Error(kTimeout) at DEADLINE, and Error(kCancelled). Each is recoverable but the
  // last.
  static std::unique_ptr<Connection> Open(const EngineAddress& address, SteadyTime deadline,
                                          const CancelToken& cancel, const CancelToken* second);
  virtual ~Connection() = default;

  // Neither function blocks. An error of the connection is thrown as Error(kUnavailable).
  virtual IoResult Read(char* to, std::size_t size) = 0;
  virtual IoResult Write(std::string_view bytes) = 0;
  // Sends the end of the data in this direction. Never throws.
  virtual void CloseWrite() = 0;
  // Returns whether bytes wait inside the TLS layer, which poll does not see.
  virtual bool pending() const = 0;
  virtual int fd() const = 0;
};

}  // namespace drover_docker
