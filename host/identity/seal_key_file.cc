// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/seal_key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "host/base/durable_step.h"
#include "host/base/ids.h"
#include "host/base/owned_path.h"
#include "host/base/unique_fd.h"
#include "host/base/write_whole.h"
#include "host/identity/aes_gcm.h"

namespace drover {
namespace {

constexpr OwnedKind kSealKeys{"seal keys", "the seal key", /*own_group_may_write=*/true};
constexpr char kFile[] = "seal.key";
// A new key is first written to this file, so that the file above is always whole.
constexpr char kNewFile[] = "seal.key.new";
constexpr char kHowToMake[] = "head -c 32 /dev/urandom";

std::string OctalMode(mode_t mode) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777));
  return text.data();
}

// Checks that nobody else can read or change the key file that INFO describes. systemd gives a
// credential to the service's user by an access control list, which shows in the bits of the group.
Status CheckKeyFile(const std::string& path, const struct stat& info, bool is_credential) {
  if (!S_ISREG(info.st_mode)) {
    return Error(Code::kInvalidArgument, path + " is not a regular file: put the seal key there");
  }
  const bool is_own = info.st_uid == geteuid() || (is_credential && info.st_uid == 0);
  if (!is_own) {
    return Error(Code::kPermissionDenied,
                 path + " belongs to user " + std::to_string(info.st_uid) +
                     ", who can read the key: give it to the agent's user (chown " +
                     std::to_string(geteuid()) + " " + path + ")");
  }
  const mode_t mode = info.st_mode & 07777;
  const bool is_closed = is_credential ? (mode & 07337) == 0 && (mode & 0400) != 0 : mode == 0400;
  if (!is_closed) {
    return Error(Code::kPermissionDenied,
                 path + " has mode " + OctalMode(mode) + ", a seal key has 0400: run chmod 0400 " +
                     path + "; what was sealed with it is no secret if others have read it");
  }
  if (!is_credential && info.st_nlink != 1) {
    return Error(Code::kPermissionDenied,
                 path + " has a second name, a hard link: remove the other name");
  }
  if (info.st_size != static_cast<off_t>(kAesKeyBytes)) {
    return Error(Code::kInvalidArgument,
                 path + " has " + std::to_string(info.st_size) + " bytes, a seal key has " +
                     std::to_string(kAesKeyBytes) +
                     ": put back the right file; if there is none, remove this one, and what was "
                     "sealed with the key is lost (a new key: " +
                     kHowToMake + ")");
  }
  return {};
}

Result<SealKey> ReadKeyFile(int dir, const std::string& name, const std::string& path,
                            bool is_credential) {
  const UniqueFd file(openat(dir, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ELOOP) {
    return Error(Code::kPermissionDenied,
                 path + " is a link: put the file with the seal key itself there");
  }
  struct stat info{};
  if (!file || fstat(file.get(), &info) != 0) return ErrnoError(errno, "the seal key " + path);
  DROVER_TRY(CheckKeyFile(path, info, is_credential));
  SecretBytes bytes(kAesKeyBytes);
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = read(file.get(), bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, "read the seal key " + path);
    if (n == 0) return Error(Code::kUnavailable, path + " became shorter while it was read", true);
    at += static_cast<std::size_t>(n);
  }
  return SealKey(std::move(bytes));
}

// Makes the key file in DIR. Nothing is sealed with the key before the file is safe on the disk.
Status MakeKeyFile(int dir, const std::string& path) {
  SecretBytes bytes(kAesKeyBytes);
  RandomBytes(bytes.data(), bytes.size());
  // An agent that died in this function has left the file.
  if (unlinkat(dir, kNewFile, 0) != 0 && errno != ENOENT) {
    return ErrnoError(errno, "remove " + path + ".new");
  }
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd file(openat(dir, kNewFile, kFlags, 0400));
  if (!file) return ErrnoError(errno, "make the seal key " + path);
  const Status written = WriteWhole(file.get(), bytes.view());
  if (!written.ok()) return written.error().WithContext("the seal key " + path);
  if (fchmod(file.get(), 0400) != 0 || fsync(file.get()) != 0) {
    return ErrnoError(errno, "make the seal key " + path);
  }
  int renamed = renameat2(dir, kNewFile, dir, kFile, RENAME_NOREPLACE);
  // Some file systems lack the flag. The lock of the data directory keeps other agents away.
  if (renamed != 0 && errno == EINVAL) renamed = renameat(dir, kNewFile, dir, kFile);
  if (renamed != 0 || fsync(dir) != 0) return ErrnoError(errno, "make the seal key " + path);
  return {};
}

// Makes DIRECTORY unless it exists.
Status MakeKeyDirectory(const std::string& directory) {
  if (mkdir(directory.c_str(), 0700) != 0) {
    if (errno == EEXIST) return {};
    return ErrnoError(errno, "the directory of the seal key " + directory);
  }
  const std::string parent = directory.substr(0, directory.rfind('/') + 1);
  const UniqueFd above(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!above || fsync(above.get()) != 0) return ErrnoError(errno, parent);
  return {};
}

}  // namespace

Result<SealKey> LoadOrMakeSealKey(const std::string& directory) {
  if (directory.empty() || directory[0] != '/' || directory.ends_with('/')) {
    return Error(Code::kInvalidArgument,
                 "the directory of the seal key \"" + directory + "\" is no absolute path");
  }
  DROVER_TRY(MakeKeyDirectory(directory));
  DROVER_ASSIGN(const UniqueFd dir, OpenOwned(directory, O_RDONLY | O_DIRECTORY, kSealKeys));
  const std::string path = directory + "/" + kFile;
  Result<SealKey> key = ReadKeyFile(dir.get(), kFile, path, false);
  if (key.code() != Code::kNotFound) return key;
  DROVER_TRY(DurableStep(Step::kMakeSealKey, [&] { return MakeKeyFile(dir.get(), path); }));
  return ReadKeyFile(dir.get(), kFile, path, false);
}

Result<SealKey> SealKeyFromCredential(const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
    return Error(Code::kInvalidArgument, "\"" + name + "\" is not the name of a credential");
  }
  const char* const directory = std::getenv("CREDENTIALS_DIRECTORY");
  if (directory == nullptr || directory[0] != '/') {
    return Error(Code::kFailedPrecondition,
                 "the credential " + name +
                     " cannot be read: $CREDENTIALS_DIRECTORY is not set; write "
                     "LoadCredentialEncrypted=" +
                     name + " into the agent's unit, or take the seal key from a file");
  }
  DROVER_ASSIGN(const UniqueFd dir, OpenOwned(directory, O_RDONLY | O_DIRECTORY, kSealKeys));
  return ReadKeyFile(dir.get(), name, std::string(directory) + "/" + name, true);
}

}  // namespace drover
