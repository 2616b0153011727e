// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/disk_usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <set>
#include <utility>

#include "host/alloc/dir_tree.h"

namespace drover {
namespace {

// Each level of nested directories needs an open file.
constexpr int kDeepest = 128;
// So many files with several names are remembered. Each name of a further one counts.
constexpr std::size_t kMostLinked = 100'000;

class DiskCount {
 public:
  DiskCount(std::int64_t enough, const std::atomic<bool>& give_up)
      : enough_(enough), give_up_(give_up) {}

  std::int64_t bytes() const { return bytes_; }

  // Counts what is in DIRECTORY. An entry that vanishes meanwhile does not count.
  Status Add(UniqueFd directory, const std::string& path, int level) {
    if (level > kDeepest) {
      return Error(Code::kResourceExhausted,
                   path + " is nested deeper than " + std::to_string(kDeepest) + " directories");
    }
    const int dir = directory.get();
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(dir), closedir);
    if (entries == nullptr) return ErrnoError(errno, path);
    (void)directory.Release();  // closedir closes it
    while (const dirent* const entry = readdir(entries.get())) {
      if (bytes_ > enough_ || give_up_) return {};
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      DROVER_TRY(AddEntry(dir, name, path, level));
    }
    return {};
  }

 private:
  Status AddEntry(int dir, const std::string& name, const std::string& path, int level) {
    struct stat info{};
    if (fstatat(dir, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return {};
    const bool is_new = info.st_nlink < 2 || S_ISDIR(info.st_mode) ||
                        linked_.size() >= kMostLinked ||
                        linked_.emplace(info.st_dev, info.st_ino).second;
    if (is_new) bytes_ += std::int64_t{info.st_blocks} * 512;
    if (!S_ISDIR(info.st_mode)) return {};
    Result<UniqueFd> inside = OpenDirAt(dir, name, path + "/" + name, /*cross_mounts=*/false);
    if (!inside.ok()) return {};  // it has vanished, or something is mounted there
    return Add(std::move(*inside), path + "/" + name, level + 1);
  }

  const std::int64_t enough_;
  const std::atomic<bool>& give_up_;
  std::int64_t bytes_ = 0;
  std::set<std::pair<dev_t, ino_t>> linked_;  // files with several names that have been counted
};

}  // namespace

Result<std::int64_t> DiskUsage(const std::string& base, const std::string& alloc_id,
                               std::int64_t enough, const std::atomic<bool>& give_up) {
  const UniqueFd all(open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!all) return ErrnoError(errno, base);
  const std::string path = base + "/" + alloc_id;
  DROVER_ASSIGN(UniqueFd root, OpenDirAt(all.get(), alloc_id, path));
  DiskCount count(enough, give_up);
  DROVER_TRY(count.Add(std::move(root), path, 0));
  return count.bytes();
}

}  // namespace drover
