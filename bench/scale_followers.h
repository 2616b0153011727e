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

// Clients of the event stream, all on one thread. The thread reads as cheaply as it can, since it
// shares the processors with the agent.
class Followers {
 public:
  // Connects COUNT of them to ADDRESS, "http://127.0.0.1:PORT", for the events that QUERY chooses.
  // TAKE gets the bytes that they read, on their thread. Without TAKE the kernel drops the bytes
  // and copies nothing. Aborts when the agent refuses a follower.
  Followers(const std::string& address, const std::string& query, int count,
            std::function<void(std::string_view)> take = nullptr);
  Followers(const Followers&) = delete;
  Followers& operator=(const Followers&) = delete;
  ~Followers();

  // Processor time of their thread so far, in seconds.
  double CpuSeconds() const;
  // The bytes that they have read so far.
  std::uint64_t bytes() const { return bytes_; }
  // How many of them the agent has closed because they had lost events.
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
