// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "host/alloc/alloc_files.h"

// These functions encode files for clients. [any thread]
namespace drover {

// Returns a mode as Go writes it, such as "-rw-r--r--", "dtrwxrwxrwx" or "Lrwxrwxrwx".
std::string FileModeText(mode_t mode);

nlohmann::json EncodeFileInfo(const AllocFileInfo& info);

// A part of a file that a client follows.
struct StreamFrame {
  std::string data;
  std::string file;
  std::string event;        // "file deleted" or "file truncated"
  std::int64_t offset = 0;  // the position in the file after DATA, in bytes
};
inline constexpr char kFileDeleted[] = "file deleted";
inline constexpr char kFileTruncated[] = "file truncated";
// The frame that keeps the connection alive while there is no new data.
inline constexpr char kEmptyFrame[] = "{}";

// Returns FRAME as a JSON object without its empty fields.
std::string EncodeFrame(const StreamFrame& frame);

}  // namespace drover
