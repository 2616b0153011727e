// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/file_request.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <utility>

#include "host/base/text.h"

namespace drover {
namespace {

bool IsUuid(const std::string& text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    const auto c = static_cast<unsigned char>(text[i]);
    if (hyphen ? c != '-' : std::isxdigit(c) == 0) return false;
  }
  return true;
}

}  // namespace

Co<FileTarget> FindFiles(ApiRequest* request) {
  FileTarget target;
  const std::string& id = request->parameter(0);
  if (!IsUuid(id)) {
    target.refusal = ErrorAnswer(500, "alloc lookup failed: \"" + id + "\" is not a UUID");
    co_return target;
  }
  target.record = FindAlloc(*request, id);
  if (target.record == nullptr) {
    target.refusal = ErrorAnswer(404, "Unknown allocation \"" + id + "\"");
    co_return target;
  }
  Result<AllocFiles> files = co_await OnFileWorker(
      request, [base = request->agent().alloc_dir, id] { return AllocFiles::Open(base, id); });
  if (files.ok()) {
    target.files = std::make_shared<const AllocFiles>(std::move(*files));
  } else if (files.code() == Code::kNotFound) {
    target.refusal = ErrorAnswer(404, "state for allocation " + id + " not found on client");
  } else {
    target.refusal = ErrorAnswer(500, files.error().message());
  }
  co_return target;
}

Answer LookError(const Error& error) {
  return ErrorAnswer(error.code() == Code::kNotFound ? 404 : 500, error.message());
}

Answer ReadError(const Error& error) {
  const bool theirs = error.code() == Code::kNotFound || error.code() == Code::kInvalidArgument ||
                      error.code() == Code::kPermissionDenied;
  return ErrorAnswer(theirs ? 400 : 500, error.message());
}

Result<std::int64_t> NumberOf(const ApiRequest& request, const char* name) {
  const std::string text = request.Text(name);
  const auto number = ParseNumber<std::int64_t>(text);
  if (!number) {
    return Error(Code::kInvalidArgument,
                 std::string("error parsing ") + name + ": \"" + text + "\" is not a number");
  }
  return *number;
}

Result<ReadStart> StartOf(const ApiRequest& request) {
  ReadStart start;
  if (!request.Text("offset").empty()) {
    DROVER_ASSIGN(const std::int64_t offset, NumberOf(request, "offset"));
    start.offset = std::max<std::int64_t>(offset, 0);
  }
  const std::string origin = request.Text("origin");
  if (!origin.empty() && origin != "start" && origin != "end") {
    return Error(Code::kInvalidArgument, "origin must be start or end");
  }
  start.from_end = origin == "end";
  return start;
}

Result<std::string> ReadPiece(int fd, std::int64_t offset, std::size_t size) {
  std::string piece(size, '\0');
  ssize_t n = 0;
  do {
    n = pread(fd, piece.data(), piece.size(), offset);
  } while (n < 0 && errno == EINTR);
  if (n < 0) return ErrnoError(errno, "read");
  piece.resize(static_cast<std::size_t>(n));
  return piece;
}

}  // namespace drover
