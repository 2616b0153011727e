// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/place_artifact.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <limits>
#include <memory>
#include <vector>

#include "host/artifact/fetch_file.h"
#include "host/artifact/staged_files.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

// The name of a file while it is copied between file systems.
constexpr char kFresh[] = ".drover-artifact.new";

// Returns the names in DIR, without "." and "..", and at most MOST and one more.
Result<std::vector<std::string>> NamesIn(int dir, std::uint64_t most) {
  DROVER_ASSIGN(UniqueFd copy, OpenStaged(dir, ".", O_RDONLY | O_DIRECTORY));
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(copy.get()), closedir);
  if (!entries) return ErrnoError(errno, "read a directory");
  (void)copy.Release();  // the stream owns it now
  std::vector<std::string> names;
  while (const dirent* entry = readdir(entries.get())) {
    if (names.size() > most) break;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

class Placer {
 public:
  explicit Placer(const PlaceOrder& order) : order_(order) {}

  Status Run() {
    const int kind = order_.directory ? O_DIRECTORY : O_NONBLOCK;
    DROVER_ASSIGN(const UniqueFd from, OpenStaged(order_.from, order_.path, O_RDONLY | kind));
    if (order_.directory) {
      DROVER_TRY(Check(from.get(), "", 0));
      DROVER_ASSIGN(const UniqueFd to, OpenPlace(order_.to, true));
      return MoveAll(from.get(), to.get());
    }
    struct stat info{};
    if (fstat(from.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return Error(Code::kInternal, "what was fetched is no regular file");
    }
    const std::size_t slash = order_.path.rfind('/');
    const std::string above = slash == order_.path.npos ? "." : order_.path.substr(0, slash);
    DROVER_ASSIGN(const UniqueFd dir, OpenStaged(order_.from, above, O_RDONLY | O_DIRECTORY));
    DROVER_ASSIGN(const UniqueFd to, OpenPlace(order_.to, false));
    return MoveFile(dir.get(), StagedName(order_.path), to.get(), StagedName(order_.to));
  }

 private:
  Status Check(int dir, const std::string& path, std::size_t depth) {
    if (depth > kMostPathParts) return Error(Code::kInvalidArgument, "the artifact is too deep");
    DROVER_ASSIGN(const std::vector<std::string> names, NamesIn(dir, order_.most_files));
    for (const std::string& name : names) {
      const std::string below = path.empty() ? name : path + "/" + name;
      if (++files_ > order_.most_files) {
        return Error(Code::kResourceExhausted, "the artifact has more than the limit of " +
                                                   std::to_string(order_.most_files) + " files");
      }
      if (below == "private" && order_.to.find('/') == std::string::npos) {
        return Error(Code::kInvalidArgument, "the directory \"private\" of a task is the agent's");
      }
      DROVER_TRY(CheckEntry(dir, name, below, depth));
    }
    return {};
  }

  Status CheckEntry(int dir, const std::string& name, const std::string& below, std::size_t depth) {
    struct stat info{};
    if (fstatat(dir, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return ErrnoError(errno, Quoted(below));
    }
    if (S_ISREG(info.st_mode)) return {};
    if (S_ISDIR(info.st_mode)) {
      DROVER_ASSIGN(const UniqueFd inside, OpenStaged(dir, name, O_RDONLY | O_DIRECTORY));
      return Check(inside.get(), below, depth + 1);
    }
    if (!S_ISLNK(info.st_mode)) {
      return Error(Code::kInvalidArgument, Quoted(below) + " is a device, a pipe or a socket");
    }
    std::array<char, PATH_MAX> target{};
    const ssize_t size = readlinkat(dir, name.c_str(), target.data(), target.size());
    if (size < 0) return ErrnoError(errno, Quoted(below));
    if (LinkStaysBelow(below, {target.data(), static_cast<std::size_t>(size)})) return {};
    return Error(Code::kInvalidArgument,
                 "the link " + Quoted(below) + " leads out of the artifact, which is refused");
  }

  // Opens the directory PATH below the root, or the one above it unless WHOLE. Makes what is
  // missing; the first part must be there.
  Result<UniqueFd> OpenPlace(const std::string& path, bool whole) const {
    DROVER_ASSIGN(UniqueFd at, OpenStaged(order_.root, ".", O_RDONLY | O_DIRECTORY));
    for (std::size_t begin = 0; begin < path.size();) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      if (end == path.size() && !whole) break;
      const std::string name = path.substr(begin, end - begin);
      const bool makes = begin > 0;
      begin = end + 1;
      Result<UniqueFd> next =
          makes ? OpenOrMake(at.get(), name) : OpenStaged(at.get(), name, O_RDONLY | O_DIRECTORY);
      if (!next.ok()) return next.error().WithContext("destination " + path.substr(0, end));
      at = std::move(*next);
    }
    return at;
  }

  Result<UniqueFd> OpenOrMake(int dir, const std::string& name) const {
    const bool made = mkdirat(dir, name.c_str(), 0700) == 0;
    if (!made && errno != EEXIST) return ErrnoError(errno, "make a directory");
    DROVER_ASSIGN(UniqueFd opened, OpenStaged(dir, name, O_RDONLY | O_DIRECTORY));
    if (made) DROVER_TRY(Give(opened.get(), 0755));
    return opened;
  }

  // Sets the owner and then the mode, so nothing of the old mode stays.
  Status Give(int file, mode_t mode) const {
    const auto [user, group] = order_.owner.value_or(std::pair(geteuid(), getegid()));
    if (geteuid() == 0 && fchown(file, user, group) != 0) return ErrnoError(errno, "chown");
    if (fchmod(file, mode) != 0) return ErrnoError(errno, "chmod");
    return {};
  }

  Status MoveAll(int from, int to) const {
    DROVER_ASSIGN(const std::vector<std::string> names, NamesIn(from, order_.most_files));
    for (const std::string& name : names) {
      struct stat info{};
      if (fstatat(from, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return ErrnoError(errno, Quoted(name));
      }
      if (S_ISDIR(info.st_mode)) {
        DROVER_ASSIGN(const UniqueFd inside, OpenStaged(from, name, O_RDONLY | O_DIRECTORY));
        const Result<UniqueFd> place = OpenOrMake(to, name);
        if (!place.ok()) return place.error().WithContext(Quoted(name));
        DROVER_TRY(MoveAll(inside.get(), place->get()));
      } else if (S_ISREG(info.st_mode)) {
        DROVER_TRY(MoveFile(from, name, to, name));
      } else {
        DROVER_TRY(MoveLink(from, name, to));
      }
    }
    return {};
  }

  Status MoveFile(int from, const std::string& name, int to, const std::string& to_name) const {
    DROVER_ASSIGN(const UniqueFd file, OpenStaged(from, name, O_RDONLY | O_NONBLOCK));
    struct stat info{};
    if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return Error(Code::kInternal, Quoted(name) + " is no regular file");
    }
    const mode_t mode = (info.st_mode & 0111) != 0 ? 0755 : 0644;
    DROVER_TRY(Give(file.get(), mode));
    if (renameat(from, name.c_str(), to, to_name.c_str()) == 0) return {};
    if (errno != EXDEV) return ErrnoError(errno, "put " + Quoted(to_name) + " in its place");
    unlinkat(to, kFresh, 0);
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const UniqueFd copy(openat(to, kFresh, kFlags, 0600));
    if (!copy) return ErrnoError(errno, "make " + Quoted(to_name));
    FetchBudget budget("the file", std::numeric_limits<std::uint64_t>::max(), 1);
    Status status = CopyContent(file.get(), copy.get(), &budget);
    if (status.ok()) status = Give(copy.get(), mode);
    if (status.ok() && renameat(to, kFresh, to, to_name.c_str()) != 0) {
      status = ErrnoError(errno, "put it in its place");
    }
    if (status.ok()) return {};
    unlinkat(to, kFresh, 0);
    return status.error().WithContext(Quoted(to_name));
  }

  Status MoveLink(int from, const std::string& name, int to) const {
    const auto [user, group] = order_.owner.value_or(std::pair(geteuid(), getegid()));
    if (geteuid() == 0) (void)!fchownat(from, name.c_str(), user, group, AT_SYMLINK_NOFOLLOW);
    if (renameat(from, name.c_str(), to, name.c_str()) == 0) return {};
    if (errno != EXDEV) return ErrnoError(errno, "place the link " + Quoted(name));
    std::array<char, PATH_MAX> target{};
    const ssize_t size = readlinkat(from, name.c_str(), target.data(), target.size());
    if (size < 0) return ErrnoError(errno, Quoted(name));
    const std::string text(target.data(), static_cast<std::size_t>(size));
    unlinkat(to, name.c_str(), 0);
    if (symlinkat(text.c_str(), to, name.c_str()) != 0) {
      return ErrnoError(errno, "place the link " + Quoted(name));
    }
    return {};
  }

  const PlaceOrder& order_;
  std::uint64_t files_ = 0;
};

}  // namespace

Status PlaceArtifact(const PlaceOrder& order) { return Placer(order).Run(); }

}  // namespace drover
