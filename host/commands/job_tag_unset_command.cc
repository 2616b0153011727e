// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

struct JobTagUnsetCommand {
  std::string id;
  std::string tag;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_option("--name", tag, "The name")->required();
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName job, FindJob(client, id));
    DROVER_ASSIGN(const nlohmann::json answer,
                  client->Delete(JobTagPath(job, tag), {{"namespace", job.job_namespace}}));
    return out->Print(answer, "no version of the job \"" + Printable(job.id) + "\" is tagged \"" +
                                  Printable(tag) + "\" any more");
  }
};

}  // namespace

void AddJobTagUnset(const ClientGroup& tag) {
  tag.Add<JobTagUnsetCommand>("unset", "Takes a name from the version that has it");
}

}  // namespace drover
