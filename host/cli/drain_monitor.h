// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/base/result.h"

namespace drover {

class ApiClient;
class Terminal;

// What has happened to the allocations of a node since a drain was last looked at, in the words
// that people know from Nomad.
class DrainChanges {
 public:
  // If VERBOSE is true, ids are in full.
  explicit DrainChanges(bool verbose = false) : verbose_(verbose) {}

  // Takes ALLOCS, the allocations of the node in the form of the API. Returns a line for each
  // change since the last call; none at the first call.
  std::vector<std::string> Take(const nlohmann::json& allocs);
  // Leaves the allocations of system jobs out.
  void IgnoreSystem() { ignores_system_ = true; }
  // Returns how many of the allocations were asked to leave and have not ended.
  std::size_t leaving() const { return leaving_; }

 private:
  struct Seen {
    std::string client;
    bool migrates = false;
    bool stops = false;
  };

  const bool verbose_;
  bool first_ = true;
  bool ignores_system_ = false;
  std::size_t leaving_ = 0;
  std::map<std::string, Seen> seen_;  // by allocation id
};

// Shows the drain of a node until it is over.
class DrainMonitor {
 public:
  // The pointers must outlive this object.
  DrainMonitor(ApiClient* client, Terminal* terminal, std::string node_id, bool verbose)
      : client_(client), terminal_(terminal), node_id_(std::move(node_id)), changes_(verbose) {}

  // Notes the states of the allocations, without a line. Call it before the drain begins, so that
  // Follow shows all changes.
  Status Begin();
  // Prints what happens until the node is drained and what had to leave has ended, or until
  // somebody cancels the drain.
  Status Follow();

 private:
  Status ShowChanges();

  ApiClient* const client_;
  Terminal* const terminal_;
  const std::string node_id_;
  DrainChanges changes_;
};

}  // namespace drover
