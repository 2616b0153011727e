// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spawn.h>

namespace drover {

// How posix_spawn starts a program: with no signal blocked, with the default action of each, and as
// the first of a process group of its own. The descriptors are added to actions().
class SpawnAttributes {
 public:
  // With OWN_SESSION the process is the first of a session, too.
  explicit SpawnAttributes(bool own_session = false);
  ~SpawnAttributes();
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;

  posix_spawn_file_actions_t* actions() { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace drover
