// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/volume/volume_path.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace drover {
namespace {

constexpr int kMaxLinks = 40;  // the limit of the kernel is also 40

// A file, whatever names it has.
using FileKey = std::pair<dev_t, ino_t>;
FileKey KeyOf(const struct stat& info) { return {info.st_dev, info.st_ino}; }

// Adds the parts of PATH to AHEAD, so that they are opened before those that AHEAD already has. Its
// last element is the next part.
void AddParts(const std::string& path, std::vector<std::string>* ahead) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin < path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin && path.compare(begin, end - begin, ".") != 0) {
      parts.push_back(path.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  ahead->insert(ahead->end(), parts.rbegin(), parts.rend());
}

Error Refused(const std::string& link, const std::string& why) {
  return Error(Code::kPermissionDenied, link + " is a symbolic link, which is not followed: " +
                                            why + "; give the volume a path without this link");
}

class Walk {
 public:
  Walk(const std::string& path, const std::vector<std::string>& writable)
      : path_(path), writable_(writable) {
    AddParts(path, &ahead_);
  }

  Result<VolumePlace> Run() {
    DROVER_TRY(BeginAtRoot());
    while (!ahead_.empty()) {
      const std::string part = std::move(ahead_.back());
      ahead_.pop_back();
      DROVER_TRY(Enter(part));
    }
    if (!S_ISDIR(info_.st_mode) && !S_ISREG(info_.st_mode) && !S_ISSOCK(info_.st_mode)) {
      return Error(Code::kInvalidArgument, Real() + " is no directory, file or socket");
    }
    return VolumePlace{std::move(at_), Real()};
  }

 private:
  std::string Real() const { return done_.empty() ? "/" : done_; }

  Status BeginAtRoot() {
    at_.Reset(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!at_ || fstat(at_.get(), &info_) != 0) return ErrnoError(errno, "open /");
    done_.clear();
    passed_ = {KeyOf(info_)};
    return {};
  }

  Status Enter(const std::string& part) {
    if (part == "..") {  // the directory above is entered anew from the root, with all checks
      AddParts(done_.substr(0, std::min(done_.rfind('/'), done_.size())), &ahead_);
      return BeginAtRoot();
    }
    const std::string next = done_ + "/" + part;
    UniqueFd opened(openat(at_.get(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info{};
    if (!opened || fstat(opened.get(), &info) != 0) {
      const int error = errno;
      return ErrnoError(error, next == path_ ? next : next + ", on the way to " + path_);
    }
    if (S_ISLNK(info.st_mode)) return Follow(opened.get(), next);
    at_ = std::move(opened);
    info_ = info;
    done_ = next;
    passed_.push_back(KeyOf(info));
    return {};
  }

  // Goes on at the target of the link LINK, whose directory is the one that was entered last.
  Status Follow(int link, const std::string& name) {
    DROVER_TRY(CheckTrusted(name));
    if (++links_ > kMaxLinks) return ErrnoError(ELOOP, path_);
    std::array<char, PATH_MAX> target{};
    const ssize_t size = readlinkat(link, "", target.data(), target.size());
    if (size <= 0) return ErrnoError(size < 0 ? errno : ENOENT, "read the link " + name);
    AddParts(std::string(target.data(), static_cast<std::size_t>(size)), &ahead_);
    return target[0] == '/' ? BeginAtRoot() : Status();
  }

  // Returns an error if somebody else may have made the link NAME.
  Status CheckTrusted(const std::string& name) {
    if (info_.st_uid != 0 && info_.st_uid != geteuid()) {
      return Refused(name, "its directory belongs to user " + std::to_string(info_.st_uid));
    }
    if ((info_.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
      return Refused(name, "others may write to its directory");
    }
    for (const std::string& path : writable_) {
      struct stat of{};
      if (stat(path.c_str(), &of) != 0) continue;
      if (std::ranges::find(passed_, KeyOf(of)) != passed_.end()) {
        return Refused(name, "tasks may write to " + path);
      }
    }
    return {};
  }

  const std::string& path_;
  const std::vector<std::string>& writable_;
  std::vector<std::string> ahead_;  // the parts to open; the last element is the next part
  UniqueFd at_;
  struct stat info_{};           // of at_
  std::string done_;             // the path of at_; empty for the root
  std::vector<FileKey> passed_;  // the directories on the way, and at_
  int links_ = 0;
};

}  // namespace

Result<VolumePlace> OpenVolumePath(const std::string& path,
                                   const std::vector<std::string>& writable) {
  if (path.empty() || path[0] != '/' || path.find('\0') != std::string::npos) {
    return Error(Code::kInvalidArgument, "\"" + path + "\" is no absolute path");
  }
  return Walk(path, writable).Run();
}

}  // namespace drover
