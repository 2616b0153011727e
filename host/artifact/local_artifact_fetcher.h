// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/artifact/artifact_cache.h"
#include "host/artifact/fetch_order.h"
#include "host/base/loop.h"
#include "host/base/worker_pool.h"
#include "host/task/hooks/artifact_hook.h"

namespace drover {

struct LocalArtifactFetcherOptions {
  FetchLimits limits;
  std::vector<std::string> file_sources;  // see FetchOrder
  bool without_rules = false;             // see NetworkRights
  std::string cache_dir;                  // its parent must exist; empty: there is no cache
  std::uint64_t cache_bytes = 0;
  std::function<void(const Error&)> report;  // receives errors of the cache; may be empty
};

// Fetches artifacts in processes of this machine. Makes its threads and its cache for the first
// artifact, so that a node without artifacts pays nothing.
class LocalArtifactFetcher : public ArtifactFetcher {
 public:
  LocalArtifactFetcher(Loop* loop, LocalArtifactFetcherOptions options);

  Co<Status> Fetch(Context context, ArtifactRequest request,
                   std::function<void(const ArtifactProgress&)> progress) override;
  Duration longest() const override;

 private:
  struct Run;

  static Co<void> Work(LocalArtifactFetcher* self, std::shared_ptr<Run> run);
  static Co<void> Watch(LocalArtifactFetcher* self, std::shared_ptr<Run> run);
  Status FetchNow(Run* run);

  Loop* const loop_;
  const LocalArtifactFetcherOptions options_;
  std::once_flag made_cache_;
  std::unique_ptr<ArtifactCache> cache_;
  // The last member: its threads use the others.
  std::optional<WorkerPool> pool_;
};

}  // namespace drover
