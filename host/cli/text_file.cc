// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/text_file.h"

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace drover {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxBytes = 8 << 20;

}  // namespace

Result<std::string> ReadTextFile(const std::string& what, const std::string& path) {
  if (path == "-") return ReadTextFile(what, "/dev/stdin");
  const auto wrong = [&](Code code, const std::string& why) {
    return Error(code, what + " " + path + ": " + why);
  };
  const Error too_large = wrong(Code::kInvalidArgument, "larger than 8 MiB");
  std::error_code error;
  if (!fs::exists(path, error)) {
    if (error) return wrong(Code::kPermissionDenied, error.message());
    return wrong(Code::kNotFound, "no such file");
  }
  if (fs::is_regular_file(path, error) && fs::file_size(path, error) > kMaxBytes) return too_large;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || !file.is_open()) return wrong(Code::kPermissionDenied, "cannot be read");
  if (text.size() > kMaxBytes) return too_large;
  return text;
}

}  // namespace drover
