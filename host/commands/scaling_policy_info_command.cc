// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/answer_check.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/commands/record_status.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"
#include "host/view/scaling_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct ScalingPolicyInfoCommand {
  std::string id;
  bool verbose = false;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    AddVerbose(command, &verbose);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    return ShowScalingPolicy(client, out, id, verbose);
  }
};

}  // namespace

Result<int> ShowScalingPolicy(ApiClient* client, Output* out, const std::string& id, bool verbose) {
  DROVER_ASSIGN(const std::string whole, FindId(client, kScalingIds, id));
  DROVER_ASSIGN(const json policy, client->Get(ApiPath("/v1/scaling/policy", whole)));
  DROVER_TRY(CheckIsObject(policy));
  if (out->raw()) return out->Print(policy);
  PrintFields(out, {{"ID", ShownId(TextField(policy, "ID"), verbose)},
                    {"Enabled", FlagField(policy, "Enabled") ? "yes" : "no"},
                    {"Type", TextField(policy, "Type")},
                    {"Target", ScalingTarget(policy)},
                    {"Min", NumberText(policy, "Min")},
                    {"Max", NumberText(policy, "Max")}});
  PrintHeading(out, "Policy");
  const json& body = MapField(policy, "Policy");
  if (body.empty()) {
    out->Line("<empty>");
  } else {
    PrintJson(body);
  }
  return kExitOk;
}

void AddScalingPolicyInfo(const ClientGroup& policy) {
  policy.Add<ScalingPolicyInfoCommand>("info", "Shows a scaling policy");
}

}  // namespace drover
