// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "host/base/ids.h"
#include "host/driver/task_progress.h"

namespace drover {

// Replaces secrets of tasks in texts that people read. A driver says by JSON pointers where its
// tasks' configurations have secrets (drover.capabilities). Any thread.
class Redactor {
 public:
  // Sets the places of secrets.
  void SetPlaces(std::vector<std::string> pointers);
  // Remembers the secrets in CONFIG_JSON, the configuration of RUN, until Forget.
  void Learn(const RunId& run, const std::string& config_json);
  void Forget(const RunId& run);

  // Returns TEXT with "<redacted>" for each secret of a run that is remembered.
  std::string Clean(std::string text) const;
  TaskProgress Clean(TaskProgress progress) const;
  // The same for the secrets of a configuration that belongs to no run.
  std::string CleanFor(const std::string& config_json, std::string text) const;

 private:
  using Secrets = std::vector<std::string>;
  Secrets SecretsIn(const std::string& config_json) const;  // the caller must hold the lock

  mutable std::mutex mutex_;
  std::vector<std::string> places_;
  std::map<RunId, Secrets> secrets_;
};

}  // namespace drover
