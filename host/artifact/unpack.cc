// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/unpack.h"

#ifdef DROVER_HAS_LIBARCHIVE

#include <clocale>
#include <memory>
#include <string_view>

#include "host/artifact/archive_library.h"
#include "host/artifact/fetch_budget.h"
#include "host/artifact/staged_files.h"
#include "host/base/write_whole.h"
#include "host/spec/strict_json.h"
#endif

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace drover {

#ifndef DROVER_HAS_LIBARCHIVE

Status UnpackArchive(const UnpackOrder& order) {
  return Error(Code::kUnimplemented,
               "this program was built without libarchive, so it cannot unpack a file ." +
                   order.form + ": set the option archive to \"false\" and unpack it in the task");
}

#else

namespace {

constexpr std::size_t kArchiveBlock = 64 << 10;

class Unpacker {
 public:
  Unpacker(const UnpackOrder& order, const ArchiveLibrary& library)
      : order_(order),
        lib_(library),
        archive_(library.archive_read_new(), library.archive_read_free),
        budget_("the files of the archive", order.most_bytes, order.most_files) {}

  Status Run() {
    if (!archive_) return Error(Code::kResourceExhausted, "no memory for the archive", true);
    DROVER_TRY(Open());
    while (true) {
      archive_entry* entry = nullptr;
      const int got = lib_.archive_read_next_header(archive_.get(), &entry);
      if (got == ARCHIVE_EOF) break;
      if (got < ARCHIVE_WARN) return Broken();
      DROVER_TRY(Unpack(entry));
    }
    if (lib_.archive_read_has_encrypted_entries(archive_.get()) > 0) {
      return Error(Code::kInvalidArgument, "the archive is encrypted");
    }
    if (!order_.single.empty() && !has_single_) {
      return Error(Code::kInvalidArgument, "the archive has no file, but mode is \"file\"");
    }
    return {};
  }

 private:
  Status Open() {
    archive* const a = archive_.get();
    const std::string_view form = order_.form;
    const auto ends = [form](std::string_view end) { return form.ends_with(end); };
    // "tbz2" and its like are short for "tar.bz2".
    if (ends("gz")) lib_.archive_read_support_filter_gzip(a);
    if (ends("bz2")) lib_.archive_read_support_filter_bzip2(a);
    if (ends("xz")) lib_.archive_read_support_filter_xz(a);
    if (ends("zst")) lib_.archive_read_support_filter_zstd(a);
    if (form == "zip") {
      lib_.archive_read_support_format_zip(a);
    } else if (form.starts_with('t')) {
      lib_.archive_read_support_format_tar(a);
    } else {
      lib_.archive_read_support_format_raw(a);
    }
    if (lib_.archive_read_open_fd(a, order_.archive, kArchiveBlock) != ARCHIVE_OK) return Broken();
    return {};
  }

  Status Unpack(archive_entry* entry) {
    const char* const name = lib_.archive_entry_pathname(entry);
    if (name == nullptr) {
      return Error(Code::kInvalidArgument, "an entry of the archive has no readable name");
    }
    Result<std::string> path = StagedPath(name);
    if (!path.ok()) return path.error().WithContext("the archive is refused");
    DROVER_TRY(budget_.AddFile());
    const Status unpacked = UnpackAs(*path, entry);
    if (!unpacked.ok()) return unpacked.error().WithContext("unpack " + Quoted(*path));
    return {};
  }

  Status UnpackAs(const std::string& path, archive_entry* entry) {
    if (const char* to = lib_.archive_entry_hardlink(entry)) return Link(path, to);
    switch (lib_.archive_entry_filetype(entry)) {
      case AE_IFREG:
        return File(path, entry);
      case AE_IFDIR:
        if (!order_.single.empty()) return {};
        DROVER_TRY(Parents(path, true));
        return {};
      case AE_IFLNK:
        return SymbolicLink(path, lib_.archive_entry_symlink(entry));
      default:
        return Error(Code::kInvalidArgument,
                     "the entry is a device, a pipe or a socket: the archive is refused");
    }
  }

  Result<UniqueFd> Parents(const std::string& path, bool whole) {
    return MakeStagedParents(order_.to, path, whole, 0755, [this] { return budget_.AddFile(); });
  }

  // Returns the directory in which PATH will be made, after it has removed what has that name.
  Result<UniqueFd> Place(const std::string& path) {
    if (path.empty()) return Error(Code::kInvalidArgument, "an entry has no name");
    DROVER_ASSIGN(UniqueFd dir, Parents(path, false));
    if (unlinkat(dir.get(), StagedName(path).c_str(), 0) != 0 && errno != ENOENT) {
      return ErrnoError(errno, "replace an earlier entry");
    }
    return dir;
  }

  Status File(const std::string& from_path, archive_entry* entry) {
    const bool is_single = !order_.single.empty();
    if (is_single && has_single_) {
      return Error(Code::kInvalidArgument, "the archive has several files, but mode is \"file\"");
    }
    has_single_ = is_single;
    const std::string& path = is_single ? order_.single : from_path;
    DROVER_ASSIGN(const UniqueFd dir, Place(path));
    // A compressed file has no mode, and many are the program of their task.
    const bool has_mode = order_.form == "zip" || order_.form.starts_with('t');
    const bool executable = !has_mode || (lib_.archive_entry_perm(entry) & 0111) != 0;
    const mode_t mode = executable ? 0755 : 0644;
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    DROVER_ASSIGN(const UniqueFd file, OpenStaged(dir.get(), StagedName(path), kFlags, mode));
    if (fchmod(file.get(), mode) != 0) return ErrnoError(errno, "chmod");  // whatever the umask
    DROVER_TRY(Content(file.get()));
    const std::int64_t size =
        lib_.archive_entry_size_is_set(entry) ? lib_.archive_entry_size(entry) : 0;
    return Extend(file.get(), size);
  }

  Status Content(int file) {
    written_ = 0;
    while (true) {
      const void* block = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int got = lib_.archive_read_data_block(archive_.get(), &block, &size, &offset);
      if (got == ARCHIVE_EOF) return {};
      if (got < ARCHIVE_WARN) return Broken();
      if (offset < 0) return Error(Code::kInvalidArgument, "the archive has a wrong offset");
      // A hole costs what it would cost if it were written.
      DROVER_TRY(Charge(static_cast<std::uint64_t>(offset), size));
      const std::string_view bytes(static_cast<const char*>(block), size);
      if (lseek(file, offset, SEEK_SET) < 0) return ErrnoError(errno, "seek");
      DROVER_TRY(WriteWhole(file, bytes));
    }
  }

  // Charges the bytes of the present file up to OFFSET + SIZE.
  Status Charge(std::uint64_t offset, std::uint64_t size) {
    if (offset > order_.most_bytes) return budget_.AddBytes(order_.most_bytes + 1);
    const std::uint64_t end = offset + size;
    if (end <= written_) return {};
    DROVER_TRY(budget_.AddBytes(end - written_));
    written_ = end;
    return {};
  }

  // A sparse file may end with a hole.
  Status Extend(int file, std::int64_t size) {
    if (size <= 0 || static_cast<std::uint64_t>(size) <= written_) return {};
    DROVER_TRY(Charge(static_cast<std::uint64_t>(size), 0));
    if (ftruncate(file, size) != 0) return ErrnoError(errno, "extend");
    return {};
  }

  Status SymbolicLink(const std::string& path, const char* target) {
    if (!order_.single.empty()) {
      return Error(Code::kInvalidArgument, "the archive has a link, but mode is \"file\"");
    }
    if (target == nullptr || !LinkStaysBelow(path, target)) {
      return Error(Code::kInvalidArgument, "the link leads out of the archive, which is refused");
    }
    DROVER_ASSIGN(const UniqueFd dir, Place(path));
    if (symlinkat(target, dir.get(), StagedName(path).c_str()) != 0) {
      return ErrnoError(errno, "make the link");
    }
    return {};
  }

  Status Link(const std::string& path, const char* target) {
    if (!order_.single.empty()) {
      return Error(Code::kInvalidArgument, "the archive has a link, but mode is \"file\"");
    }
    const Result<std::string> to = StagedPath(target);
    if (!to.ok()) return to.error().WithContext("the link leads out of the archive");
    if (*to == path) return {};
    DROVER_ASSIGN(const UniqueFd from, OpenStaged(order_.to, *to, O_RDONLY | O_NONBLOCK));
    struct stat info{};
    if (fstat(from.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return Error(Code::kInvalidArgument, "the link does not lead to a file of the archive");
    }
    DROVER_ASSIGN(const UniqueFd from_dir, Parents(*to, false));
    DROVER_ASSIGN(const UniqueFd dir, Place(path));
    if (linkat(from_dir.get(), StagedName(*to).c_str(), dir.get(), StagedName(path).c_str(), 0) !=
        0) {
      return ErrnoError(errno, "make the link");
    }
    return {};
  }

  // libarchive gives no error for a lack of memory that differs from that of a broken archive.
  Error Broken() const {
    const char* const why = lib_.archive_error_string(archive_.get());
    return Error(
        Code::kUnavailable,
        "the ." + order_.form + " cannot be read: " + (why == nullptr ? "it is broken" : why),
        true);
  }

  const UnpackOrder& order_;
  const ArchiveLibrary& lib_;
  const std::unique_ptr<archive, int (*)(archive*)> archive_;
  FetchBudget budget_;
  std::uint64_t written_ = 0;  // the end of the present file
  bool has_single_ = false;
};

}  // namespace

Status UnpackArchive(const UnpackOrder& order) {
  // The names in an archive are converted to this encoding.
  (void)std::setlocale(LC_CTYPE, "C.UTF-8");
  DROVER_ASSIGN(const ArchiveLibrary library, ArchiveLibrary::Load());
  return Unpacker(order, library).Run();
}

#endif

}  // namespace drover
