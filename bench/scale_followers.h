// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace drover::bench {

// Clients of the event stream, all on one thread, which reads as cheaply as it can: it has the
// processors that the agent has.
class Followers {
 public:
  // COUNT of them at ADDRESS, "http://127.0.0.1:PORT", for what QUERY chooses. What they read goes
  // to TAKE, on their thread; without it the kernel drops the bytes, which nobody copies then.
  // Aborts when the agent turns one away.
  Followers(const std::string& address, const std::string& query, int count,
            std::function<void(std::string_view)> take = nullptr);
  Followers(const Followers&) = delete;
  Followers& operator=(const Followers&) = delete;
  ~Followers();

  // Processor time of their thread so far, in seconds.
  double CpuSeconds() const;
  // What they have read so far.
  std::uint64_t bytes() const { return bytes_; }
  // How many the agent has closed, since they had lost events.
  int closed() const { return closed_; }

 private:
  void Read();
  void ReadOne(int socket);

  int epoll_ = -1;
  std::vector<int> sockets_;
  std::vector<char> buffer_;
  std::atomic<bool> over_{false};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<int> closed_{0};
  const std::function<void(std::string_view)> take_;
  std::thread reading_;
};

}  // namespace drover::bench
