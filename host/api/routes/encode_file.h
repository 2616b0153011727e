// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "host/alloc/alloc_files.h"

// Files as clients read them. [any thread]
namespace drover {

// "-rw-r--r--", "dtrwxrwxrwx", "Lrwxrwxrwx": as Go writes modes.
std::string FileModeText(mode_t mode);

nlohmann::json EncodeFileInfo(const AllocFileInfo& info);

// A piece of a file that is followed.
struct StreamFrame {
  std::string data;
  std::string file;
  std::string event;        // "file deleted" or "file truncated"
  std::int64_t offset = 0;  // in the file, behind the data
};
inline constexpr char kFileDeleted[] = "file deleted";
inline constexpr char kFileTruncated[] = "file truncated";
// What says that there is nothing new.
inline constexpr char kEmptyFrame[] = "{}";

// An object without what is empty.
std::string EncodeFrame(const StreamFrame& frame);

}  // namespace drover
