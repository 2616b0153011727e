// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/read_to_end.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace drover {

Result<std::string> ReadToEnd(int fd, const std::string& name, std::size_t most) {
  std::string text;
  std::string block(std::size_t{64} << 10, '\0');
  while (text.size() <= most) {
    const ssize_t size = read(fd, block.data(), block.size());
    if (size == 0) break;
    if (size > 0) {
      text.append(block, 0, static_cast<std::size_t>(size));
    } else if (errno == EAGAIN) {
      pollfd wait{fd, POLLIN, 0};
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return ErrnoError(errno, name);
    }
  }
  return text;
}

}  // namespace drover
