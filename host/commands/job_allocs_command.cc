// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/view/record_tables.h"

namespace drover {
namespace {

struct JobAllocsCommand {
  std::string id;
  bool all = false;
  bool verbose = false;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_flag("--all", all, "Those of an earlier job of this id, too");
    AddVerbose(command, &verbose);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName name, FindJob(client, id));
    Query query = {{"namespace", name.job_namespace}};
    if (all) query.emplace_back("all", "true");
    DROVER_ASSIGN(const nlohmann::json allocs,
                  client->Get(ApiPath("/v1/job", name.id, "/allocations"), query));
    DROVER_TRY(CheckIsList(allocs));
    return out->Print(allocs, AllocTable(allocs, verbose), "No allocations.");
  }
};

}  // namespace

void AddJobAllocs(const ClientGroup& job) {
  job.Add<JobAllocsCommand>("allocs", "Lists the allocations of a job");
}

}  // namespace drover
