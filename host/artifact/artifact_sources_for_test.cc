// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Reads sources of artifacts from its input, one a line, and writes how each is understood as a
// line of JSON. tests/interop/artifact compares this with go-getter.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "host/artifact/artifact_source.h"

namespace {

nlohmann::json Understood(const std::string& line) {
  using Kind = drover::ArtifactSource::Kind;
  const auto source = drover::ParseArtifactSource(line, {}, drover::Artifact::Mode::kAny);
  if (!source.ok()) {
    const bool refused = source.code() == drover::Code::kUnimplemented;
    return {{refused ? "refused" : "error", source.error().message()}};
  }
  const bool git = source->kind == Kind::kGit;
  return {
      {"kind", git                           ? "git"
               : source->kind == Kind::kFile ? "file"
                                             : "http"},
      {"url", source->url.Text()},
      {"subdir", source->subdir},
      {"archive", source->archive},
      {"checksum", source->checksum ? source->checksum->type + ":" + source->checksum->value : ""},
      {"filename", source->filename},
      {"ref", source->ref},
      {"depth", source->depth}};
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << Understood(line).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
              << "\n";
  }
}
