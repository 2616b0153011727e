// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "host/alloc/alloc_files.h"

// Encodes files for clients. [any thread]
namespace drover {

// "-rw-r--r--", "dtrwxrwxrwx", "Lrwxrwxrwx": as Go writes modes.
std::string FileModeText(mode_t mode);

nlohmann::json EncodeFileInfo(const AllocFileInfo& info);

// A piece of a file that is followed.
struct StreamFrame {
  std::string data;
  std::string file;
  std::string event;        // "file deleted" or "file truncated"
  std::int64_t offset = 0;  // in the file, after the data
};
inline constexpr char kFileDeleted[] = "file deleted";
inline constexpr char kFileTruncated[] = "file truncated";
// The frame for "nothing new".
inline constexpr char kEmptyFrame[] = "{}";

// A JSON object without the empty fields.
std::string EncodeFrame(const StreamFrame& frame);

}  // namespace drover
