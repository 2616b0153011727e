// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/data_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "host/base/owned_path.h"
#include "host/base/time.h"
#include "host/node/node_for_plugins.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

// A user who can write to the data directory, or to a directory above it, could replace the
// agent's files.
constexpr OwnedKind kDataDir{"data directories", "what the agent keeps there",
                             /*own_group_may_write=*/true};
// If the agent is root, tasks of any user must be able to reach their own directories below the
// agent's directories.
const mode_t kMode = geteuid() == 0 ? 0711 : 0700;

// Tries to lock FILE for a while. A child of a killed agent still holds the lock until the child
// has executed another program.
bool LockSoon(int file) {
  constexpr int kTries = 100;
  for (int tries = 0; tries < kTries; ++tries) {
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

// Opens the directory PATH. Sets REAL to its path without symbolic links, since a link might lead
// elsewhere later.
Result<UniqueFd> OpenDirectory(const std::string& path, std::string* real) {
  std::error_code error;
  const std::string whole = fs::absolute(path, error).string();
  return OpenOwned(whole, O_RDONLY | O_DIRECTORY, kDataDir, real);
}

// Makes the directory "alloc" below DIR, unless it exists. The allocation directories are in
// "alloc". PATH is the full path of "alloc".
Status MakeAllocDir(int dir, const std::string& path) {
  if (mkdirat(dir, "alloc", kMode) != 0 && errno != EEXIST) return ErrnoError(errno, path);
  const UniqueFd made(openat(dir, "alloc", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!made && (errno == ELOOP || errno == ENOTDIR)) {
    return Error(Code::kFailedPrecondition,
                 path +
                     " is not a directory: remove it; where allocations are, if it is not there, "
                     "alloc_dir in the block client of the configuration says");
  }
  struct stat info{};
  if (!made || fstat(made.get(), &info) != 0) return ErrnoError(errno, path);
  DROVER_TRY(CheckOwned(path, info, kDataDir));
  if (fchmod(made.get(), kMode) != 0) return ErrnoError(errno, path);
  return {};
}

// Makes a new directory below $TMPDIR and returns its path.
Result<std::string> MakeTemporary() {
  std::error_code error;
  const char* parent = std::getenv("TMPDIR");
  std::string path =
      fs::absolute(parent != nullptr && *parent ? parent : "/tmp", error) / "drover-agent-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return ErrnoError(errno, "a new directory " + path + " (set $TMPDIR, or --data-dir)");
  }
  return path;
}

}  // namespace

Result<DataDir> DataDir::Make(const std::string& path) {
  DataDir dir;
  std::error_code error;
  dir.made_ = path.empty();
  if (dir.made_) {
    DROVER_ASSIGN(dir.path_, MakeTemporary());
  } else {
    dir.path_ = fs::absolute(path, error).lexically_normal().string();
  }
  const bool created = fs::create_directories(dir.path_, error);
  if (error) return Error(Code::kInvalidArgument, dir.path_ + ": " + error.message());
  if (created && chmod(dir.path_.c_str(), kMode) != 0) return ErrnoError(errno, dir.path_);
  DROVER_ASSIGN(const UniqueFd opened, OpenDirectory(dir.path_, &dir.path_));
  DROVER_TRY(MakeAllocDir(opened.get(), dir.alloc_dir()));
  if (fchmod(opened.get(), kMode) != 0) return ErrnoError(errno, dir.path_);
  const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  dir.lock_ = UniqueFd(openat(opened.get(), "agent.lock", flags, 0600));
  if (!dir.lock_) return ErrnoError(errno, dir.path_ + "/agent.lock");
  if (!LockSoon(dir.lock_.get())) {
    return Error(Code::kFailedPrecondition,
                 "another agent uses the data directory " + dir.path_ +
                     ": stop it, or give this one a directory of its own with --data-dir");
  }
  return dir;
}

void DataDir::RemoveIfMade() const {
  std::error_code error;
  if (!made_) return;
  fs::remove(alloc_dir(), error);  // fails if the directory is not empty
  if (error) return;
  fs::remove_all(key_dir(), error);
  fs::remove(network_dir(), error);
  RemovePluginDirectories(plugin_data_dir());
  fs::remove(volumes_dir(), error);  // a volume that nobody has deleted stays
  fs::remove(path_ + "/agent.lock", error);
  fs::remove(path_, error);
}

Result<std::string> CheckAllocDir(const std::string& path) {
  std::string real = path;
  DROVER_TRY(OpenDirectory(path, &real));
  return real;
}

}  // namespace drover
