// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/logs/log_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

namespace drover {

LogReader::LogReader(UniqueFd directory, std::string task, std::string stream, LogStart start)
    : task_(std::move(task)),
      stream_(std::move(stream)),
      start_(start),
      directory_(std::move(directory)) {}

LogReader::LogReader(std::string directory, std::string task, std::string stream, LogStart start)
    : path_(std::move(directory)),
      task_(std::move(task)),
      stream_(std::move(stream)),
      start_(start) {}

bool LogReader::OpenDirectory() {
  if (!directory_ && !path_.empty()) {
    directory_.Reset(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return directory_.valid();
}

void LogReader::Begin(const std::vector<LogFile>& files) {
  begun_ = true;
  first_end_ = {files.back().index, files.back().size};
  const std::int64_t offset = std::max<std::int64_t>(start_.offset, 0);
  if (start_.from_end && empty_) {
    at_ = {files.front().index, 0};
  } else if (!start_.from_end) {
    at_ = ClosestLogPosition(files, files.front().index, offset);
  } else if (offset == 0) {
    at_ = first_end_;
  } else {
    at_ = ClosestLogPosition(files, std::numeric_limits<int>::max(), -offset);
  }
}

void LogReader::Open(int index, std::int64_t offset) {
  at_ = {index, offset};
  Result<UniqueFd> fd = OpenLogFile(directory_.get(), task_, stream_, index);
  file_ = fd.ok() ? std::move(*fd) : UniqueFd();
}

bool LogReader::ReadData(std::size_t limit, Step* step) {
  struct stat status{};
  if (!file_ || fstat(file_.get(), &status) != 0) return false;
  if (status.st_size < at_.offset) {
    at_.offset = 0;
    step->chunk.emplace().event = LogEvent::kTruncated;
    return true;
  }
  std::string data(limit, '\0');
  ssize_t n = 0;
  do {
    n = pread(file_.get(), data.data(), data.size(), at_.offset);
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return false;
  data.resize(static_cast<std::size_t>(n));
  at_.offset += n;
  step->chunk.emplace().data = std::move(data);
  return true;
}

bool LogReader::Advance(Step* step) {
  const Result<std::vector<LogFile>> files = ListLogFiles(directory_.get(), task_, stream_);
  if (files.ok() && files->empty()) empty_ = true;
  if (!files.ok() || files->empty()) return false;
  if (!begun_) {
    Begin(*files);
    Open(at_.index, at_.offset);
    return true;
  }
  struct stat status{};
  const bool gone = !file_ || (fstat(file_.get(), &status) == 0 && status.st_nlink == 0);
  // If the open file was removed, a file with the same name is a new file, which must be read
  // next.
  const int wanted = gone ? at_.index : at_.index + 1;
  const auto next = std::find_if(files->begin(), files->end(),
                                 [wanted](const LogFile& file) { return file.index >= wanted; });
  if (next == files->end()) return false;
  // A file that has a successor gets no more data. But it may have got data after the last read
  // and before the list was made. That data must be returned before the data of the successor.
  constexpr std::size_t kRest = 64u << 10;
  if (file_ && ReadData(kRest, step)) return true;
  const bool again = next->index == at_.index;
  Open(next->index, 0);
  // If file_ is empty, the next file was removed after the list was made. Then the next call opens
  // the successor of that file.
  if (!file_) at_.index = next->index + 1;
  if (again && file_) step->chunk.emplace().event = LogEvent::kTruncated;
  return true;
}

LogReader::Step LogReader::Read(std::size_t limit) {
  Step step;
  if (!OpenDirectory()) {
    if (errno == ENOENT) empty_ = true;
    return step;
  }
  step.more = ReadData(limit, &step) || Advance(&step);
  if (step.chunk) {
    step.chunk->index = at_.index;
    step.chunk->offset = at_.offset;
    step.chunk->file = LogFileName(task_, stream_, at_.index);
  }
  step.past_first_end =
      begun_ && (at_.index > first_end_.index ||
                 (at_.index == first_end_.index && at_.offset >= first_end_.offset));
  struct stat status{};
  step.gone = !step.more && fstat(directory_.get(), &status) == 0 && status.st_nlink == 0;
  return step;
}

}  // namespace drover
