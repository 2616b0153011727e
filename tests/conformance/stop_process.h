// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace drover {

// Whether each thread of a process stands still after a SIGSTOP: they stop one after the other.
inline bool HasStopped(pid_t pid) {
  std::error_code error;
  for (const auto& thread :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    std::ifstream file(thread.path() / "stat");
    std::string line;
    std::getline(file, line);
    if (line.find(") T ") == std::string::npos) return false;
  }
  return !error;
}

}  // namespace drover
