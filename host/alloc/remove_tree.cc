// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <optional>

#include "host/alloc/dir_tree.h"
#include "host/alloc/project_quota.h"

namespace drover {
namespace {

// A directory that lies deeper than this is first moved to the top of the tree. Otherwise a task
// could make a tree whose removal uses up the agent's stack or file descriptors.
constexpr int kMaxDepth = 32;
// The maximum number of passes over a tree that other processes keep filling. Passes that move
// directories to the top are not counted. After the last pass, the removal fails.
constexpr int kMaxPasses = 16;
constexpr int kMaxHoists = 1'000'000;

struct CloseDir {
  void operator()(DIR* dir) const { closedir(dir); }
};

class TreeRemover {
 public:
  TreeRemover(int top, std::string top_path, const std::atomic<bool>* give_up)
      : top_(top), top_path_(std::move(top_path)), give_up_(give_up) {}

  // Empties the tree. The error of one entry does not prevent the removal of the other entries.
  Status Empty() {
    int idle_passes = 0;
    while (idle_passes < kMaxPasses) {
      const int hoists = hoists_;
      const bool found = EmptyDir(top_, top_path_, 0);
      if (error_) return *error_;
      if (!found) return {};
      if (hoists_ == hoists) ++idle_passes;
    }
    return Error(Code::kUnavailable,
                 "something keeps making files in " + top_path_ + "; end that process", true);
  }

 private:
  void Fail(Error error) {
    if (!error_) error_ = std::move(error);
  }

  // Removes the entries of DIR. Returns false only if DIR was empty.
  bool EmptyDir(int dir, const std::string& path, int depth) {
    // The directory stream gets a descriptor of its own, since DIR is still needed to remove its
    // entries.
    const int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    std::unique_ptr<DIR, CloseDir> entries(copy < 0 ? nullptr : fdopendir(copy));
    if (!entries) {
      Fail(ErrnoError(errno, path));
      if (copy >= 0) close(copy);
      return true;
    }
    bool found = false;
    while (const dirent* entry = readdir(entries.get())) {
      if (give_up_ != nullptr && *give_up_) {
        Fail(Error(Code::kCancelled, "the agent ends before all of " + top_path_ + " is removed"));
        return true;
      }
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      found = true;
      RemoveEntry(dir, name, path + "/" + name, entry->d_type == DT_DIR, depth);
    }
    return found;
  }

  void RemoveEntry(int dir, const std::string& name, const std::string& path, bool is_dir,
                   int depth) {
    if (!is_dir) {
      if (Unlink(dir, name, 0) == 0 || errno == ENOENT) return;
      if (errno == EBUSY && Unmount(dir, name, path) && Unlink(dir, name, 0) == 0) return;
      if (errno != EISDIR) return Fail(ErrnoError(errno, "remove " + path));
    }
    // Nothing is left to do if the directory was empty or does not exist any more.
    if (Unlink(dir, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return;
    // The entry is no directory any more. The next pass removes whatever has this name by then.
    if (errno == ENOTDIR) return;
    if (errno == EBUSY && !Unmount(dir, name, path)) return;
    Result<UniqueFd> inside = OpenDirAt(dir, name, path, false);
    if (!inside.ok() && Unmount(dir, name, path)) inside = OpenDirAt(dir, name, path, false);
    if (!inside.ok()) {
      if (inside.code() != Code::kNotFound) Fail(inside.error());
      return;
    }
    if (depth == kMaxDepth) return Hoist(dir, name, path, inside->get());
    for (int pass = 0; pass < kMaxPasses && !error_; ++pass) {
      EmptyDir(inside->get(), path, depth + 1);
      if (Unlink(dir, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return;
      if (errno == ENOTEMPTY || errno == EEXIST) continue;
      return Fail(ErrnoError(errno, "remove " + path));
    }
    if (!error_) {
      Fail(Error(Code::kUnavailable,
                 "something keeps making files in " + path + "; end that process", true));
    }
  }

  // Calls unlinkat. If a task has removed the right to change DIR, restores the right and tries
  // again.
  static int Unlink(int dir, const std::string& name, int flags) {
    const int result = unlinkat(dir, name.c_str(), flags);
    if (result == 0 || errno != EACCES) return result;
    if (fchmod(dir, 0700) != 0) {
      errno = EACCES;
      return result;
    }
    return unlinkat(dir, name.c_str(), flags);
  }

  bool Unmount(int dir, const std::string& name, const std::string& path) {
    if (Status status = UnmountAt(dir, name, path); !status.ok()) {
      Fail(status.error());
      return false;
    }
    return true;
  }

  void Hoist(int dir, const std::string& name, const std::string& path, int inside) {
    if (++hoists_ > kMaxHoists) return Fail(Error(Code::kUnavailable, path + " is too deep", true));
    fchmod(inside, 0700);  // a move needs write permission for the directory
    const std::string target = ".drover-remove-" + std::to_string(hoists_);
    const auto moves = [&] {
      return renameat2(dir, name.c_str(), top_, target.c_str(), RENAME_NOREPLACE) == 0;
    };
    if (moves() || (errno == EXDEV && LetIn() && moves())) return;
    if (errno != ENOENT && errno != EEXIST) Fail(ErrnoError(errno, "move " + path));
  }

  // A directory with a quota takes in nothing that has another project, and a task may have given
  // its directories any. Removes that rule from the top.
  bool LetIn() {
    const ProjectQuotas& quotas = KernelProjectQuotas();
    const Result<FileProject> project = quotas.Of(top_);
    if (project.ok() && project->inherited && quotas.Put(top_, {project->id, false}).ok()) {
      return true;
    }
    errno = EXDEV;
    return false;
  }

  int top_;
  std::string top_path_;
  const std::atomic<bool>* const give_up_;
  int hoists_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Status RemoveTreeAt(int dir, const std::string& name, const std::string& path,
                    const std::atomic<bool>* give_up) {
  Result<UniqueFd> top = OpenDirAt(dir, name, path, false);
  if (!top.ok()) {
    if (top.code() == Code::kNotFound) return {};
    return top.error();
  }
  TreeRemover remover(top->get(), path, give_up);
  DROVER_TRY(remover.Empty());
  if (unlinkat(dir, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
    return ErrnoError(errno, "remove " + path);
  }
  return {};
}

}  // namespace drover
