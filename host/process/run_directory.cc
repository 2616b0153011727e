// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/run_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "host/base/durable_step.h"

namespace drover {

Result<std::string> RunDirectoryPath(std::string path) {
  if (!path.empty()) return path;
  if (geteuid() == 0) return std::string("/run/drover");
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  if (!runtime || *runtime != '/')
    return Error(Code::kFailedPrecondition,
                 "XDG_RUNTIME_DIR is not set: set it or configure client.run_dir, a directory on a "
                 "tmpfs for the sockets of running tasks");
  return std::string(runtime) + "/drover";
}

Result<UniqueFd> OpenRunDirectory(std::string path) {
  DROVER_ASSIGN(path, RunDirectoryPath(std::move(path)));
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return ErrnoError(errno, "cannot make the run directory " + path);
  UniqueFd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (!directory || fstat(directory.get(), &status) != 0)
    return ErrnoError(errno, "cannot open the run directory " + path);
  if (status.st_uid != geteuid() || (status.st_mode & 077) != 0)
    return Error(Code::kPermissionDenied, "the run directory " + path + " must belong to user " +
                                              std::to_string(geteuid()) +
                                              " and have mode 0700: others could pose as "
                                              "supervisors of tasks");
  return directory;
}

Status ForgetEnd(int run_directory, const RunId& run, bool clean) {
  return DurableStep(Step::kForgetEnd, [&] {
    for (const char* suffix : {".exit", ".sock", ".tmp"}) {
      unlinkat(run_directory, (run.Short() + suffix).c_str(), 0);
      if (clean) break;
    }
    return Status();
  });
}

}  // namespace drover
