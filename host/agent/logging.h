// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace drover {

// Sends the program's own log to standard error; standard output is for results. LEVEL is trace,
// debug, info, warn or error, FORMAT is text or json, as in the configuration.
void SetUpLogging(const std::string& level, const std::string& format = "text");

// While it lives, a thread of its own writes the log, so a slow reader delays neither the control
// thread nor a kill. Lines that still wait are written at its end, and when the process dies by a
// fatal signal, as far as somebody reads them. Make it after SetUpLogging and after all forks
// without exec.
class LogThread {
 public:
  LogThread();
  LogThread(const LogThread&) = delete;
  LogThread& operator=(const LogThread&) = delete;
  ~LogThread();
};

}  // namespace drover
