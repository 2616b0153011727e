// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes that list the files of allocations, describe them, and read them once.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "host/alloc/alloc_tar.h"
#include "host/encode/encode_file.h"
#include "host/http/content_type.h"
#include "host/streams/file_request.h"
#include "host/streams/stream_routes.h"

namespace drover {
namespace {

using nlohmann::json;

Co<Answer> ListFiles(ApiRequest* request) {
  FileTarget target = co_await FindFiles(request);
  if (target.refusal) co_return std::move(*target.refusal);
  const Result<std::vector<AllocFileInfo>> list = co_await OnFileWorker(
      request, [files = target.files, path = request->Text("path")] { return files->List(path); });
  if (!list.ok()) co_return LookError(list.error());
  json infos = json::array();
  for (const AllocFileInfo& info : *list) infos.push_back(EncodeFileInfo(info));
  co_return JsonAnswer(infos);
}

// Returns the description of the file at PATH as JSON. If the file cannot be opened, the
// description has no ContentType.
Result<json> LookAt(const AllocFiles& files, const std::string& path) {
  DROVER_ASSIGN(const AllocFileInfo info, files.Stat(path));
  json encoded = EncodeFileInfo(info);
  const Result<UniqueFd> file = files.OpenFile(path);
  if (!file.ok()) return encoded;
  const Result<std::string> beginning = ReadPiece(file->get(), 0, kSniffedBytes);
  if (beginning.ok()) encoded["ContentType"] = ContentTypeOf(info.name, *beginning);
  return encoded;
}

Co<Answer> StatFile(ApiRequest* request) {
  const std::string path = request->Text("path");
  if (path.empty()) co_return ErrorAnswer(400, "must provide a file name");
  FileTarget target = co_await FindFiles(request);
  if (target.refusal) co_return std::move(*target.refusal);
  const Result<json> info =
      co_await OnFileWorker(request, [files = target.files, path] { return LookAt(*files, path); });
  if (!info.ok()) co_return LookError(info.error());
  co_return JsonAnswer(*info);
}

// Returns the head of a reply that sends a file which begins with BEGINNING. A browser that opens
// the file shows it, but executes nothing in it.
HttpReply PassiveHead(std::string_view beginning) {
  HttpReply head;
  head.content_type = PassiveContentType(beginning);
  head.headers = {
      {"X-Content-Type-Options", "nosniff"},
      {"X-XSS-Protection", "1; mode=block"},
      {"Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"}};
  return head;
}

struct OpenedFile {
  UniqueFd fd;
  std::int64_t end = 0;  // the size in bytes when the file was opened
  std::string beginning;
};

Result<std::shared_ptr<const OpenedFile>> OpenIt(const AllocFiles& files, const std::string& path,
                                                 std::int64_t offset) {
  auto opened = std::make_shared<OpenedFile>();
  DROVER_ASSIGN(opened->fd, files.OpenFile(path));
  struct stat status{};
  if (fstat(opened->fd.get(), &status) != 0) return ErrnoError(errno, path);
  opened->end = status.st_size;
  DROVER_ASSIGN(opened->beginning, ReadPiece(opened->fd.get(), offset, kSniffedBytes));
  return std::shared_ptr<const OpenedFile>(std::move(opened));
}

// Sends LIMIT bytes of the file from OFFSET. If LIMIT is negative, sends all bytes up to the end.
Co<Answer> SendFile(ApiRequest* request, std::int64_t offset, std::int64_t limit) {
  FileTarget target = co_await FindFiles(request);
  if (target.refusal) co_return std::move(*target.refusal);
  const auto opened =
      co_await OnFileWorker(request, [files = target.files, path = request->Text("path"), offset] {
        return OpenIt(*files, path, offset);
      });
  if (!opened.ok()) co_return ReadError(opened.error());
  HttpExchange* const exchange = request->exchange();
  Status sent = co_await exchange->StartStream(PassiveHead((*opened)->beginning));
  std::int64_t left = std::max<std::int64_t>((*opened)->end - offset, 0);
  if (limit >= 0) left = std::min(left, limit);
  while (sent.ok() && left > 0) {
    Result<std::string> piece = co_await OnFileWorker(request, [file = *opened, offset, left] {
      const auto size = static_cast<std::size_t>(std::min<std::int64_t>(left, kFilePiece));
      return ReadPiece(file->fd.get(), offset, size);
    });
    // An answer that is not complete must not look complete.
    if (!piece.ok()) throw std::runtime_error(piece.error().message());
    if (piece->empty()) break;  // the file was truncated after it was opened
    offset += static_cast<std::int64_t>(piece->size());
    left -= static_cast<std::int64_t>(piece->size());
    sent = co_await exchange->Write(std::move(*piece));
  }
  co_return StreamedAnswer();
}

Co<Answer> CatFile(ApiRequest* request) {
  if (request->Text("path").empty()) co_return ErrorAnswer(400, "must provide a file name");
  co_return co_await SendFile(request, 0, -1);
}

Co<Answer> ReadFileAt(ApiRequest* request) {
  if (request->Text("path").empty()) co_return ErrorAnswer(400, "must provide a file name");
  const Result<std::int64_t> offset = NumberOf(*request, "offset");
  if (!offset.ok()) co_return ErrorAnswer(500, offset.error().message());
  if (*offset < 0) co_return ErrorAnswer(400, "offset must not be negative");
  std::int64_t limit = -1;
  if (!request->Text("limit").empty()) {
    const Result<std::int64_t> wanted = NumberOf(*request, "limit");
    if (!wanted.ok()) co_return ErrorAnswer(500, wanted.error().message());
    limit = *wanted;
  }
  co_return co_await SendFile(request, *offset, limit);
}

// Sends the disk of an allocation as a tar archive.
Co<Answer> SendSnapshot(ApiRequest* request) {
  FileTarget target = co_await FindFiles(request);
  if (target.refusal) co_return std::move(*target.refusal);
  std::vector<std::string> tasks;
  if (const TaskGroup* const group = target.record->alloc->group()) {
    for (const Task& task : group->tasks) tasks.push_back(task.name);
  }
  const auto opened = co_await OnFileWorker(
      request, [files = target.files, id = request->parameter(0), tasks = std::move(tasks)] {
        return AllocTar::Open(files->root(), id, tasks);
      });
  if (!opened.ok()) co_return LookError(opened.error());
  AllocTar* const tar = opened->get();
  HttpExchange* const exchange = request->exchange();
  HttpReply head;
  head.content_type = "application/octet-stream";
  Status sent = co_await exchange->StartStream(std::move(head));
  while (sent.ok()) {
    std::string part = co_await OnFileWorker(request, [tar] { return tar->Next(); });
    if (part.empty()) break;
    sent = co_await exchange->Write(std::move(part));
  }
  co_return StreamedAnswer();
}

// Answers paths below /v1/client/fs that match no other route, such as "/v1/client/fs/ls" without
// an id.
Co<Answer> NoFiles(ApiRequest* request) {
  const std::string& rest = request->parameter(0);
  const std::string verb = rest.substr(0, rest.find('/'));
  const bool has_id = rest.size() > verb.size() + 1;
  for (const char* known : {"ls", "stat", "readat", "cat", "stream", "logs"}) {
    if (verb == known && !has_id) co_return ErrorAnswer(400, "must provide a valid alloc id");
  }
  co_return ErrorAnswer(404, "Invalid method");
}

}  // namespace

std::vector<Route> FileRoutes() {
  return {
      {"GET", "/v1/client/fs/ls/*", ListFiles},
      {"GET", "/v1/client/fs/stat/*", StatFile},
      {"GET", "/v1/client/fs/readat/*", ReadFileAt},
      {"GET", "/v1/client/fs/cat/*", CatFile},
      {"GET", "/v1/client/allocation/*/snapshot", SendSnapshot},
      {"GET", "/v1/client/fs/**", NoFiles},
  };
}

}  // namespace drover
