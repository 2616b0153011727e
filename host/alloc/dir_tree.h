// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

// Making and removing directories in trees that somebody hostile writes to at the same time. Every
// step starts at a descriptor and follows no symbolic link, so no name can lead out of the tree.
// The functions block and may be called on any thread. PATH is the text for error messages only.
namespace drover {

// Opens the directory NAME (one component) below DIR, for reading. A link, a file or, unless
// CROSS_MOUNTS, a mount point in its place is an error.
Result<UniqueFd> OpenDirAt(int dir, const std::string& name, const std::string& path,
                           bool cross_mounts = true);

struct DirMode {
  mode_t bits = 0755;   // bits that it has at least, whatever the umask
  bool exact = false;   // and no others
  bool nobody = false;  // belongs to nobody (65534) when it is new
};

// Makes the directory NAME below DIR unless it is there, and puts its mode right.
Result<UniqueFd> MakeDirAt(int dir, const std::string& name, const std::string& path, DirMode mode);

// Makes the empty file NAME below DIR, which all may read, unless there is something of that name.
Status MakeFileAt(int dir, const std::string& name, const std::string& path);

// Whether DIR is the root of a mount.
bool IsMountRoot(int dir);

// Puts a tmpfs of SIZE bytes over the empty directory DIR: noexec, nosuid, nodev, and never swapped
// where the kernel can promise that. Its MODE is 0700 or 0777.
Status MountTmpfs(int dir, const std::string& path, std::int64_t size, mode_t mode);

// Unmounts all that is mounted on NAME below DIR; nothing mounted there is success. With DETACH a
// mount that is in use is unmounted, too: no path leads to it any more, and its last user frees it.
Status UnmountAt(int dir, const std::string& name, const std::string& path, bool detach = false);

// Removes NAME below DIR with all that is in it. Links are removed, not followed; files are never
// changed, only unlinked, since they may have other names elsewhere; a mount inside is unmounted,
// and kept with an error when that fails. The depth of the tree costs neither stack nor
// descriptors. When GIVE_UP becomes true, the rest stays, which is an error of kCancelled.
Status RemoveTreeAt(int dir, const std::string& name, const std::string& path,
                    const std::atomic<bool>* give_up = nullptr);

}  // namespace drover
