// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/node_setup.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "host/base/printable.h"
#include "host/library/plugin_file.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

constexpr std::uintmax_t kMaxJobBytes = 8 << 20;

// Adds a block for each library of DIRECTORIES whose driver has none yet: who names a directory on
// the command line wants all of it.
void AddPlugins(const std::vector<std::string>& directories, AgentConfig* config) {
  for (FoundPlugin& found : FindPlugins(directories)) {
    PluginConfig plugin;
    plugin.isolation.clear();
    plugin.file = std::move(found.path);
    plugin.name = found.manifest.ok() ? found.manifest->name
                                      : std::filesystem::path(plugin.file).stem().string();
    // raw_exec is off unless somebody asks for it, and here somebody does.
    if (plugin.name == "raw_exec") plugin.config_json = R"({"enabled": true})";
    const auto same = [&plugin](const PluginConfig& other) { return other.name == plugin.name; };
    if (std::none_of(config->plugins.begin(), config->plugins.end(), same)) {
      config->plugins.push_back(std::move(plugin));
    }
  }
}

}  // namespace

Result<AgentConfig> CommandConfig(const std::string& config_file,
                                  const std::vector<std::string>& plugin_dirs) {
  AgentConfig config;
  if (!config_file.empty()) {
    DROVER_ASSIGN(config, ReadAgentConfig(config_file));
  }
  std::vector<std::string> directories;
  std::error_code error;
  for (const std::string& directory : plugin_dirs) {
    if (!std::filesystem::is_directory(directory, error)) {
      return Error(Code::kNotFound, "plugin directory " + directory + ": no such directory");
    }
    directories.push_back(std::filesystem::absolute(directory, error).lexically_normal().string());
  }
  AddPlugins(directories, &config);
  return config;
}

Result<std::string> ReadJobText(const std::string& path) {
  if (path == "-") return ReadJobText("/dev/stdin");
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    if (error) return Error(Code::kPermissionDenied, "job file " + path + ": " + error.message());
    return Error(Code::kNotFound, "job file " + path + ": no such file");
  }
  if (std::filesystem::is_regular_file(path, error) &&
      std::filesystem::file_size(path, error) > kMaxJobBytes) {
    return Error(Code::kInvalidArgument, "job file " + path + ": larger than 8 MiB");
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxJobBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || (!file.is_open())) {
    return Error(Code::kPermissionDenied, "job file " + path + ": cannot be read");
  }
  if (text.size() > kMaxJobBytes) {
    return Error(Code::kInvalidArgument, "job file " + path + ": larger than 8 MiB");
  }
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

void PrintError(const std::string& command, const Error& error) {
  std::fprintf(stderr, "drover %s: %s\n", command.c_str(), PrintableLines(error.message()).c_str());
}

}  // namespace drover
