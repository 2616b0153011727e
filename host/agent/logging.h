// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/config/agent_config.h"

namespace drover {

// Sends the program's own log to standard error, since standard output is for results. As in the
// configuration, LEVEL is trace, debug, info, warn or error, and FORMAT is text or json.
void SetUpLogging(const std::string& level, const std::string& format = "text");

// Sends the log to FILE, too, in the same FORMAT. Call it after SetUpLogging and before LogThread.
Status AddLogFile(const AgentConfig::LogFile& file, const std::string& format);

// While this object lives, a separate thread writes the log. So a slow reader of the log delays
// neither the control thread nor a kill. Lines that still wait are written when the object is
// destroyed, and when a fatal signal ends the process, as far as somebody reads the log. Make the
// object after SetUpLogging. All forks that execute no other program must happen before the object
// is made.
class LogThread {
 public:
  LogThread();
  LogThread(const LogThread&) = delete;
  LogThread& operator=(const LogThread&) = delete;
  ~LogThread();
};

}  // namespace drover
