// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/artifact/artifact_cache.h"
#include "host/artifact/fetch_order.h"
#include "host/base/result.h"

namespace drover {

// Where an artifact comes from, and where it goes.
struct ArtifactFetch {
  FetchOrder order;
  std::string root;                // the directory of the allocation
  std::string task;                // the name of the task, and of its directory in ROOT
  std::string place;               // in ROOT; see ArtifactPlace
  std::string staging;             // the name of a directory in ROOT that is made and removed
  bool chown = false;              // the files get the owner of the task's directory
  int stop = -1;                   // when it can be read, the fetch ends early
  int progress = -1;               // a file for StoreProgress
  ArtifactCache* cache = nullptr;  // not owned; may be null
};

// Fetches an artifact in a process without rights, and moves it to its place. After an error, the
// place is as it was before, unless the error came from the move itself. An error that the job
// causes is not recoverable, all others are. Blocks.
Status FetchArtifact(const ArtifactFetch& fetch);

}  // namespace drover
