// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace drover::bench {

// Clients of the event stream, all on one thread.
class Followers {
 public:
  // COUNT of them at ADDRESS, "http://127.0.0.1:PORT", for what QUERY chooses. What they read goes
  // to TAKE, on their thread. Aborts when the agent turns one away, or loses one.
  Followers(const std::string& address, const std::string& query, int count,
            std::function<void(std::string_view)> take);
  Followers(const Followers&) = delete;
  Followers& operator=(const Followers&) = delete;
  ~Followers();

 private:
  void Read();

  int epoll_ = -1;
  std::vector<int> sockets_;
  std::atomic<bool> over_{false};
  const std::function<void(std::string_view)> take_;
  std::thread reading_;
};

}  // namespace drover::bench
