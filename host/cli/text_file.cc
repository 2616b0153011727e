// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "host/base/unique_fd.h"
#include "host/cli/read_to_end.h"

namespace drover {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{8} << 20;

Error Unreadable(const Error& error) { return Error(Code::kPermissionDenied, error.message()); }

}  // namespace

Result<std::string> ReadTextFile(const std::string& what, const std::string& path) {
  const std::string name = what + " " + path;
  UniqueFd file;
  if (path != "-") {
    file.Reset(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file && (errno == ENOENT || errno == ENOTDIR)) {
      return Error(Code::kNotFound, name + ": no such file");
    }
    if (!file) return Unreadable(ErrnoError(errno, name));
  }
  // Standard input may be a socket, as ssh makes it, which /dev/stdin cannot open.
  const int fd = file ? file.get() : STDIN_FILENO;
  Result<std::string> text = ReadToEnd(fd, name, kMaxBytes);
  if (!text.ok()) return Unreadable(text.error());
  if (text->size() <= kMaxBytes) return text;
  return Error(Code::kInvalidArgument, name + ": larger than 8 MiB");
}

}  // namespace drover
