// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drover/process.hpp"
#include "engine/cancel_token.h"
#include "engine/http_client.h"

namespace drover_docker {

// A command to run in a running container.
struct ExecSpec {
  std::vector<std::string> argv;
  std::vector<std::string> env;  // NAME=value
  std::string user;              // empty: that of the container
  std::string work_dir;
  bool tty = false;
  int width = 0, height = 0;  // of the terminal; 0: not set
  bool privileged = false;
};

// The ends of a session. A missing one is a descriptor that is not open: no input, or output that
// is dropped.
struct ExecStreams {
  drover::Fd input;
  drover::Fd output;
  drover::Fd error;
};

// Carries the bytes between STREAMS and STREAM until the command has closed its output. Output is
// split by frames unless TTY. A reader that has gone away ends only its own direction. Throws
// Error.
void CarrySession(HijackedStream* stream, const ExecStreams& streams, bool tty,
                  const CancelToken& cancel);

}  // namespace drover_docker
