// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/unique_fd.h"
#include "host/driver/driver.h"

namespace drover {

// This side's ends of the streams of an exec session, as pipes that never wait. Control thread.
class ExecStreams {
 public:
  // The request of COMMAND with the other ends.
  ExecRequest Open(std::vector<std::string> command, bool tty);

  // Writes what fits and takes away what was written; false: the reader is gone.
  bool Write(std::string* text);
  void CloseInput() { input_.Reset(); }

  // Takes in what is there.
  void Drain();
  // The session cannot write any more until somebody reads.
  bool OutputIsFull() const;
  // A stream has not ended yet.
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
