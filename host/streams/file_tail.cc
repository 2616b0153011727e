// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/file_tail.h"

#include <algorithm>
#include <cerrno>

namespace drover {

Result<FileTail> FileTail::Open(std::shared_ptr<const AllocFiles> files, std::string path,
                                ReadStart start) {
  DROVER_ASSIGN(UniqueFd fd, files->OpenFile(path));
  struct stat status{};
  if (fstat(fd.get(), &status) != 0) return ErrnoError(errno, path);
  FileTail tail(std::move(files), std::move(path), std::move(fd));
  tail.offset_ = start.from_end ? std::max<std::int64_t>(status.st_size - start.offset, 0)
                                : std::min<std::int64_t>(start.offset, status.st_size);
  return tail;
}

FileTail::Step FileTail::Read() {
  Step step;
  Result<std::string> piece = ReadPiece(fd_.get(), offset_, kFilePiece);
  if (piece.ok() && !piece->empty()) {
    offset_ += static_cast<std::int64_t>(piece->size());
    step.data = std::move(*piece);
    step.state = State::kMore;
    return step;
  }
  struct stat status{};
  if (fstat(fd_.get(), &status) != 0) return step;
  if (status.st_size < offset_) {
    offset_ = 0;
    step.state = State::kTruncated;
    return step;
  }
  // Checks whether the path still names the open file. If the path names no file or another file,
  // the open file is treated as deleted.
  const Result<UniqueFd> there = files_->OpenFile(path_);
  struct stat named{};
  const bool same = there.ok() && fstat(there->get(), &named) == 0 &&
                    named.st_ino == status.st_ino && named.st_dev == status.st_dev;
  if (!same) step.state = State::kDeleted;
  return step;
}

}  // namespace drover
