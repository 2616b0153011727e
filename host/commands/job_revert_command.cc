// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/base/text.h"
#include "host/cli/eval_follower.h"
#include "host/cli/id_lookup.h"
#include "host/cli/submitted_job.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

// Returns the number of the version of JOB that has the name TAG.
Result<std::uint64_t> TaggedVersion(ApiClient* client, const JobName& job, const std::string& tag) {
  DROVER_ASSIGN(const json answer, client->Get(ApiPath("/v1/job", job.id, "/versions"),
                                               {{"namespace", job.job_namespace}}));
  for (const json& version : ListField(answer, "Versions")) {
    if (RawField(MapField(version, "VersionTag"), "Name") != tag) continue;
    return static_cast<std::uint64_t>(NumberField(version, "Version"));
  }
  return Error(Code::kNotFound, "the job \"" + job.id + "\" has no version with the name \"" + tag +
                                    "\": see drover job history");
}

struct JobRevertCommand {
  std::string id;
  std::string version;
  WaitOptions wait;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command
        ->add_option("VERSION", version,
                     "The number of the version to go back to, or the name it has as a tag")
        ->required();
    wait.Declare(command);
    AddNote(command, kWaitCodes);
  }

  Status Check() const {
    // An empty text would be the tag of each version without a tag.
    if (!version.empty()) return {};
    return Error(Code::kInvalidArgument, "VERSION is empty: write a number or a tag");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName job, FindJob(client, id));
    std::optional<std::uint64_t> number = ParseNumber<std::uint64_t>(version);
    if (!number) {
      DROVER_ASSIGN(number, TaggedVersion(client, job, version));
    }
    DROVER_ASSIGN(const json answer, client->Put(ApiPath("/v1/job", job.id, "/revert"),
                                                 {{"JobID", job.id}, {"JobVersion", *number}},
                                                 {{"namespace", job.job_namespace}}));
    if (!out->raw()) PrintWarnings(out, answer);
    return FollowAnswer(client, out, wait, answer);
  }
};

}  // namespace

void AddJobRevert(const ClientGroup& job) {
  job.Add<JobRevertCommand>("revert", "Goes back to an earlier version of a job");
}

}  // namespace drover
