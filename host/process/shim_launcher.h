// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

struct ProcessServiceOptions;
struct StartMessage;
class SupervisedRun;

// Starts the shims of new runs. Control thread only.
class ShimLauncher {
 public:
  // Opens what all shims start with. Of OPTIONS, a launcher uses the cgroup of the shims and the
  // initial soft limits.
  static Result<ShimLauncher> Open(Loop* loop, const ProcessServiceOptions& options);

  // Sends MESSAGE into a socket and starts the shim of RUN, which then reads the message. RUN
  // follows the shim from then on. After an error there is no shim.
  Status Launch(const StartMessage& message, SupervisedRun* run) const;

 private:
  explicit ShimLauncher(Loop* loop) : loop_(loop) {}

  Loop* loop_;
  UniqueFd image_;
  UniqueFd null_device_;
  UniqueFd cgroup_;  // empty: shims are started in the cgroup of the agent
  std::uint64_t open_files_ = 0;
  std::optional<std::uint64_t> core_bytes_;
};

}  // namespace drover
