// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/scratch.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include "host/child/self_spawn.h"

namespace drover {
namespace {

bool Remove(const std::string& directory) {
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  return access(directory.c_str(), F_OK) != 0;
}

// Starts the remover process in a session of its own, so that an interrupt of the kit does not end
// the remover. Returns -1 if the remover cannot be started.
pid_t SpawnRemover(const std::string& directory, int input) {
  SelfSpawn self;
  self.arguments = {kScratchArgument, directory};
  self.environment = OwnEnvironment();
  self.descriptors = {{input, 0}};
  self.own_session = true;
  const Result<pid_t> pid = SpawnSelf(std::move(self));
  return pid.ok() ? *pid : -1;
}

}  // namespace

Scratch::Scratch() {
  const char* base = std::getenv("TMPDIR");
  std::string pattern =
      std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/drover-plugin-test-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) return;
  path_ = pattern;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const UniqueFd read_end(ends[0]);
  alive_ = UniqueFd(ends[1]);
  remover_ = SpawnRemover(path_, read_end.get());
}

Scratch::~Scratch() {
  alive_.Reset();
  siginfo_t info{};
  if (remover_ > 0) WaitForChild(remover_, 0, &info);
  // Removes the directory even if the remover could not be started.
  if (!path_.empty()) Remove(path_);
}

int RunScratchRemover(const std::string& directory) {
  std::array<char, 16> buffer{};
  for (ssize_t n; (n = read(0, buffer.data(), buffer.size())) > 0 || (n < 0 && errno == EINTR);) {
  }
  for (int i = 0; i < 100 && !Remove(directory); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return 0;
}

}  // namespace drover
