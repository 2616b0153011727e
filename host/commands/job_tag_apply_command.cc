// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <optional>

#include "host/base/printable.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

using nlohmann::json;

struct JobTagApplyCommand {
  std::string id;
  std::string tag;
  std::optional<std::uint64_t> version;
  std::string description;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_option("--name", tag, "The name")->required();
    command->add_option("--version", version, "That version, and not the last one");
    command->add_option("--description", description, "Is kept with the name");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName job, FindJob(client, id));
    json body = {{"Name", tag}, {"Description", description}};
    if (version) {
      body["Version"] = *version;
    } else {
      body["Latest"] = true;
    }
    DROVER_ASSIGN(const json answer,
                  client->Put(JobTagPath(job, tag), body, {{"namespace", job.job_namespace}}));
    const std::string which = version ? "version " + std::to_string(*version) : "the last version";
    return out->Print(answer, which + " of the job \"" + Printable(job.id) + "\" is tagged \"" +
                                  Printable(tag) + "\"");
  }
};

}  // namespace

void AddJobTagApply(const ClientGroup& tag) {
  tag.Add<JobTagApplyCommand>("apply", "Gives a version of a job a name");
}

}  // namespace drover
