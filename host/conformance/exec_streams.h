// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/unique_fd.h"
#include "host/driver/driver.h"

namespace drover {

// The kit's ends of the streams of an exec session. The ends are non-blocking pipes. Control thread
// only.
class ExecStreams {
 public:
  // Returns the request to run COMMAND. The request contains the session's ends of the streams.
  ExecRequest Open(std::vector<std::string> command, bool tty);

  // Writes as much of TEXT as the pipe accepts, and removes the written part from TEXT. Returns
  // false if the pipe has no reader any more.
  bool Write(std::string* text);
  void CloseInput() { input_.Reset(); }

  // Reads all output that has arrived so far.
  void Drain();
  // Returns true if the session cannot write until the kit reads.
  bool OutputIsFull() const;
  // Returns true if a stream has not ended yet.
  bool open() const { return output_.valid() || error_.valid(); }

  const std::string& out() const { return out_; }
  const std::string& err() const { return err_; }

 private:
  UniqueFd input_;
  UniqueFd output_;
  UniqueFd error_;
  std::string out_;
  std::string err_;
};

}  // namespace drover
