// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/volume/mkdir_plugin.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

#include "host/base/durable_step.h"
#include "host/base/owned_path.h"
#include "host/base/text.h"
#include "host/base/unique_fd.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr OwnedKind kVolumes{"directories of volumes", "the volumes"};

// The parameters of a volume.
struct Wanted {
  std::optional<uid_t> uid;
  std::optional<gid_t> gid;
  mode_t mode = 0700;
};

Error BadParameter(const std::string& name, const std::string& value, const char* form) {
  return Error(Code::kInvalidArgument,
               "the parameter " + name + " of mkdir must be " + form + ", but is " + Quoted(value));
}

Status ReadId(const std::string& name, const std::string& value, std::optional<uid_t>* out) {
  *out = ParseNumber<uid_t>(value);
  // The highest number means "unchanged" to chown.
  if (*out && **out != static_cast<uid_t>(-1)) return {};
  return BadParameter(name, value, "a number");
}

Status ReadMode(const std::string& value, mode_t* mode) {
  unsigned bits = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, bits, 8);
  if (error != std::errc() || rest != end || bits > 07777) {
    return BadParameter("mode", value, "a mode such as 0750");
  }
  *mode = static_cast<mode_t>(bits);
  return {};
}

Result<Wanted> ReadParameters(const StringMap& parameters) {
  Wanted wanted;
  for (const auto& [name, value] : parameters) {
    if (name == "uid") {
      DROVER_TRY(ReadId(name, value, &wanted.uid));
    } else if (name == "gid") {
      DROVER_TRY(ReadId(name, value, &wanted.gid));
    } else if (name == "mode") {
      DROVER_TRY(ReadMode(value, &wanted.mode));
    } else {
      return Error(Code::kInvalidArgument,
                   "mkdir has no parameter " + Quoted(name) + "; it has uid, gid and mode");
    }
  }
  return wanted;
}

// The name of the directory of a volume until it is complete. An agent that died may have left it.
std::string DraftName(const std::string& id) { return ".new-" + id; }

Status RemoveDraft(int volumes, const std::string& id, const std::string& path) {
  if (unlinkat(volumes, DraftName(id).c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
  return ErrnoError(errno, "remove the draft of " + path);
}

// Makes the directory ID below VOLUMES. It gets its name when it is complete.
Status MakeDirectory(int volumes, const std::string& id, const std::string& path,
                     const Wanted& wanted) {
  const std::string draft = DraftName(id);
  if (mkdirat(volumes, draft.c_str(), 0700) != 0 && errno != EEXIST) {
    return ErrnoError(errno, "make " + path);
  }
  const UniqueFd directory(
      openat(volumes, draft.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return ErrnoError(errno, "open " + path);
  const uid_t uid = wanted.uid.value_or(static_cast<uid_t>(-1));
  const gid_t gid = wanted.gid.value_or(static_cast<gid_t>(-1));
  if (fchown(directory.get(), uid, gid) != 0) return ErrnoError(errno, "give away " + path);
  if (fchmod(directory.get(), wanted.mode) != 0)
    return ErrnoError(errno, "set the mode of " + path);
  if (renameat(volumes, draft.c_str(), volumes, id.c_str()) != 0) return ErrnoError(errno, path);
  return {};
}

// Opens the directory of volumes, which only the agent's user may change.
Result<UniqueFd> OpenVolumes(const std::string& volumes_dir) {
  return OpenOwned(volumes_dir, O_RDONLY | O_DIRECTORY, kVolumes);
}

}  // namespace

Result<MadeVolume> MakeDirectoryVolume(const std::string& volumes_dir, const VolumeRecord& volume) {
  DROVER_CHECK(IsVolumeId(volume.id));
  DROVER_ASSIGN(const Wanted wanted, ReadParameters(volume.parameters));
  if (mkdir(volumes_dir.c_str(), 0711) != 0 && errno != EEXIST) {
    return ErrnoError(errno, "make the directory of volumes " + volumes_dir);
  }
  DROVER_ASSIGN(const UniqueFd volumes, OpenVolumes(volumes_dir));
  const std::string path = volumes_dir + "/" + volume.id;
  struct stat info{};
  if (fstatat(volumes.get(), volume.id.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
    // The directory keeps its owner and its mode, which tasks may have changed.
    if (S_ISDIR(info.st_mode)) return MadeVolume{path, 0};
    return ErrnoError(ENOTDIR, path);
  }
  const Status made = DurableStep(
      Step::kMakeVolume, [&] { return MakeDirectory(volumes.get(), volume.id, path, wanted); });
  if (made.ok()) return MadeVolume{path, 0};
  (void)RemoveDraft(volumes.get(), volume.id, path);  // the first error says more
  return made.error();
}

Status RemoveDirectoryVolume(const std::string& volumes_dir, const VolumeRecord& volume,
                             const RemoveTree& remove_tree) {
  DROVER_CHECK(IsVolumeId(volume.id));
  const Result<UniqueFd> volumes = OpenVolumes(volumes_dir);
  if (!volumes.ok()) {
    return volumes.code() == Code::kNotFound ? Status() : Status(volumes.error());
  }
  const std::string path = volumes_dir + "/" + volume.id;
  DROVER_TRY(RemoveDraft(volumes->get(), volume.id, path));
  struct stat info{};
  if (fstatat(volumes->get(), volume.id.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? Status() : Status(ErrnoError(errno, path));
  }
  return DurableStep(Step::kRemoveVolume,
                     [&] { return remove_tree(volumes->get(), volume.id, path); });
}

}  // namespace drover
