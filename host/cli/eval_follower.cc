// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/eval_follower.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/cli.h"
#include "host/cli/json_fields.h"
#include "host/cli/readable.h"

namespace drover {
namespace {

using nlohmann::json;
using Colour = Terminal::Colour;

constexpr int kExitUnplaced = 2;

std::string Nodes(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " node" : " nodes");
}

}  // namespace

std::vector<std::string> PlacementFailureLines(const std::string& group, const json& failure) {
  const std::int64_t missing = NumberField(failure, "CoalescedFailures") + 1;
  std::vector<std::string> lines = {
      "task group \"" + Printable(group) + "\": " + std::to_string(missing) +
      (missing == 1 ? " allocation" : " allocations") + " could not be placed"};
  if (NumberField(failure, "NodesEvaluated") == 0) {
    lines.push_back("  * no node was eligible");
  }
  for (const auto& [datacenter, count] : MapField(failure, "NodesAvailable").items()) {
    if (count != 0) continue;
    lines.push_back("  * no node is in the datacenter \"" + Printable(datacenter) + "\"");
  }
  const auto add = [&](const char* field, const std::string& what) {
    for (const auto& [name, count] : MapField(failure, field).items()) {
      lines.push_back("  * " + what + " \"" + Printable(name) +
                      "\": " + Nodes(count.is_number_integer() ? count.get<std::int64_t>() : 0));
    }
  };
  add("ConstraintFiltered", "excluded by the constraint");
  add("DimensionExhausted", "no room left of");
  return lines;
}

Result<int> EvalFollower::Follow(const std::string& eval_id) {
  Say("evaluation " + ShownId(Printable(eval_id), full_ids_) + " has begun");
  DROVER_TRY(FollowEval(eval_id));
  DROVER_TRY(FollowAllocs(eval_id));
  const bool failed = std::any_of(allocs_.begin(), allocs_.end(), [](const auto& entry) {
    return entry.second.status == "failed" || entry.second.status == "lost";
  });
  if (status_ != "complete" || failed) return kExitFailed;
  return unplaced_ ? kExitUnplaced : kExitOk;
}

Status EvalFollower::FollowEval(const std::string& eval_id) {
  std::uint64_t index = 0;
  while (true) {
    DROVER_ASSIGN(const json eval, client_->Get(ApiPath("/v1/evaluation", eval_id), {}, &index));
    status_ = RawField(eval, "Status");
    eval_ = std::make_shared<const json>(eval);
    if (status_ == "complete" || status_ == "failed" || status_ == "canceled") {
      ShowEnd(eval);
      return {};
    }
  }
}

void EvalFollower::ShowEnd(const json& eval) {
  const std::string id = ShownId(TextField(eval, "ID"), full_ids_);
  const std::string why = TextField(eval, "StatusDescription");
  const Cell shown = StatusCell(Printable(status_));
  Say("evaluation " + id + ": " + Painted(shown) + (why.empty() ? "" : ": " + why));
  const json& failures = MapField(eval, "FailedTGAllocs");
  for (const auto& [group, failure] : failures.items()) {
    unplaced_ = true;
    for (const std::string& line : PlacementFailureLines(group, failure)) Say(line);
  }
  const std::string blocked = TextField(eval, "BlockedEval");
  if (unplaced_ && !blocked.empty()) {
    Say("evaluation " + ShownId(blocked, full_ids_) + " waits until there is room for the rest");
  }
}

Status EvalFollower::FollowAllocs(const std::string& eval_id) {
  std::uint64_t index = 0;
  while (true) {
    DROVER_ASSIGN(const json allocs,
                  client_->Get(ApiPath("/v1/evaluation", eval_id, "/allocations"), {}, &index));
    stubs_ = std::make_shared<const json>(allocs);
    Note(allocs);
    const bool pending = std::any_of(allocs_.begin(), allocs_.end(), [](const auto& entry) {
      return entry.second.status == "pending" && entry.second.wanted;
    });
    if (!pending) return {};
  }
}

void EvalFollower::Note(const json& allocs) {
  for (auto& [id, seen] : allocs_) seen.wanted = false;  // those that are not listed any more
  for (const json& alloc : AsList(allocs)) {
    const std::string id = RawField(alloc, "ID");
    const std::string status = RawField(alloc, "ClientStatus");
    Seen& seen = allocs_[id];
    seen.wanted = RawField(alloc, "DesiredStatus") == "run";
    if (seen.status == status) continue;
    const bool first = seen.status.empty();
    seen.status = status;
    const std::string why = TextField(alloc, "ClientDescription");
    Say("allocation " + ShownId(Printable(id), full_ids_) + " " + TextField(alloc, "Name") +
        (first ? " placed on " + TextField(alloc, "NodeName") : "") + ": " +
        Painted(StatusCell(Printable(status))) + (why.empty() ? "" : " (" + why + ")"));
  }
}

json EvalFollower::Report() const {
  return {{"Evaluation", eval_ ? *eval_ : json()}, {"Allocations", stubs_ ? *stubs_ : json()}};
}

std::string EvalFollower::Painted(const Cell& cell) const {
  if (terminal_ == nullptr || !cell.colour) return cell.text;
  return terminal_->Paint(*cell.colour, cell.text);
}

void EvalFollower::Say(const std::string& line) {
  if (terminal_ == nullptr) return;
  terminal_->Line(terminal_->Paint(Colour::kGrey, LocalTime(WallNow()).substr(11)) + " " + line);
}

}  // namespace drover
