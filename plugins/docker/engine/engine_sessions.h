// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <mutex>
#include <thread>

#include "engine/engine.h"

namespace drover_docker {

// The threads of exec sessions.
struct Engine::Sessions {
  struct Session {
    std::thread thread;
    bool ended = false;  // the thread takes the lock no more
  };
  std::mutex mutex;
  std::list<Session> all;

  // Called with the lock.
  void JoinEnded() {
    for (auto at = all.begin(); at != all.end();) {
      if (!at->ended) {
        ++at;
        continue;
      }
      at->thread.join();
      at = all.erase(at);
    }
  }
  void JoinAll() {
    std::list<Session> ending;
    {
      std::lock_guard<std::mutex> lock(mutex);
      JoinEnded();
      ending.splice(ending.end(), all);
    }
    for (Session& session : ending) session.thread.join();
  }
};

}  // namespace drover_docker
