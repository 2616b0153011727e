// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/artifact_options.h"

#include <spdlog/spdlog.h>

#include <cstdint>

namespace drover {

LocalArtifactFetcherOptions ArtifactOptionsOf(const AgentConfig::Client::Artifacts& config,
                                              const std::string& key_dir) {
  LocalArtifactFetcherOptions artifacts;
  artifacts.limits.http_time = config.http_time;
  artifacts.limits.git_time = config.git_time;
  artifacts.limits.most_bytes = config.most_bytes;
  artifacts.limits.most_unpacked = config.most_unpacked;
  artifacts.limits.most_files = static_cast<std::uint64_t>(config.most_files);
  artifacts.file_sources = config.file_sources;
  artifacts.without_rules = config.without_rules;
  const std::size_t slash = key_dir.rfind('/');
  if (config.cache_bytes > 0 && slash != std::string::npos) {
    artifacts.cache_dir = key_dir.substr(0, slash) + "/artifacts";
    artifacts.cache_bytes = config.cache_bytes;
  }
  artifacts.report = [](const Error& error) { spdlog::warn("artifacts: {}", error.message()); };
  return artifacts;
}

}  // namespace drover
