// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "host/base/file_lock.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

inline constexpr int kLockOfPlugin = 3;  // the number that the lock has as a plugin's descriptor

// Returns a process that has inherited the lock FILE as a plugin does, such as "process 71 (ipam)".
// Empty if none is found. [any thread]
std::string LockHolder(int file);

// Keeps all others from the network of one allocation. The plugins that are called inherit the
// lock. So after a kill of the agent, the next agent waits until those that still run have ended.
class NetworkLock {
 public:
  // Waits for at most 40 s, which is longer than a plugin may run, and until STOP can be read,
  // which may be -1. Blocks. [any thread]
  static Result<NetworkLock> Take(const std::string& path, int stop = -1);

  int descriptor() const { return lock_.file(); }
  // Removes the file, after the network is gone.
  void Remove();
  // Returns whether somebody has the lock, or had it when the agent was killed.
  static bool IsThere(const std::string& path);
  // Removes the file PATH, unless somebody has the lock.
  static void RemoveFree(const std::string& path);

 private:
  NetworkLock(std::string path, UniqueFd file) : path_(std::move(path)), lock_(std::move(file)) {}

  std::string path_;
  FileLock lock_;
};

}  // namespace drover
