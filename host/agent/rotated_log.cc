// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/rotated_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

namespace drover {
namespace {

namespace fs = std::filesystem;

// Returns when FILE was made, or 0 if the file system does not know it.
WallTime BirthOf(int file) {
  struct statx info{};
  if (statx(file, "", AT_EMPTY_PATH, STATX_BTIME, &info) != 0) return 0;
  if ((info.stx_mask & STATX_BTIME) == 0) return 0;
  return info.stx_btime.tv_sec * 1'000'000'000 + info.stx_btime.tv_nsec;
}

// Returns the time in the name of an older file, or -1 if NAME is another file.
std::int64_t TimeIn(const std::string& name, const fs::path& path) {
  const std::string before = path.stem().string() + "-", after = path.extension().string();
  if (name.size() <= before.size() + after.size()) return -1;
  if (!name.starts_with(before) || !name.ends_with(after)) return -1;
  std::int64_t time = -1;
  const char* const end = name.data() + name.size() - after.size();
  const auto [rest, error] = std::from_chars(name.data() + before.size(), end, time);
  return error == std::errc() && rest == end ? time : -1;
}

}  // namespace

RotatedLog::RotatedLog(AgentConfig::LogFile options, std::function<WallTime()> now)
    : options_(std::move(options)), now_(std::move(now)) {}

Result<std::unique_ptr<RotatedLog>> RotatedLog::Open(AgentConfig::LogFile options,
                                                     std::function<WallTime()> now) {
  std::unique_ptr<RotatedLog> file(new RotatedLog(std::move(options), std::move(now)));
  DROVER_TRY(file->OpenFile());
  return file;
}

Status RotatedLog::OpenFile() {
  const char* const path = options_.path.c_str();
  UniqueFd fd(open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0640));
  struct stat info{};
  if (!fd || fstat(fd.get(), &info) != 0) return ErrnoError(errno, "/log_file: " + options_.path);
  if (!S_ISREG(info.st_mode)) {
    return Error(Code::kInvalidArgument, "/log_file: " + options_.path + " is no file");
  }
  fd_ = std::move(fd);
  size_ = info.st_size;
  in_line_ = cut_ = false;
  const WallTime birth = BirthOf(fd_.get());
  begun_ = birth > 0 ? birth : now_();
  return {};
}

bool RotatedLog::HasRoom(int) { return true; }

bool RotatedLog::WriteSome(std::string_view* text) {
  const std::lock_guard lock(mutex_);
  const auto more = static_cast<std::int64_t>(text->size());
  const bool full = options_.rotate_bytes > 0 && size_ + more > options_.rotate_bytes;
  const bool old = now_() - begun_ >= options_.rotate_duration.count();
  if (size_ > 0 && (full || old)) Rotate();
  if (cut_) {
    if (write(fd_.get(), "\n", 1) != 1) return errno == EINTR;
    cut_ = false;
    ++size_;
  }
  const ssize_t written = write(fd_.get(), text->data(), text->size());
  if (written < 0) {
    if (errno == EINTR) return true;
    cut_ = in_line_;
    return false;
  }
  in_line_ = !text->substr(0, static_cast<std::size_t>(written)).ends_with('\n');
  size_ += written;
  text->remove_prefix(static_cast<std::size_t>(written));
  return true;
}

// If the file cannot be renamed or opened anew, the log goes on in the present one. The next try
// comes after another full size or duration. A new file begins also if somebody else has renamed or
// removed the present one.
void RotatedLog::Rotate() {
  const fs::path path(options_.path);
  const fs::path older = path.parent_path() / (path.stem().string() + "-" + std::to_string(now_()) +
                                               path.extension().string());
  const bool gone = std::rename(path.c_str(), older.c_str()) == 0 || errno == ENOENT;
  if (!gone || !OpenFile().ok()) size_ = 0;
  begun_ = now_();
  if (options_.rotate_max_files != 0) RemoveOld();
}

void RotatedLog::RemoveOld() const {
  const fs::path path(options_.path);
  std::vector<std::pair<std::int64_t, fs::path>> older;
  std::error_code error;
  fs::directory_iterator entry(path.parent_path(), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::int64_t time = TimeIn(entry->path().filename().string(), path);
    if (time >= 0) older.emplace_back(time, entry->path());
  }
  std::sort(older.begin(), older.end());
  const auto keep = static_cast<std::size_t>(std::max(options_.rotate_max_files, 0));
  for (std::size_t i = 0; i + keep < older.size(); ++i) unlink(older[i].second.c_str());
}

}  // namespace drover
