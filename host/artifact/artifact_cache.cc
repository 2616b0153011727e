// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/artifact_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "host/artifact/fetch_file.h"
#include "host/artifact/file_checksum.h"
#include "host/base/durable_step.h"

namespace drover {
namespace {

// The name of the file that is being written. There is one at a time.
constexpr char kPart[] = "part";
constexpr int kLockWaitMs = 50;

bool IsCacheable(const ArtifactChecksum& checksum) {
  return checksum.type == "sha256" || checksum.type == "sha512";
}

std::string CacheName(const ArtifactChecksum& checksum) {
  return checksum.type + "-" + checksum.value;
}

struct CachedFile {
  std::string name;
  std::uint64_t bytes = 0;
  timespec used{};
};

std::vector<CachedFile> CachedFiles(int dir) {
  std::vector<CachedFile> files;
  const int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(copy < 0 ? nullptr : fdopendir(copy), closedir);
  if (!entries && copy >= 0) close(copy);
  if (!entries) return files;
  while (const dirent* entry = readdir(entries.get())) {
    struct stat info{};
    if (fstatat(dir, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(info.st_mode)) continue;
    files.push_back({entry->d_name, static_cast<std::uint64_t>(info.st_size), info.st_mtim});
  }
  return files;
}

}  // namespace

Result<std::unique_ptr<ArtifactCache>> ArtifactCache::Create(const std::string& path,
                                                             std::uint64_t most_bytes) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return ErrnoError(errno, path);
  UniqueFd dir(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!dir) return ErrnoError(errno, "the cache of artifacts " + path);
  unlinkat(dir.get(), kPart, 0);
  std::unique_ptr<ArtifactCache> cache(new ArtifactCache(std::move(dir), most_bytes));
  DROVER_TRY(cache->MakeRoom(0));  // the limit may be lower than before
  return cache;
}

UniqueFd ArtifactCache::Find(const ArtifactChecksum& checksum) {
  if (!IsCacheable(checksum)) return {};
  // Whatever else somebody has put there must not hold up the caller.
  constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd file(openat(dir_.get(), CacheName(checksum).c_str(), kFlags));
  struct stat info{};
  if (!file || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  futimens(file.get(), nullptr);  // it has been used now
  return file;
}

Status ArtifactCache::Keep(const ArtifactChecksum& checksum, int from, int stop) {
  if (!IsCacheable(checksum)) return {};
  struct stat info{};
  if (fstat(from, &info) != 0) return ErrnoError(errno, "a download");
  const auto bytes = static_cast<std::uint64_t>(info.st_size);
  if (bytes > most_bytes_) return {};
  // Another thread may copy for minutes.
  std::unique_lock lock(mutex_, std::try_to_lock);
  while (!lock.owns_lock() && !lock.try_lock()) {
    if (IsStopped(stop, kLockWaitMs)) return Error(Code::kCancelled, "the copy was stopped");
  }
  const std::string name = CacheName(checksum);
  if (faccessat(dir_.get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return {};
  return DurableStep(Step::kCacheArtifact, [&]() -> Status {
    DROVER_TRY(MakeRoom(bytes));
    Status status = Copy(kPart, from, stop);
    if (status.ok()) {
      // The process that has fetched the file is not trusted, and the copy does not change.
      const UniqueFd copy(openat(dir_.get(), kPart, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
      if (!copy) status = ErrnoError(errno, "the cache of artifacts");
      if (copy) status = CheckFileChecksum(copy.get(), checksum, stop);
    }
    if (status.ok() && renameat(dir_.get(), kPart, dir_.get(), name.c_str()) != 0) {
      status = ErrnoError(errno, "the cache of artifacts");
    }
    if (!status.ok()) unlinkat(dir_.get(), kPart, 0);
    return status;
  });
}

void ArtifactCache::Drop(const ArtifactChecksum& checksum) {
  const std::lock_guard lock(mutex_);
  unlinkat(dir_.get(), CacheName(checksum).c_str(), 0);
}

// A copy shares the blocks of the file where the file system can do that.
Status ArtifactCache::Copy(const std::string& name, int from, int stop) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd file(openat(dir_.get(), name.c_str(), kFlags, 0600));
  if (!file) return ErrnoError(errno, "the cache of artifacts");
  if (ioctl(file.get(), FICLONE, from) == 0) return {};
  if (lseek(from, 0, SEEK_SET) < 0) return ErrnoError(errno, "a download");
  FetchBudget budget("the cached file", most_bytes_, 1);
  return CopyContent(from, file.get(), &budget, -1, stop);
}

Status ArtifactCache::MakeRoom(std::uint64_t bytes) {
  std::vector<CachedFile> files = CachedFiles(dir_.get());
  std::uint64_t sum = bytes;
  for (const CachedFile& file : files) sum += file.bytes;
  std::sort(files.begin(), files.end(), [](const CachedFile& a, const CachedFile& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (const CachedFile& file : files) {
    if (sum <= most_bytes_) break;
    if (unlinkat(dir_.get(), file.name.c_str(), 0) != 0 && errno != ENOENT) {
      return ErrnoError(errno, "the cache of artifacts");
    }
    sum -= file.bytes;
  }
  return {};
}

}  // namespace drover
