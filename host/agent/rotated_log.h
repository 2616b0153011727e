// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "host/base/log_writer.h"
#include "host/base/time.h"
#include "host/base/unique_fd.h"
#include "host/config/agent_config.h"

namespace drover {

// The file of the program's own log. If a line would make it too long, or if it is too old, the
// file is renamed from NAME.log to NAME-TIME.log, where TIME is in nanoseconds since 1970, and a
// new file begins. A line that the disk does not take, or only its beginning, is lost in the file;
// the line after it begins at a new line. [any thread]
class RotatedLog : public LogTarget {
 public:
  // NOW returns the wall clock.
  static Result<std::unique_ptr<RotatedLog>> Open(AgentConfig::LogFile options,
                                                  std::function<WallTime()> now);

  bool HasRoom(int wait_ms) override;
  bool WriteSome(std::string_view* text) override;

 private:
  RotatedLog(AgentConfig::LogFile options, std::function<WallTime()> now);
  Status OpenFile();
  void Rotate();
  void RemoveOld() const;

  const AgentConfig::LogFile options_;
  const std::function<WallTime()> now_;
  std::mutex mutex_;
  UniqueFd fd_;
  std::int64_t size_ = 0;
  WallTime begun_ = 0;    // when the file was made
  bool in_line_ = false;  // whether the last write ended inside a line
  bool cut_ = false;      // whether the file ends with the beginning of a line whose rest is lost
};

}  // namespace drover
