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

// Makes a mount namespace whose only mount is its root, an empty and read-only tmpfs. It lives as
// long as the descriptor is open or a process is in it, and keeps no mount of the host. Fails if
// the kernel does not let a process enter it and build the root of a task there; if the error is
// recoverable, another try may succeed. Blocks for some milliseconds if the host has thousands of
// mounts. Needs root and the newer calls for mounts. [a thread of its own, which stays in that
// namespace]
Result<UniqueFd> MakeCleanNamespace();

// The clean namespace of a process service: a run whose namespaces begin as a copy of it costs the
// same whatever is mounted on the host. Made when it is first asked for. Control thread only.
class CleanNamespace {
 public:
  explicit CleanNamespace(Loop* loop) : loop_(loop) {}
  CleanNamespace(const CleanNamespace&) = delete;
  CleanNamespace& operator=(const CleanNamespace&) = delete;
  ~CleanNamespace();

  // Returns a descriptor that stays open as long as this object; -1: there is no clean namespace,
  // and runs begin with a copy of the agent's mounts. The only error is the context's.
  Co<Result<int>> Get(Context context);

  // Reports that a run could not begin there, with this errno. Later runs do not try it, unless the
  // machine only lacked something at that moment.
  void Failed(int error);

 private:
  struct Making {
    explicit Making(Loop* loop) : done(loop) {}
    Event done;
    Result<UniqueFd> made = UniqueFd();
  };

  void Begin();

  Loop* const loop_;
  std::shared_ptr<Making> making_;  // null: not asked for since the last failure
  std::thread maker_;
  bool possible_ = true;
};

}  // namespace drover
