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

// Makes a mount namespace that has nothing but an empty, read-only tmpfs as its root. It lives as
// long as the descriptor is open, or a process is in it, and keeps no mount of the host. Fails
// where the kernel would not let a process enter it and build the root of a task there: a
// recoverable error is one of this moment. Blocks, some milliseconds where the host has thousands
// of mounts. Needs root and the newer calls for mounts. [a thread of its own: it leaves the caller
// in that namespace]
Result<UniqueFd> MakeCleanNamespace();

// The clean namespace of a process service: a run whose namespaces begin as a copy of it costs the
// same whatever is mounted on the host. Made when it is first asked for. Control thread only.
class CleanNamespace {
 public:
  explicit CleanNamespace(Loop* loop) : loop_(loop) {}
  CleanNamespace(const CleanNamespace&) = delete;
  CleanNamespace& operator=(const CleanNamespace&) = delete;
  ~CleanNamespace();

  // A descriptor that stays open as long as this object; -1: there is none, and runs begin with a
  // copy of what the agent has. An error is that of the context.
  Co<Result<int>> Get(Context context);

  // A run could not begin there, with this errno. Later ones do not try it, unless the machine
  // lacked something.
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
