// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "host/artifact/artifact_cache.h"
#include "host/artifact/fetch_order.h"
#include "host/artifact/fetch_places.h"
#include "host/base/loop.h"
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

// Fetches artifacts in processes of this machine. Each has a thread of its own, since a server may
// be slow, and must not delay the artifacts of other tasks. The cache is opened for the first
// artifact, so that a node without artifacts pays nothing.
class LocalArtifactFetcher : public ArtifactFetcher {
 public:
  LocalArtifactFetcher(Loop* loop, LocalArtifactFetcherOptions options);

  Co<Status> Fetch(Context context, ArtifactRequest request,
                   std::function<void(const ArtifactProgress&)> progress) override;
  Duration longest() const override;

 private:
  struct Run;
  // What the threads use.
  struct Shared {
    explicit Shared(LocalArtifactFetcherOptions of) : options(std::move(of)) {}
    ArtifactCache* Cache();

    const LocalArtifactFetcherOptions options;
    std::once_flag opened;
    std::unique_ptr<ArtifactCache> cache;
  };

  static Co<void> Work(Loop* loop, std::shared_ptr<Shared> shared, std::shared_ptr<Run> run);
  static Co<void> Watch(Loop* loop, std::shared_ptr<Run> run);

  Loop* const loop_;
  const std::shared_ptr<Shared> shared_;
  FetchPlaces places_;
};

// Returns the name of the directory, beside those of the tasks, into which the artifact INDEX of
// TASK is fetched. No task can have this name, because names of tasks have no backslash, and no
// other task of the allocation gets the same one.
std::string StagingName(const std::string& task, std::size_t index);

}  // namespace drover
