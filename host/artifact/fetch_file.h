// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/artifact/fetch_budget.h"
#include "host/base/result.h"

namespace drover {

// Returns whether PATH, an absolute path, is in one of DIRECTORIES.
bool IsBelowAny(const std::string& path, const std::vector<std::string>& directories);

// Copies the file or the directory at PATH to NAME in the open directory TO. A symbolic link that
// leads out of the copied directory is an error, and so is a special file. Follows no link in PATH.
// IS_DIRECTORY receives what PATH is. Blocks.
Status CopyFromHost(const std::string& path, int to, const std::string& name, FetchBudget* budget,
                    bool* is_directory);

// Copies the content of the open file FROM to the open file TO. PROGRESS, if not below 0, is a file
// for StoreProgress. STOP: see IsStopped.
Status CopyContent(int from, int to, FetchBudget* budget, int progress = -1, int stop = -1);

// Returns whether the descriptor STOP can be read, which ends work early. Waits for it for WAIT_MS
// milliseconds. A STOP below 0 never can.
bool IsStopped(int stop, int wait_ms = 0);

}  // namespace drover
