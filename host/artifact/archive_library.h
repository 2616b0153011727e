// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include "host/base/result.h"

namespace drover {

// The functions of libarchive that unpack archives. The library is loaded when somebody needs it:
// it brings a dozen of others with it, and only a process that unpacks an archive needs them.
struct ArchiveLibrary {
  // Loads the library; it stays. Returns Code::kUnavailable if this machine does not have it.
  static Result<ArchiveLibrary> Load();

  decltype(&::archive_entry_filetype) archive_entry_filetype = nullptr;
  decltype(&::archive_entry_hardlink) archive_entry_hardlink = nullptr;
  decltype(&::archive_entry_pathname) archive_entry_pathname = nullptr;
  decltype(&::archive_entry_perm) archive_entry_perm = nullptr;
  decltype(&::archive_entry_size) archive_entry_size = nullptr;
  decltype(&::archive_entry_size_is_set) archive_entry_size_is_set = nullptr;
  decltype(&::archive_entry_symlink) archive_entry_symlink = nullptr;
  decltype(&::archive_error_string) archive_error_string = nullptr;
  decltype(&::archive_read_data_block) archive_read_data_block = nullptr;
  decltype(&::archive_read_free) archive_read_free = nullptr;
  decltype(&::archive_read_has_encrypted_entries) archive_read_has_encrypted_entries = nullptr;
  decltype(&::archive_read_new) archive_read_new = nullptr;
  decltype(&::archive_read_next_header) archive_read_next_header = nullptr;
  decltype(&::archive_read_open_fd) archive_read_open_fd = nullptr;
  decltype(&::archive_read_support_filter_bzip2) archive_read_support_filter_bzip2 = nullptr;
  decltype(&::archive_read_support_filter_gzip) archive_read_support_filter_gzip = nullptr;
  decltype(&::archive_read_support_filter_xz) archive_read_support_filter_xz = nullptr;
  decltype(&::archive_read_support_filter_zstd) archive_read_support_filter_zstd = nullptr;
  decltype(&::archive_read_support_format_raw) archive_read_support_format_raw = nullptr;
  decltype(&::archive_read_support_format_tar) archive_read_support_format_tar = nullptr;
  decltype(&::archive_read_support_format_zip) archive_read_support_format_zip = nullptr;
};

}  // namespace drover
