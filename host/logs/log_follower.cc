// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/logs/log_follower.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace drover {

LogFollower::LogFollower(Loop* loop, WorkerPool* pool, std::string directory, std::string task,
                         std::string stream, Sink sink)
    : pool_(pool),
      path_(std::move(directory)),
      task_(std::move(task)),
      stream_(std::move(stream)),
      sink_(std::move(sink)),
      finish_(loop) {}

LogFollower::Read LogFollower::ReadNext(UniqueFd* directory, const std::string& path,
                                        const std::string& task, const std::string& stream,
                                        LogPosition at, bool started) {
  Read read;
  read.next = at;
  if (!*directory) {
    directory->Reset(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!*directory) return read;
  }
  const Result<std::vector<LogFile>> files = ListLogFiles(directory->get(), task, stream);
  if (!files.ok() || files->empty()) return read;
  // The file itself, or the next one when it has been rotated away.
  const auto file = std::find_if(files->begin(), files->end(), [&](const LogFile& candidate) {
    return !started || candidate.index >= at.index;
  });
  if (file == files->end()) return read;
  if (file->index != at.index || !started) read.next = {file->index, 0};
  if (read.next.offset > file->size) read.next.offset = 0;  // it was cut: from its beginning
  const Result<UniqueFd> fd = OpenLogFile(directory->get(), task, stream, file->index);
  if (!fd.ok()) return read;
  read.data.resize(kChunk);
  const ssize_t n = pread(fd->get(), read.data.data(), read.data.size(), read.next.offset);
  read.data.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  read.next.offset += static_cast<std::int64_t>(read.data.size());
  read.more = !read.data.empty();
  if (read.data.empty() && file + 1 != files->end()) {
    // A file that has a successor is complete: the look above was behind its last byte.
    read.next = {(file + 1)->index, 0};
    read.more = true;
  }
  return read;
}

Co<LogFollower::Read> LogFollower::ReadOnPool() {
  // Nothing else touches directory_ while the read is under way.
  std::function<Read()> work = [this] {
    return ReadNext(&directory_, path_, task_, stream_, at_, started_);
  };
  if (pool_ == nullptr) co_return work();
  co_return co_await pool_->Run(std::move(work));
}

Co<void> LogFollower::Run(Context context) {
  while (!context.cancelled()) {
    const bool last = finish_.is_set();
    Read read = co_await ReadOnPool();
    const bool moved = read.next != at_;
    at_ = read.next;
    started_ = started_ || moved || !read.data.empty();
    if (!read.data.empty()) {
      LogChunk chunk;
      chunk.data = std::move(read.data);
      chunk.index = at_.index;
      chunk.offset = at_.offset;
      sink_(std::move(chunk));
    }
    if (read.more) continue;
    if (last) co_return;
    const Context pause = context.WithTimeout(kPoll);
    [[maybe_unused]] const Status woken = co_await finish_.Wait(pause);
  }
}

}  // namespace drover
