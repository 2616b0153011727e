// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <thread>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Makes a mount namespace whose only mount is its root, an empty and read-only tmpfs. Returns a
// descriptor of the namespace. The namespace exists as long as the descriptor is open or a process
// is in the namespace. It keeps no mount of the host. Fails if the kernel does not let a process
// enter it and build the root of a task there. If the error is recoverable, a later call may
// succeed. Blocks for some milliseconds if the host has thousands of mounts. Needs root and the
// newer system calls for mounts (shim/mount_calls.h).
// [a thread of its own, which stays in that namespace]
Result<UniqueFd> MakeCleanNamespace();

// The clean namespace of a process service. The mount namespace of a run can begin as a copy of
// the clean namespace. Then the time to start the run does not depend on the number of the host's
// mounts. The first call of Get makes the clean namespace. Control thread only.
class CleanNamespace {
 public:
  explicit CleanNamespace(Loop* loop) : loop_(loop) {}
  CleanNamespace(const CleanNamespace&) = delete;
  CleanNamespace& operator=(const CleanNamespace&) = delete;
  ~CleanNamespace();

  // Returns the descriptor of the namespace, which stays open as long as this object exists.
  // Returns -1 if there is no clean namespace; then runs must begin with a copy of the agent's
  // mounts. Fails only if the context ends, with the error of the context.
  Co<Result<int>> Get(Context context);

  // Records that a run could not begin in the namespace, because of the errno ERROR. Later runs use
  // the namespace only if ERROR is a temporary lack of a resource.
  void Failed(int error);

 private:
  struct Making {
    explicit Making(Loop* loop) : done(loop) {}
    Event done;
    Result<UniqueFd> made = UniqueFd();
  };

  void Begin();

  Loop* const loop_;
  std::shared_ptr<Making> making_;  // null before the first Get and after a failure
  std::thread maker_;
  bool possible_ = true;
};

}  // namespace drover
