// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/durable_step.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

constexpr std::string_view kNames[] = {"ledger_add",
                                       "ledger_remove",
                                       "commit",
                                       "sync",
                                       "make_alloc_dir",
                                       "make_task_dir",
                                       "remove_alloc_dir",
                                       "make_cgroup",
                                       "launch_shim",
                                       "remove_cgroup",
                                       "forget_end",
                                       "keep_network",
                                       "drop_network",
                                       "make_limits",
                                       "mount_secrets",
                                       "make_ledger",
                                       "forget_ledger",
                                       "replace_store",
                                       "drop_secrets",
                                       "try_cgroup",
                                       "make_seal_key",
                                       "render_file",
                                       "note_network",
                                       "join_network",
                                       "leave_network",
                                       "forget_network",
                                       "make_network_files",
                                       "drop_network_files",
                                       "make_volume",
                                       "remove_volume",
                                       "move_disk",
                                       "fetch_artifact",
                                       "place_artifact",
                                       "cache_artifact",
                                       "take_back_task_dir",
                                       "limit_disk",
                                       "name_process",
                                       "forget_names",
                                       "make_place",
                                       "remove_place"};
static_assert(std::size(kNames) == kSteps);

const std::string& TestDirectory() {
  static const auto& directory = *new std::string([] {
    const char* const given = std::getenv("DROVER_TEST_STEPS");
    return given == nullptr ? "" : given;
  }());
  return directory;
}

// Reads the name of a step, a number N and a way to fail from the file "fault" (durable_step.h).
// Returns the way if the fault applies to this call, otherwise an empty text. The fault applies if
// NAME is the name in the file, and if the step NAME has begun N times. At the end of a step
// (BEGINS is false), the step may also have begun more often, because steps may overlap.
std::string WayOfFault(std::string_view name, bool begins) {
  static std::mutex& mutex = *new std::mutex;  // allows only one thread at a time to use the files
  const std::lock_guard lock(mutex);
  const std::string trace = TestDirectory() + "/trace";
  if (begins) {
    const UniqueFd file(open(trace.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    const std::string line = std::string(name) + "\n";
    if (write(file.get(), line.data(), line.size()) < 0) return "";
  }
  std::string wanted;
  std::string way;
  std::ptrdiff_t number = 0;
  if (!(std::ifstream(TestDirectory() + "/fault") >> wanted >> number >> way)) return "";
  std::ifstream seen(trace);
  const std::istream_iterator<std::string> lines(seen);
  const std::ptrdiff_t begun = std::count(lines, {}, wanted);
  const bool reached = begins ? begun == number : begun >= number;
  return wanted == name && reached ? way : "";
}

void Die() {
  kill(getpid(), SIGKILL);
  while (true) pause();
}

}  // namespace

std::string_view StepName(Step step) { return kNames[static_cast<int>(step) - 1]; }

Status BeginStep(Step step) {
  if (TestDirectory().empty()) return {};
  const std::string way = WayOfFault(StepName(step), true);
  if (way == "before") Die();
  for (const int error : {ENOSPC, EIO}) {
    if (way == strerrorname_np(error))
      return ErrnoError(error, "step " + std::string(StepName(step)) + ", as the test requested");
  }
  return {};
}

void EndStep(Step step) {
  if (!TestDirectory().empty() && WayOfFault(StepName(step), false) == "after") Die();
}

}  // namespace drover
