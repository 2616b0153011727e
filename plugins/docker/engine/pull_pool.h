// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "drover/types.hpp"
#include "engine/cancel_token.h"
#include "engine/connection.h"
#include "engine/pull_progress.h"

namespace drover_docker {

struct PullLimits {
  drover::Duration silence = std::chrono::minutes(2);  // the longest time without any progress
  drover::Duration total{0};                           // image_pull_timeout; 0: no limit
};

// Pulls each image once, for all who wait for it at the same time. A pull runs on a thread of its
// own, at most MOST at a time; the others wait in order. It is cancelled when nobody waits for it
// any more. [any-thread]
class PullPool {
 public:
  // Pulls one image and returns its id. It blocks, reports progress, and ends soon after the
  // cancellation. It throws Error.
  using Pull = std::function<std::string(const PullCallback& report, const CancelToken& cancel)>;

  explicit PullPool(unsigned most = 3);
  PullPool(const PullPool&) = delete;
  PullPool& operator=(const PullPool&) = delete;
  // Cancels all pulls and joins their threads.
  ~PullPool();

  // Returns the id of the image KEY. If nobody pulls it, PULL does so. REPORT gets the progress on
  // this thread, at most four times a second; it may be null. Throws the error of the pull
  // as an Error, not as a class of its own; Error(kCancelled); and a recoverable Error(kTimeout) if
  // the limits are exceeded. The time in which a pull waits for its turn does not count as silence.
  //
  // KEY must name the registry's answer: the reference and a digest of the authentication, so that
  // nobody gets an image by the rights of another job.
  std::string Get(const std::string& key, Pull pull, const PullLimits& limits,
                  const PullCallback& report, const CancelToken& cancel);

  // Returns the number of pulls that run or wait.
  std::size_t size() const;

 private:
  struct Work;
  void StartSome();
  void Run(const std::shared_ptr<Work>& work);
  void JoinEnded();

  const unsigned most_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Work>> open_;
  std::vector<std::shared_ptr<Work>> queue_;
  std::vector<std::shared_ptr<Work>> threads_;  // whose threads are not joined
  unsigned running_ = 0;
  bool closed_ = false;
};

}  // namespace drover_docker
