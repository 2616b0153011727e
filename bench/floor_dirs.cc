// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/floor_dirs.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iterator>

#include "host/base/result.h"

namespace drover::bench {
namespace {

struct Directory {
  const char* name;
  mode_t mode;
  bool nobody;
};

// In the order in which they are made.
constexpr Directory kDirectories[] = {
    {"", 0755, false},          {"/alloc", 01777, false},    {"/alloc/logs", 0755, false},
    {"/alloc/tmp", 0777, true}, {"/alloc/data", 0777, true}, {"/t", 0777, true},
    {"/t/local", 0777, true},   {"/t/tmp", 01777, true},     {"/t/private", 0700, false},
    {"/t/secrets", 0777, true},
};
constexpr char kSecrets[] = "/t/secrets";
constexpr uid_t kNobody = 65534;

}  // namespace

FloorDirs::FloorDirs(const Scratch& scratch) : base_(scratch.path() + "/floor") {
  DROVER_CHECK(mkdir(base_.c_str(), 0755) == 0);
}

void FloorDirs::Make(const std::string& id) const {
  const std::string root = base_ + "/" + id;
  const bool is_root = geteuid() == 0;
  const mode_t mask = umask(0);
  for (const Directory& directory : kDirectories) {
    const std::string path = root + directory.name;
    DROVER_CHECK(mkdir(path.c_str(), directory.mode) == 0);
    if (is_root && directory.nobody) DROVER_CHECK(chown(path.c_str(), kNobody, kNobody) == 0);
  }
  umask(mask);
  if (!is_root) return;
  DROVER_CHECK(mount("tmpfs", (root + kSecrets).c_str(), "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
                     "size=1048576,mode=0777") == 0);
}

void FloorDirs::Remove(const std::string& id) const {
  const std::string root = base_ + "/" + id;
  if (geteuid() == 0) DROVER_CHECK(umount2((root + kSecrets).c_str(), 0) == 0);
  for (auto directory = std::rbegin(kDirectories); directory != std::rend(kDirectories);
       ++directory) {
    DROVER_CHECK(rmdir((root + directory->name).c_str()) == 0);
  }
}

}  // namespace drover::bench
