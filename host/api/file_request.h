// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "host/alloc/alloc_files.h"
#include "host/api/api_request.h"
#include "host/base/worker_pool.h"

namespace drover {

// The allocation whose files a request wants (the first star of its route), or the refusal.
struct FileTarget {
  std::shared_ptr<const AllocRecord> record;
  std::shared_ptr<const AllocFiles> files;
  std::optional<Answer> refusal;
};
Co<FileTarget> FindFiles(ApiRequest* request);

// Runs WORK on a thread where it may block.
template <typename F>
auto OnFileWorker(ApiRequest* request, F work) {
  return request->agent().file_workers->Run(std::move(work));
}

// The answers for an error of a listing or a look at a file, and for an error of reading one.
Answer LookError(const Error& error);
Answer ReadError(const Error& error);

// ?NAME as a number.
Result<std::int64_t> NumberOf(const ApiRequest& request, const char* name);

// Where reading begins, by ?origin and ?offset.
struct ReadStart {
  bool from_end = false;
  std::int64_t offset = 0;  // at least 0
};
Result<ReadStart> StartOf(const ApiRequest& request);

// Returns at most SIZE bytes of FD at OFFSET; none at its end. Blocks.
Result<std::string> ReadPiece(int fd, std::int64_t offset, std::size_t size);

}  // namespace drover
