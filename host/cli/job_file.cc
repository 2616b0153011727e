// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/job_file.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

#include "host/base/printable.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxJobBytes = 8 << 20;

Error TooLarge(const std::string& path) {
  return Error(Code::kInvalidArgument, "job file " + path + ": larger than 8 MiB");
}

}  // namespace

Result<std::string> ReadJobText(const std::string& path) {
  if (path == "-") return ReadJobText("/dev/stdin");
  std::error_code error;
  if (!fs::exists(path, error)) {
    if (error) return Error(Code::kPermissionDenied, "job file " + path + ": " + error.message());
    return Error(Code::kNotFound, "job file " + path + ": no such file");
  }
  if (fs::is_regular_file(path, error) && fs::file_size(path, error) > kMaxJobBytes) {
    return TooLarge(path);
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxJobBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || !file.is_open()) {
    return Error(Code::kPermissionDenied, "job file " + path + ": cannot be read");
  }
  if (text.size() > kMaxJobBytes) return TooLarge(path);
  return text;
}

Result<JobFile> ReadJobFile(const std::string& path) {
  DROVER_ASSIGN(const std::string text, ReadJobText(path));
  JobFile read;
  Result<Job> job = ParseJob(text, nullptr, &read.place, &read.warnings);
  if (!job.ok()) return job.error().WithContext("job file " + path);
  read.job = std::move(*job);
  return read;
}

void PrintWarnings(const std::string& command, const std::string& file, const JobFile& job) {
  for (const JobFault& warning : job.warnings) {
    const std::string line =
        "warning: job file " + file + ": " + warning.pointer + ": " + warning.message;
    std::fprintf(stderr, "drover %s: %s\n", command.c_str(), PrintableLines(line).c_str());
  }
}

}  // namespace drover
