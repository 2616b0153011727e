// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/scale_mounts.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/base/result.h"

namespace drover::bench {

FurtherMounts::FurtherMounts(const Scratch& scratch) : directory_(scratch.NewDirectory("mounts")) {
  DROVER_CHECK(unshare(CLONE_NEWNS) == 0);
  DROVER_CHECK(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0);
}

FurtherMounts::~FurtherMounts() { Set(0); }

void FurtherMounts::Set(int count) {
  for (; count_ < count; ++count_) {
    const std::string place = directory_ + "/" + std::to_string(count_);
    DROVER_CHECK(mkdir(place.c_str(), 0755) == 0);
    DROVER_CHECK(mount("further", place.c_str(), "tmpfs", 0, "size=4k") == 0);
  }
  for (; count_ > count; --count_) {
    const std::string place = directory_ + "/" + std::to_string(count_ - 1);
    DROVER_CHECK(umount2(place.c_str(), MNT_DETACH) == 0);
    DROVER_CHECK(rmdir(place.c_str()) == 0);
  }
}

}  // namespace drover::bench
