// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <optional>

#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

struct JobInspectCommand {
  std::string id;
  std::optional<std::uint64_t> version;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_option("--version", version, "That version of it, and not the last one");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName name, FindJob(client, id));
    const Query query = {{"namespace", name.job_namespace}};
    if (!version) {
      DROVER_ASSIGN(const json job, client->Get(ApiPath("/v1/job", name.id), query));
      return out->Print({{"Job", job}});
    }
    DROVER_ASSIGN(const json answer, client->Get(ApiPath("/v1/job", name.id, "/versions"), query));
    for (const json& job : ListField(answer, "Versions")) {
      if (NumberField(job, "Version") != static_cast<std::int64_t>(*version)) continue;
      return out->Print({{"Job", job}});
    }
    return Error(Code::kNotFound, "the job \"" + name.id + "\" has no version " +
                                      std::to_string(*version) + ": see drover job history");
  }
};

}  // namespace

void AddJobInspect(const ClientGroup& job) {
  job.Add<JobInspectCommand>("inspect", "Prints a job as JSON");
}

}  // namespace drover
