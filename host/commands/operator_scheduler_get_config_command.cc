// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

const char* YesOrNo(const json& of, const char* field) {
  return FlagField(of, field) ? "true" : "false";
}

struct OperatorSchedulerGetConfigCommand {
  void Declare(CLI::App*) {}

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json answer, client->Get("/v1/operator/scheduler/configuration"));
    if (out->raw()) return out->Print(answer);
    const json& config = MapField(answer, "SchedulerConfig");
    const json& preemption = MapField(config, "PreemptionConfig");
    PrintFields(out,
                {{"Scheduler Algorithm", TextField(config, "SchedulerAlgorithm")},
                 {"Memory Oversubscription", YesOrNo(config, "MemoryOversubscriptionEnabled")},
                 {"Reject Job Registration", YesOrNo(config, "RejectJobRegistration")},
                 {"Pause Eval Broker", YesOrNo(config, "PauseEvalBroker")},
                 {"Preemption System Scheduler", YesOrNo(preemption, "SystemSchedulerEnabled")},
                 {"Preemption Service Scheduler", YesOrNo(preemption, "ServiceSchedulerEnabled")},
                 {"Preemption Batch Scheduler", YesOrNo(preemption, "BatchSchedulerEnabled")},
                 {"Preemption SysBatch Scheduler", YesOrNo(preemption, "SysBatchSchedulerEnabled")},
                 {"Modify Index", NumberText(config, "ModifyIndex")}});
    return kExitOk;
  }
};

}  // namespace

void AddOperatorSchedulerGetConfig(const ClientGroup& scheduler) {
  scheduler.Add<OperatorSchedulerGetConfigCommand>("get-config",
                                                   "Shows how the scheduler is configured");
}

}  // namespace drover
