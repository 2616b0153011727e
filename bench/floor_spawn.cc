// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/floor_spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <deque>

#include "host/process/small_file.h"
#include "shim/attach_protocol.h"

namespace drover::bench {

FloorSpawn::FloorSpawn(const Scratch& scratch, std::string holder) : holder_(std::move(holder)) {
  const std::string directory = scratch.run_dir() + "/floor";
  DROVER_CHECK(mkdir(directory.c_str(), 0700) == 0);
  const UniqueFd opened(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Away from the numbers that the holder gets.
  records_ = UniqueFd(fcntl(opened.get(), F_DUPFD_CLOEXEC, 10));
  DROVER_CHECK(records_.get() >= 0);
  Result<std::unique_ptr<CgroupTracker>> tracker = CgroupTracker::Open("");
  if (tracker.ok()) tracker_ = std::move(*tracker);
}

FloorSpawn::Running FloorSpawn::Start() {
  Running running;
  running.run = RunId::Random();
  if (directories_ != nullptr) directories_->Make(running.run.ToString());
  UniqueFd cgroup;
  if (tracker_) {
    Result<UniqueFd> made = tracker_->Create(running.run);
    DROVER_CHECK(made.ok());
    cgroup = UniqueFd(fcntl(made->get(), F_DUPFD_CLOEXEC, 10));
  }
  char* argv[] = {holder_.data(), nullptr};
  char* envp[] = {nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (cgroup) posix_spawn_file_actions_adddup2(&actions, cgroup.get(), 4);
  posix_spawn_file_actions_adddup2(&actions, records_.get(), 3);
  DROVER_CHECK(posix_spawn(&running.pid, holder_.c_str(), &actions, nullptr, argv, envp) == 0);
  posix_spawn_file_actions_destroy(&actions);
  return running;
}

void FloorSpawn::Finish(const Running& running) {
  siginfo_t info{};
  DROVER_CHECK(waitid(P_PID, static_cast<id_t>(running.pid), &info, WEXITED) == 0);
  DROVER_CHECK(info.si_code == CLD_EXITED && info.si_status == 0);
  const std::string name = std::to_string(running.pid);
  const auto record = ReadSmallFile(records_.get(), name.c_str());
  DROVER_CHECK(record && record->size() == sizeof(drover_exit_record));
  DROVER_CHECK(unlinkat(records_.get(), name.c_str(), 0) == 0);
  DROVER_CHECK(!tracker_ || tracker_->Remove(running.run));
  if (directories_ != nullptr) directories_->Remove(running.run.ToString());
}

double FloorSpawn::Run(int tasks, int in_flight) {
  const auto start = std::chrono::steady_clock::now();
  int started = 0;
  std::deque<Running> running;
  while (started < tasks || !running.empty()) {
    while (started < tasks && static_cast<int>(running.size()) < in_flight) {
      running.push_back(Start());
      ++started;
    }
    Finish(running.front());
    running.pop_front();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace drover::bench
