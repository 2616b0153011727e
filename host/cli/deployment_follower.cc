// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/deployment_follower.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "host/base/printable.h"
#include "host/cli/exit_code.h"
#include "host/view/deployment_view.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"
#include "host/view/table.h"

namespace drover {
namespace {

using nlohmann::json;

// How long a request waits for a change of the deployment. After each, the allocations are looked
// at, whose changes may leave the deployment as it is.
constexpr Duration kLook = 1s;
// How long the agent may take to start the deployment with which a job goes back.
constexpr Duration kRevertPatience = 10s;
constexpr int kMostTries = 10;
constexpr Duration kLongestPause = 12s;

bool RevertsByItself(const json& deployment) {
  const json& groups = MapField(deployment, "TaskGroups");
  return std::any_of(groups.begin(), groups.end(),
                     [](const json& group) { return FlagField(group, "AutoRevert"); });
}

}  // namespace

Result<int> DeploymentFollower::Follow(std::string id) {
  DROVER_TRY(FollowOne(id));
  if (RawField(newest_, "Status") == "successful") return kExitOk;
  // A version to which the job goes back may fail in turn.
  while (RawField(newest_, "Status") == "failed" && RevertsByItself(newest_)) {
    const json failed = newest_;
    id = NextOne(id);
    if (id.empty()) {
      newest_ = failed;
      break;
    }
    Say("the job goes back to an earlier version: deployment " + ShownId(Printable(id), full_ids_));
    DROVER_TRY(FollowOne(id));
  }
  return kExitFailed;
}

Status DeploymentFollower::FollowOne(const std::string& id) {
  std::optional<LiveDeployment> view;
  if (terminal_ != nullptr) view.emplace(terminal_, full_ids_);
  const std::string path = ApiPath("/v1/deployment", id);
  const std::string allocs = ApiPath("/v1/deployment/allocations", id);
  std::uint64_t index = 0;
  bool said = false;
  for (;;) {
    DROVER_ASSIGN(newest_, Get(path, {}, &index));
    const std::string status = RawField(newest_, "Status");
    if (status.empty()) {
      return Error(Code::kInternal, "the answer to " + path + " is no deployment");
    }
    if (terminal_ != nullptr) {
      DROVER_ASSIGN(const json stubs, Get(allocs, {}, nullptr));
      NoteAllocs(stubs);
      view->Show(newest_);
    }
    // No agent of one region unblocks it.
    if (DeploymentEnded(newest_) || status == "blocked") return {};
    if (WaitsForPromotion(newest_) && !std::exchange(said, true)) {
      Say("its canaries wait for: drover deployment promote " + ShownId(Printable(id), full_ids_));
    }
  }
}

std::string DeploymentFollower::NextOne(const std::string& id) {
  const std::string path = ApiPath("/v1/job", RawField(newest_, "JobID"), "/deployment");
  const Query query = {{"namespace", RawField(newest_, "Namespace")}};
  const std::int64_t created = NumberField(newest_, "CreateIndex");
  for (Duration waited{0}; waited < kRevertPatience; waited += kLook) {
    const Result<json> latest = Get(path, query, nullptr);
    if (!latest.ok()) return "";
    if (RawField(*latest, "ID") != id && NumberField(*latest, "CreateIndex") > created) {
      return RawField(*latest, "ID");
    }
    const std::string why = RawField(newest_, "StatusDescription");
    if (why.find(" - rolling back") == std::string::npos) return "";
    std::this_thread::sleep_for(kLook);
  }
  return "";
}

Result<json> DeploymentFollower::Get(const std::string& path, const Query& query,
                                     std::uint64_t* index) {
  const bool patient = terminal_ != nullptr && terminal_->is_terminal();
  Duration pause = 1s;
  for (int tries = 1;; ++tries) {
    Result<json> got = client_->Get(path, query, index, kLook);
    if (got.ok() || !patient || tries == kMostTries || got.code() == Code::kNotFound ||
        got.code() == Code::kPermissionDenied) {
      return got;
    }
    Say("no answer: " + Printable(got.error().message()) + "; asks again in " +
        FormatDuration(pause));
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
}

void DeploymentFollower::NoteAllocs(const json& stubs) {
  for (const json& alloc : AsList(stubs)) {
    const std::string id = RawField(alloc, "ID");
    const std::string name =
        "allocation " + ShownId(Printable(id), full_ids_) + " " + TextField(alloc, "Name");
    Seen& seen = seen_[id];
    const std::string status = TextField(alloc, "ClientStatus");
    if (seen.status != status) {
      const bool first = std::exchange(seen.status, status).empty();
      const std::string why = TextField(alloc, "ClientDescription");
      Say(name + (first ? " placed on " + TextField(alloc, "NodeName") : "") + ": " + status +
          (why.empty() ? "" : " (" + why + ")"));
    }
    const json& verdict = MapField(alloc, "DeploymentStatus");
    const auto healthy = verdict.find("Healthy");
    if (healthy == verdict.end() || !healthy->is_boolean()) continue;
    const std::string health = healthy->get<bool>() ? "healthy" : "unhealthy";
    if (std::exchange(seen.health, health) != health) Say(name + ": " + health);
  }
}

void DeploymentFollower::Say(const std::string& line) {
  if (terminal_ == nullptr) return;
  const std::string time = LocalTime(WallNow()).substr(11);
  terminal_->Line(terminal_->Paint(Terminal::Colour::kGrey, time) + " " + line);
}

}  // namespace drover
