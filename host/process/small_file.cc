// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "host/base/unique_fd.h"

namespace drover {

std::optional<std::string> ReadSmallFile(int directory, const char* path, std::size_t limit) {
  UniqueFd file(openat(directory, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return std::nullopt;
  std::string text;
  char buffer[4096];
  ssize_t n = 0;
  while (text.size() < limit && (n = read(file.get(), buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<std::size_t>(n));
  if (n >= 0) return text;
  const int error = errno;
  file.Reset();
  errno = error;
  return std::nullopt;
}

int WriteSmallFile(int directory, const char* path, std::string_view text) {
  const UniqueFd file(openat(directory, path, O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (!file) return errno;
  const ssize_t n = write(file.get(), text.data(), text.size());
  if (n < 0) return errno;
  return n == static_cast<ssize_t>(text.size()) ? 0 : EIO;
}

std::optional<std::int64_t> FieldOf(const std::string& text, const std::string& key) {
  std::size_t at = text.starts_with(key + " ") ? 0 : text.find("\n" + key + " ");
  if (at == std::string::npos) return std::nullopt;
  if (text[at] == '\n') ++at;
  return std::atoll(text.c_str() + at + key.size() + 1);
}

}  // namespace drover
