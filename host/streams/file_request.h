// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "host/alloc/alloc_files.h"
#include "host/base/worker_pool.h"
#include "host/request/api_request.h"

namespace drover {

// The allocation whose files a request wants. The first star in the pattern of the route matches
// the id of the allocation. If the request is refused, `refusal` has the answer.
struct FileTarget {
  std::shared_ptr<const AllocRecord> record;
  std::shared_ptr<const AllocFiles> files;
  std::optional<Answer> refusal;
};
Co<FileTarget> FindFiles(ApiRequest* request);

// Runs WORK on a worker thread for files. WORK may block.
template <typename F>
auto OnFileWorker(ApiRequest* request, F work) {
  return request->agent().file_workers->Run(std::move(work));
}

// These functions return the answer for ERROR. LookError is for an error of listing or describing
// files, and ReadError is for an error of reading a file.
Answer LookError(const Error& error);
Answer ReadError(const Error& error);

// Returns the query parameter NAME as a number.
Result<std::int64_t> NumberOf(const ApiRequest& request, const char* name);

// The place in a file where reading begins. The query sets it by ?origin and ?offset.
struct ReadStart {
  bool from_end = false;
  std::int64_t offset = 0;  // in bytes, at least 0
};
Result<ReadStart> StartOf(const ApiRequest& request);

// The size in bytes of the pieces in which files are read for clients.
constexpr std::size_t kFilePiece = 64 << 10;

// Reads at most SIZE bytes of FD from OFFSET. Returns an empty text at the end of the file. The
// call blocks.
Result<std::string> ReadPiece(int fd, std::int64_t offset, std::size_t size);

}  // namespace drover
