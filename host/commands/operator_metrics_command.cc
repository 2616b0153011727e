// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "host/commands/commands.h"
#include "host/view/task_output.h"

namespace drover {
namespace {

struct OperatorMetricsCommand {
  bool pretty = false;
  std::string format;

  void Declare(CLI::App* command) {
    command->add_flag("--pretty", pretty, "Has the agent indent its JSON");
    command->add_option("--format", format, "prometheus: prints them in the format of Prometheus")
        ->check(CLI::IsMember({"prometheus"}))
        ->excludes("--json")
        ->excludes("--template");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    if (out->raw()) {
      DROVER_ASSIGN(const nlohmann::json metrics, client->Get("/v1/metrics"));
      return out->Print(metrics);
    }
    Query query;
    if (pretty) query.emplace_back("pretty", "true");
    if (!format.empty()) query.emplace_back("format", format);
    TaskOutput output(stdout);
    DROVER_TRY(client->Stream("/v1/metrics", std::move(query),
                              [&output](std::string_view some) { output.Write(some); }));
    output.End();
    return kExitOk;
  }
};

}  // namespace

void AddOperatorMetrics(const ClientGroup& group) {
  group.Add<OperatorMetricsCommand>("metrics", "Prints the metrics of an agent");
}

}  // namespace drover
