// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#ifdef DROVER_HAS_LIBARCHIVE
#include "host/artifact/archive_library.h"

#include <dlfcn.h>

#include <string>

namespace drover {
namespace {

// The name of all versions with this interface.
constexpr char kArchiveLibrary[] = "libarchive.so.13";

Error NoArchiveLibrary() {
  const char* const why = dlerror();
  return Error(Code::kUnavailable,
               std::string("archives are unpacked by ") + kArchiveLibrary +
                   ", which cannot be loaded; install libarchive13: " +
                   (why == nullptr ? "it is unknown why" : why),
               true);
}

// Finds the function NAME. Returns false if it is not there.
template <typename Function>
bool FindFunction(void* library, const char* name, Function* out) {
  *out = reinterpret_cast<Function>(dlsym(library, name));
  return *out != nullptr;
}

}  // namespace

Result<ArchiveLibrary> ArchiveLibrary::Load() {
  void* const library = dlopen(kArchiveLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return NoArchiveLibrary();
  ArchiveLibrary out;
  const auto find = [library](const char* name, auto* function) {
    return FindFunction(library, name, function);
  };
  const bool whole =
      find("archive_entry_filetype", &out.archive_entry_filetype) &&
      find("archive_entry_hardlink", &out.archive_entry_hardlink) &&
      find("archive_entry_pathname", &out.archive_entry_pathname) &&
      find("archive_entry_perm", &out.archive_entry_perm) &&
      find("archive_entry_size", &out.archive_entry_size) &&
      find("archive_entry_size_is_set", &out.archive_entry_size_is_set) &&
      find("archive_entry_symlink", &out.archive_entry_symlink) &&
      find("archive_error_string", &out.archive_error_string) &&
      find("archive_read_data_block", &out.archive_read_data_block) &&
      find("archive_read_free", &out.archive_read_free) &&
      find("archive_read_has_encrypted_entries", &out.archive_read_has_encrypted_entries) &&
      find("archive_read_new", &out.archive_read_new) &&
      find("archive_read_next_header", &out.archive_read_next_header) &&
      find("archive_read_open_fd", &out.archive_read_open_fd) &&
      find("archive_read_support_filter_bzip2", &out.archive_read_support_filter_bzip2) &&
      find("archive_read_support_filter_gzip", &out.archive_read_support_filter_gzip) &&
      find("archive_read_support_filter_xz", &out.archive_read_support_filter_xz) &&
      find("archive_read_support_filter_zstd", &out.archive_read_support_filter_zstd) &&
      find("archive_read_support_format_raw", &out.archive_read_support_format_raw) &&
      find("archive_read_support_format_tar", &out.archive_read_support_format_tar) &&
      find("archive_read_support_format_zip", &out.archive_read_support_format_zip);
  if (!whole) return NoArchiveLibrary();
  return out;
}

}  // namespace drover
#endif
