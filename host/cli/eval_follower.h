// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/cli/table.h"
#include "host/cli/terminal.h"
#include "host/client/api_client.h"

namespace drover {

// Why GROUP could not be placed, of an evaluation's FailedTGAllocs: a line per reason.
std::vector<std::string> PlacementFailureLines(const std::string& group,
                                               const nlohmann::json& failure);

// Follows an evaluation until it has ended and none of its allocations is pending any more.
class EvalFollower {
 public:
  // The pointers outlive this. TERMINAL: null to say nothing.
  EvalFollower(ApiClient* client, Terminal* terminal, bool full_ids)
      : client_(client), terminal_(terminal), full_ids_(full_ids) {}

  // The exit code: 0 everything is placed and has started, 1 the evaluation or an allocation has
  // failed, 2 something could not be placed.
  Result<int> Follow(const std::string& eval_id);

  // What was last heard: {"Evaluation": ..., "Allocations": [...]}.
  nlohmann::json Report() const;

 private:
  struct Seen {
    std::string status;
    std::string name;
    bool wanted = true;
  };

  Status FollowEval(const std::string& eval_id);
  Status FollowAllocs(const std::string& eval_id);
  void Note(const nlohmann::json& allocs);
  void ShowEnd(const nlohmann::json& eval);
  std::string Painted(const Cell& cell) const;
  void Say(const std::string& line);

  ApiClient* const client_;
  Terminal* const terminal_;
  const bool full_ids_;
  std::map<std::string, Seen> allocs_;
  std::shared_ptr<const nlohmann::json> eval_;  // the last answers
  std::shared_ptr<const nlohmann::json> stubs_;
  std::string status_;  // of the evaluation
  bool unplaced_ = false;
};

}  // namespace drover
