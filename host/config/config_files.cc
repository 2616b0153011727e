// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/config_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "host/base/owned_path.h"
#include "host/base/unique_fd.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = 4 << 20;
constexpr std::size_t kMaxFiles = 1000;

bool IsConfigName(const fs::path& path) {
  const std::string extension = path.extension().string();
  return (extension == ".hcl" || extension == ".json") &&
         !path.filename().string().starts_with('.');
}

Result<std::string> ReadAll(int file) {
  std::string text(kMaxFileBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t n = read(file, text.data() + size, text.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, "cannot read it");
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  if (size > kMaxFileBytes) return Error(Code::kInvalidArgument, "larger than 4 MiB");
  text.resize(size);
  return text;
}

}  // namespace

Result<std::vector<std::string>> ListConfigFiles(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  if (!fs::is_directory(whole, error)) return std::vector<std::string>{whole.string()};
  std::vector<std::string> files;
  fs::directory_iterator entry(whole, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code unknown;  // a file whose kind is unknown is read, and the error is reported
    if (!IsConfigName(entry->path()) || entry->is_directory(unknown)) continue;
    files.push_back(entry->path().string());
    if (files.size() > kMaxFiles) {
      return Error(Code::kInvalidArgument, "has more than 1000 configuration files");
    }
  }
  if (error) return ErrnoError(error.value(), "cannot list it");
  std::sort(files.begin(), files.end());
  return files;
}

Result<ConfigFile> ReadConfigFile(const std::string& path) {
  std::error_code error;
  ConfigFile file;
  file.path = fs::absolute(path, error).string();
  // The plugins in the configuration file run with the agent's rights. So OpenOwned checks which
  // users may write to the file.
  const OwnedKind kind{"configurations", "the configuration", /*own_group_may_write=*/true};
  const Result<UniqueFd> opened = OpenOwned(file.path, O_RDONLY | O_NOCTTY, kind);
  struct stat info{};
  if (opened.ok() && fstat(opened->get(), &info) != 0) return ErrnoError(errno, "cannot read it");
  if (opened.ok() ? !S_ISREG(info.st_mode) : opened.code() == Code::kNotFound) {
    return Error(Code::kNotFound, "no such file");
  }
  if (!opened.ok()) return opened.error();
  DROVER_ASSIGN(file.text, ReadAll(opened->get()));
  if (file.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Error(Code::kInvalidArgument, "is empty: write a configuration, or remove the file");
  }
  return file;
}

}  // namespace drover
