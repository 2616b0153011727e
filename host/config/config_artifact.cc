// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <string>

#include "host/config/byte_size.h"
#include "host/config/config_values.h"

namespace drover {
namespace {

void ReadSize(const ConfigValues& values, const std::string& pointer, bool may_be_zero,
              std::uint64_t* out) {
  std::string text;
  values.Text(pointer, &text);
  if (text.empty()) return;
  const auto bytes = ParseByteSize(text);
  if (bytes && (*bytes > 0 || may_be_zero)) {
    *out = *bytes;
    return;
  }
  values.Mistake(pointer, may_be_zero ? "must be a size, such as \"10GB\" or \"0\""
                                      : "must be a size of more than 0, such as \"100GB\"");
}

}  // namespace

void ReadArtifactConfig(const ConfigValues& values, AgentConfig::Client::Artifacts* artifacts) {
  const std::string at = "/client/artifact";
  values.Time(at + "/http_read_timeout", &artifacts->http_time);
  values.Time(at + "/git_timeout", &artifacts->git_time);
  ReadSize(values, at + "/http_max_size", false, &artifacts->most_bytes);
  ReadSize(values, at + "/decompression_size_limit", false, &artifacts->most_unpacked);
  values.Number(at + "/decompression_file_count_limit", &artifacts->most_files);
  ReadSize(values, at + "/cache_size", true, &artifacts->cache_bytes);
  values.Bool(at + "/disable_filesystem_isolation", &artifacts->without_rules);
  values.Texts(at + "/file_sources", &artifacts->file_sources);
}

}  // namespace drover
