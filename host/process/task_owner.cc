// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/task_owner.h"

#include <endian.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

// The format in which the kernel reads and writes an access control list
// (linux/posix_acl_xattr.h).
constexpr char kAttribute[] = "system.posix_acl_access";
constexpr std::uint32_t kVersion = 2;
constexpr std::uint16_t kOwner = 0x01, kUser = 0x02, kGroup = 0x04, kMask = 0x10, kOthers = 0x20;
constexpr std::uint32_t kNoId = UINT32_MAX;
struct AclEntry {
  std::uint16_t tag;
  std::uint16_t rights;
  std::uint32_t id;
};
static_assert(sizeof(AclEntry) == 8);

constexpr std::uint16_t kAll = 7;
constexpr std::uint16_t kPass = 1;

// Returns the users who may pass through DIR by its access control list. Leaves out users whose
// right the mask of the list removes. Returns nothing if the file system has no access control
// lists.
std::optional<std::vector<std::uint32_t>> UsersOf(int dir) {
  std::vector<char> raw(64u << 10);
  const ssize_t size = fgetxattr(dir, kAttribute, raw.data(), raw.size());
  if (size < 0 && errno != ENODATA) return std::nullopt;
  std::vector<AclEntry> entries;
  std::uint16_t mask = kAll;
  for (ssize_t at = sizeof kVersion; at + ssize_t{sizeof(AclEntry)} <= size;
       at += sizeof(AclEntry)) {
    AclEntry entry;
    std::memcpy(&entry, raw.data() + at, sizeof entry);
    entry = {le16toh(entry.tag), le16toh(entry.rights), le32toh(entry.id)};
    if (entry.tag == kMask) mask = entry.rights;
    if (entry.tag == kUser) entries.push_back(entry);
  }
  std::vector<std::uint32_t> users;
  for (const AclEntry& entry : entries) {
    if ((entry.rights & mask & kPass) != 0) users.push_back(entry.id);
  }
  return users;
}

int WriteUsers(int dir, const std::vector<std::uint32_t>& users) {
  std::string raw;
  const std::uint32_t version = htole32(kVersion);
  raw.append(reinterpret_cast<const char*>(&version), sizeof version);
  const auto add = [&raw](std::uint16_t tag, std::uint16_t rights, std::uint32_t id) {
    const AclEntry entry{htole16(tag), htole16(rights), htole32(id)};
    raw.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  };
  add(kOwner, kAll, kNoId);
  for (const std::uint32_t user : users) add(kUser, kPass, user);
  add(kGroup, 0, kNoId);
  add(kMask, kPass, kNoId);
  add(kOthers, 0, kNoId);
  return fsetxattr(dir, kAttribute, raw.data(), raw.size(), 0);
}

// Does the work of LetPass on a file system without access control lists.
Status LetGroupPass(int dir, const struct stat& info, const ProcessUser& user,
                    const std::string& path) {
  const bool is_open = (info.st_mode & S_IXGRP) != 0;
  if (is_open && info.st_gid == user.gid) return {};
  if (is_open) {
    return Error(Code::kFailedPrecondition,
                 "user " + std::to_string(user.uid) + " cannot be let into " + path +
                     ": its file system has no access control lists, and group " +
                     std::to_string(info.st_gid) +
                     " is let in already: give the tasks of the group one user, or put the "
                     "agent's data_dir on a file system with such lists");
  }
  if (fchown(dir, uid_t(-1), user.gid) != 0 || fchmod(dir, 0710) != 0) {
    return ErrnoError(errno, "cannot let group " + std::to_string(user.gid) + " into " + path);
  }
  return {};
}

// Opens the directory NAME in DIR, without following links. If this fails, returns an empty
// descriptor and sets errno.
UniqueFd OpenBelow(int dir, const char* name) {
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  long fd;
  do {
    fd = syscall(SYS_openat2, dir, name, &how, sizeof how);
  } while (fd < 0 && (errno == EINTR || errno == EAGAIN));  // EAGAIN: a concurrent rename
  return UniqueFd(static_cast<int>(fd));
}

}  // namespace

Status GiveDirectory(int dir, const ProcessUser& user, const std::string& path) {
  struct stat info{};
  if (fstat(dir, &info) != 0) return ErrnoError(errno, path);
  if (info.st_uid == user.uid && info.st_gid == user.gid) return {};
  if (fchown(dir, user.uid, user.gid) == 0) return {};
  return ErrnoError(errno, "cannot give " + path + " to user " + std::to_string(user.uid));
}

Status GiveTaskDirectory(int task_dir, const ProcessUser& user, const std::string& path) {
  for (const char* name : {"local", "tmp", "secrets"}) {
    const UniqueFd inner = OpenBelow(task_dir, name);
    if (!inner && errno == ENOENT) continue;
    if (!inner) return ErrnoError(errno, path + "/" + name);
    DROVER_TRY(GiveDirectory(inner.get(), user, path + "/" + name));
  }
  return GiveDirectory(task_dir, user, path);
}

Status LetPass(int dir, const ProcessUser& user, const std::string& path) {
  if (user.uid == 0) return {};
  // Two tasks of an allocation may start at the same time, so DIR is locked. Only the agent's user
  // can open DIR, so nobody else can hold the lock.
  if (flock(dir, LOCK_EX) != 0) return ErrnoError(errno, "cannot lock " + path);
  struct stat info{};
  if (fstat(dir, &info) != 0) return ErrnoError(errno, path);
  if (info.st_uid == user.uid || (info.st_mode & S_IXOTH) != 0) return {};
  std::optional<std::vector<std::uint32_t>> users = UsersOf(dir);
  if (!users) return LetGroupPass(dir, info, user, path);
  if (std::find(users->begin(), users->end(), user.uid) != users->end()) return {};
  users->push_back(user.uid);
  if (WriteUsers(dir, *users) == 0) return {};
  if (errno == EOPNOTSUPP) return LetGroupPass(dir, info, user, path);
  return ErrnoError(errno, "cannot let user " + std::to_string(user.uid) + " into " + path);
}

namespace {

Status TakeBackPass(int dir, const ProcessUser& user, const std::string& path) {
  if (flock(dir, LOCK_EX) != 0) return ErrnoError(errno, "cannot lock " + path);
  struct stat info{};
  if (fstat(dir, &info) != 0) return ErrnoError(errno, path);
  std::optional<std::vector<std::uint32_t>> users = UsersOf(dir);
  if (users && std::erase(*users, user.uid) > 0 && WriteUsers(dir, *users) != 0) {
    return ErrnoError(errno, "cannot close " + path + " to user " + std::to_string(user.uid));
  }
  if (info.st_gid != user.gid) return {};
  if (fchmod(dir, 0700) == 0 && fchown(dir, uid_t(-1), getegid()) == 0) return {};
  return ErrnoError(errno, "cannot close " + path + " to group " + std::to_string(user.gid));
}

}  // namespace

Status TakeBackTaskDirectory(const std::string& task_dir, const ProcessUser& user) {
  const UniqueFd task(open(task_dir.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!task && errno == ENOENT) return {};
  if (!task) return ErrnoError(errno, "the task's directory " + task_dir);
  DROVER_TRY(GiveDirectory(task.get(), {geteuid(), getegid(), {}}, task_dir));
  const UniqueFd alloc(openat(task.get(), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!alloc) return ErrnoError(errno, task_dir + "/..");
  return TakeBackPass(alloc.get(), user, task_dir + "/..");
}

Status HandOverTaskDirectory(const std::string& task_dir, const ProcessUser& user, bool isolated) {
  if (task_dir.empty()) return {};
  const UniqueFd task(open(task_dir.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!task && errno == ENOENT) return {};
  if (!task) return ErrnoError(errno, "the task's directory " + task_dir);
  if (!isolated) {
    const UniqueFd alloc(openat(task.get(), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!alloc) return ErrnoError(errno, task_dir + "/..");
    DROVER_TRY(LetPass(alloc.get(), user, task_dir + "/.."));
  }
  return GiveTaskDirectory(task.get(), user, task_dir);
}

}  // namespace drover
