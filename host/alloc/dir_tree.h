// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

// Makes and removes directories in trees that a hostile process may change at the same time. Every
// step starts at a descriptor and follows no symbolic link, so no name can lead out of the tree.
// The functions block and may be called on any thread. PATH is for error messages only.
namespace drover {

// Opens the directory NAME (one component) below DIR, for reading. A link or a file in its place is
// an error; so is a mount point, unless CROSS_MOUNTS.
Result<UniqueFd> OpenDirAt(int dir, const std::string& name, const std::string& path,
                           bool cross_mounts = true);

struct DirMode {
  mode_t bits = 0755;   // at least these bits, whatever the umask
  bool exact = false;   // and no other bits
  bool nobody = false;  // a new one belongs to nobody (65534)
};

// Makes the directory NAME below DIR unless it is there, and corrects its mode.
Result<UniqueFd> MakeDirAt(int dir, const std::string& name, const std::string& path, DirMode mode);

// Makes the empty file NAME below DIR, readable by all, unless something has that name.
Status MakeFileAt(int dir, const std::string& name, const std::string& path);

// Whether DIR is the root of a mount.
bool IsMountRoot(int dir);

// Mounts a tmpfs of SIZE bytes on the empty directory DIR: noexec, nosuid, nodev, and noswap where
// the kernel supports that. MODE is 0700 or 0777.
Status MountTmpfs(int dir, const std::string& path, std::int64_t size, mode_t mode);

// Unmounts everything that is mounted on NAME below DIR. Succeeds if nothing is mounted there. With
// DETACH a mount in use goes, too: nobody else can reach it from then on, and its last user frees
// it.
Status UnmountAt(int dir, const std::string& name, const std::string& path, bool detach = false);

// Removes NAME below DIR with everything in it. Links are removed, not followed. Files are only
// unlinked, never changed, since they may have other names elsewhere. A mount inside is unmounted;
// if that fails it is kept, with an error. The depth of the tree costs neither stack nor
// descriptors. When GIVE_UP becomes true, the remaining files stay, and the error is kCancelled.
Status RemoveTreeAt(int dir, const std::string& name, const std::string& path,
                    const std::atomic<bool>* give_up = nullptr);

}  // namespace drover
