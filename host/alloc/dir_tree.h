// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

// Makes and removes directories in trees that a hostile process may change at the same time. Every
// step starts at a file descriptor and follows no symbolic link, so no name can lead out of the
// tree. The functions block and may be called on any thread. PATH is for error messages only.
namespace drover {

// Opens the directory NAME (one path component) below DIR for reading. A link or a file with this
// name is an error. A mount point is also an error, unless CROSS_MOUNTS is set.
Result<UniqueFd> OpenDirAt(int dir, const std::string& name, const std::string& path,
                           bool cross_mounts = true);

struct DirMode {
  mode_t bits = 0755;   // the directory gets at least these bits, whatever the umask
  bool exact = false;   // whether the directory gets no other bits
  bool nobody = false;  // whether a new directory belongs to nobody (65534)
};

// Makes the directory NAME below DIR unless it exists, and corrects its mode.
Result<UniqueFd> MakeDirAt(int dir, const std::string& name, const std::string& path, DirMode mode);

// Makes the empty file NAME below DIR, unless something has that name. All users can read the
// file.
Status MakeFileAt(int dir, const std::string& name, const std::string& path);

// Whether DIR is the root of a mount.
bool IsMountRoot(int dir);

// Mounts a tmpfs of SIZE bytes on the empty directory DIR. The mount is noexec, nosuid and nodev,
// and also noswap if the kernel supports that. MODE is 0700 or 0777.
Status MountTmpfs(int dir, const std::string& path, std::int64_t size, mode_t mode);

// Unmounts everything that is mounted on NAME below DIR. Succeeds if nothing is mounted there.
// With DETACH, it also detaches a mount that is in use. Nobody else can then reach the mount, and
// the kernel frees it after its last use.
Status UnmountAt(int dir, const std::string& name, const std::string& path, bool detach = false);

// Removes NAME below DIR with everything in it. Links are removed, not followed. Files are only
// unlinked and never changed, since they may have other names elsewhere. Mounts in the tree are
// unmounted. A mount that cannot be unmounted stays, and RemoveTreeAt returns an error. Even a very
// deep tree uses up neither the stack nor the file descriptors. When GIVE_UP becomes true, the
// remaining files stay, and the error is kCancelled.
Status RemoveTreeAt(int dir, const std::string& name, const std::string& path,
                    const std::atomic<bool>* give_up = nullptr);

}  // namespace drover
