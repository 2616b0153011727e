// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/artifact/local_artifact_fetcher.h"
#include "host/config/agent_config.h"

namespace drover {

// Returns how a node fetches artifacts. KEY_DIR is that of its keys; the kept downloads are beside
// it, and a node without keys keeps none.
LocalArtifactFetcherOptions ArtifactOptionsOf(const AgentConfig::Client::Artifacts& config,
                                              const std::string& key_dir);

}  // namespace drover
