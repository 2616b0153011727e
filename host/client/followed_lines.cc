// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/followed_lines.h"

#include <string_view>
#include <utility>

namespace drover {
namespace {

constexpr std::size_t kMaxLine = std::size_t{256} << 20;

}  // namespace

Error FollowLines(ApiClient* client, const std::string& path, Query query,
                  const std::function<void(const std::string& line)>& take) {
  std::string rest;
  const Status ended = client->Stream(path, std::move(query), [&](std::string_view bytes) {
    for (std::size_t end = 0; (end = bytes.find('\n')) != std::string_view::npos;) {
      rest += bytes.substr(0, end);
      take(rest);
      rest.clear();
      bytes.remove_prefix(end + 1);
    }
    if (rest.size() < kMaxLine) rest += bytes;  // a line is cut when it is longer than kMaxLine
  });
  return ended.ok() ? Error(Code::kUnavailable, "the agent has ended the answer") : ended.error();
}

}  // namespace drover
