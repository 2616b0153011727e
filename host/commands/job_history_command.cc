// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;

struct JobHistoryCommand {
  std::string id;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    AddNote(command,
            "Written is the language of the job file, which drover job inspect --hcl --version "
            "VERSION prints.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName name, FindJob(client, id));
    DROVER_ASSIGN(const json answer, client->Get(ApiPath("/v1/job", name.id, "/versions"),
                                                 {{"namespace", name.job_namespace}}));
    const json& versions = ListField(answer, "Versions");
    if (out->raw()) return out->Print(versions);
    TextTable table({"Version", "Stable", "Stopped", "Submitted", "Index", "Tag", "Written"});
    for (const json& job : versions) {
      table.Add({NumberText(job, "Version"), FlagField(job, "Stable") ? "yes" : "no",
                 FlagField(job, "Stop") ? "yes" : "no", LocalTime(NumberField(job, "SubmitTime")),
                 NumberText(job, "JobModifyIndex"), TextField(MapField(job, "VersionTag"), "Name"),
                 Format(client, name, job)});
    }
    return out->Print(versions, table);
  }

  // Returns the language of the file of a version, or an empty text if the agent does not have it.
  static std::string Format(ApiClient* client, const JobName& name, const json& job) {
    const Result<json> sent =
        client->Get(ApiPath("/v1/job", name.id, "/submission"),
                    {{"namespace", name.job_namespace}, {"version", NumberText(job, "Version")}});
    return sent.ok() ? TextField(*sent, "Format") : "";
  }
};

}  // namespace

void AddJobHistory(const ClientGroup& job) {
  job.Add<JobHistoryCommand>("history", "Lists the versions of a job");
}

}  // namespace drover
