// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/eval_follower.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "host/base/printable.h"
#include "host/cli/answer_check.h"
#include "host/cli/client_command.h"
#include "host/cli/deployment_follower.h"
#include "host/cli/exit_code.h"
#include "host/view/json_fields.h"
#include "host/view/placement_failures.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr int kExitUnplaced = 2;
constexpr int kMostNext = 1000;  // of evaluations that follow one another

class EvalFollower {
 public:
  // The pointers must outlive this object. If TERMINAL is null, this object prints nothing.
  EvalFollower(ApiClient* client, Terminal* terminal, bool full_ids)
      : client_(client), terminal_(terminal), full_ids_(full_ids) {}

  // Follows the evaluation EVAL_ID and those that come after it to their end, and the deployment
  // that they make unless WITH_DEPLOYMENT is false. Returns the exit code.
  Result<int> Follow(std::string eval_id, bool with_deployment) {
    Say("evaluation " + ShownId(Printable(eval_id), full_ids_) + " has begun");
    DROVER_ASSIGN(int code, FollowOne(eval_id, with_deployment));
    std::string next = RawField(eval_, "NextEval");
    for (int more = 0; !next.empty() && more < kMostNext; ++more) {
      DROVER_TRY(SayHowLong(next));
      DROVER_ASSIGN(const int later, FollowOne(next, with_deployment));
      code = std::max(code, later);
      next = RawField(eval_, "NextEval");
    }
    return code;
  }

  // Returns the newest answers of the agent as {"Evaluation": ..., "Allocations": [...]}, and with
  // "Deployment" if there is one.
  json Report() const {
    json report = {{"Evaluation", eval_}, {"Allocations", stubs_}};
    if (!deployment_.is_null()) report["Deployment"] = deployment_;
    return report;
  }

 private:
  struct Seen {
    std::string status;
    bool wanted = true;
  };

  Result<int> FollowOne(const std::string& eval_id, bool with_deployment) {
    DROVER_TRY(FollowEval(ApiPath("/v1/evaluation", eval_id)));
    const std::string allocs = ApiPath("/v1/evaluation", eval_id, "/allocations");
    const std::string deployment = RawField(eval_, "DeploymentID");
    const bool whole =
        RawField(eval_, "Status") == "complete" && MapField(eval_, "FailedTGAllocs").empty();
    // Nobody knows when there is room for what has none, so that is not waited for.
    if (with_deployment && whole && !deployment.empty()) {
      DeploymentFollower follower(client_, terminal_, full_ids_);
      DROVER_ASSIGN(const int code, follower.Follow(deployment));
      deployment_ = follower.newest();
      DROVER_ASSIGN(stubs_, client_->Get(allocs));
      return code;
    }
    DROVER_TRY(FollowAllocs(allocs));
    const bool failed = std::any_of(allocs_.begin(), allocs_.end(), [](const auto& entry) {
      return entry.second.status == "failed" || entry.second.status == "lost";
    });
    if (RawField(eval_, "Status") != "complete" || failed) return kExitFailed;
    return MapField(eval_, "FailedTGAllocs").empty() ? kExitOk : kExitUnplaced;
  }

  // Says how long the follow-up evaluation ID waits.
  Status SayHowLong(const std::string& id) {
    DROVER_ASSIGN(const json eval, client_->Get(ApiPath("/v1/evaluation", id)));
    const Duration wait(NumberField(eval, "Wait"));
    Say("evaluation " + ShownId(Printable(id), full_ids_) + " follows" +
        (wait > 0s ? " after " + FormatDuration(wait) : ""));
    return {};
  }

  Status FollowEval(const std::string& path) {
    std::uint64_t index = 0;
    std::string status;
    while (status != "complete" && status != "failed" && status != "canceled") {
      DROVER_ASSIGN(eval_, client_->Get(path, {}, &index));
      status = RawField(eval_, "Status");
      if (status.empty()) {
        return Error(Code::kInternal, "the answer to " + path + " is no evaluation");
      }
    }
    const std::string why = TextField(eval_, "StatusDescription");
    Say("evaluation " + ShownId(TextField(eval_, "ID"), full_ids_) + ": " + Painted(status) +
        (why.empty() ? "" : ": " + why));
    const json& failures = MapField(eval_, "FailedTGAllocs");
    for (const std::string& line : PlacementFailureLines(failures)) Say(line);
    const std::string blocked = TextField(eval_, "BlockedEval");
    if (!failures.empty() && !blocked.empty()) {
      Say("evaluation " + ShownId(blocked, full_ids_) + " waits until there is room for the rest");
    }
    return {};
  }

  Status FollowAllocs(const std::string& path) {
    std::uint64_t index = 0;
    bool pending = true;
    while (pending) {
      DROVER_ASSIGN(stubs_, client_->Get(path, {}, &index));
      if (!stubs_.is_array() && !stubs_.is_null()) {
        return Error(Code::kInternal, "the answer to " + path + " is no list of allocations");
      }
      Note();
      pending = std::any_of(allocs_.begin(), allocs_.end(), [](const auto& entry) {
        return entry.second.status == "pending" && entry.second.wanted;
      });
    }
    return {};
  }

  void Note() {
    // An allocation that the newest answer does not contain is no longer wanted.
    for (auto& [id, seen] : allocs_) seen.wanted = false;
    for (const json& alloc : AsList(stubs_)) {
      const std::string id = RawField(alloc, "ID");
      const std::string status = RawField(alloc, "ClientStatus");
      Seen& seen = allocs_[id];
      seen.wanted = RawField(alloc, "DesiredStatus") == "run";
      if (seen.status == status) continue;
      const bool first = std::exchange(seen.status, status).empty();
      const std::string why = TextField(alloc, "ClientDescription");
      Say("allocation " + ShownId(Printable(id), full_ids_) + " " + TextField(alloc, "Name") +
          (first ? " placed on " + TextField(alloc, "NodeName") : "") + ": " + Painted(status) +
          (why.empty() ? "" : " (" + why + ")"));
    }
  }

  std::string Painted(const std::string& status) const {
    const Cell cell = StatusCell(Printable(status));
    if (terminal_ == nullptr || !cell.colour) return cell.text;
    return terminal_->Paint(*cell.colour, cell.text);
  }

  void Say(const std::string& line) {
    if (terminal_ == nullptr) return;
    const std::string time = LocalTime(WallNow()).substr(11);
    terminal_->Line(terminal_->Paint(Terminal::Colour::kGrey, time) + " " + line);
  }

  ApiClient* const client_;
  Terminal* const terminal_;
  const bool full_ids_;
  json eval_;
  json stubs_;
  json deployment_;                     // null if there is none
  std::map<std::string, Seen> allocs_;  // the key is the id of the allocation
};

}  // namespace

void WaitOptions::Declare(CLI::App* command) {
  command->add_flag("--detach", detach, "Does not wait for what comes of it");
  AddVerbose(command, &verbose);
}

Result<int> FollowAnswer(ApiClient* client, Output* out, const WaitOptions& options,
                         const json& answer) {
  DROVER_TRY(CheckIsObject(answer));
  const std::string eval = RawField(answer, "EvalID");
  if (eval.empty() || options.detach) {
    if (out->raw()) return out->Print(answer);
    if (!eval.empty()) out->Line("evaluation " + Printable(eval) + " has begun");
    return kExitOk;
  }
  EvalFollower follower(client, out->raw() ? nullptr : out, options.verbose);
  DROVER_ASSIGN(const int code, follower.Follow(eval, options.with_deployment));
  if (out->raw()) {
    json all = follower.Report();
    all["Answer"] = answer;
    DROVER_TRY(out->Print(all));
  }
  return code;
}

}  // namespace drover
