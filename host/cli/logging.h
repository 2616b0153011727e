// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace drover {

// Sends the program's own log to standard error: output is for results. LEVEL and FORMAT are those
// of the configuration: trace, debug, info, warn or error; text or json.
void SetUpLogging(const std::string& level, const std::string& format = "text");

// While it lives, a thread writes the log, so that nobody waits for whoever reads it: not the
// control thread, and no kill. At its end, or when the process dies by a fatal signal, what waits
// is written, as far as somebody reads. After SetUpLogging, and after all forks without exec.
class LogThread {
 public:
  LogThread();
  LogThread(const LogThread&) = delete;
  LogThread& operator=(const LogThread&) = delete;
  ~LogThread();
};

}  // namespace drover
