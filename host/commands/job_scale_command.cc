// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "host/base/text.h"
#include "host/cli/eval_follower.h"
#include "host/cli/id_lookup.h"
#include "host/cli/submitted_job.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

// Returns the name of the task group to scale: GROUP, or the only group if GROUP is empty. STATE
// describes the scale of JOB.
Result<std::string> GroupToScale(const json& state, const std::string& job,
                                 const std::string& group) {
  const json& groups = MapField(state, "TaskGroups");
  if (groups.contains(group)) return group;
  if (group.empty() && groups.size() == 1) return groups.begin().key();
  std::string names;
  for (const auto& [name, of] : groups.items()) names += (names.empty() ? "" : ", ") + name;
  return Error(Code::kInvalidArgument,
               group.empty()
                   ? "name one of the task groups before the count: " + names
                   : "the job \"" + job + "\" has no task group \"" + group + "\", but: " + names);
}

struct JobScaleCommand {
  std::string id;
  std::vector<std::string> group_and_count;  // the group may be missing
  std::uint64_t check_index = 0;             // 0 means any
  WaitOptions wait;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command
        ->add_option("COUNT", group_and_count,
                     "[GROUP] COUNT: how many allocations the task group shall have; GROUP may be "
                     "missing if it is the only one")
        ->required()
        ->expected(1, 2);
    command->add_option("--check-index", check_index, "Only if the job has this index still");
    wait.Declare(command);
    AddNote(command, kWaitCodes);
  }

  Status Check() const {
    DROVER_TRY(Count());
    return {};
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName job, FindJob(client, id));
    const Query query = {{"namespace", job.job_namespace}};
    const std::string path = ApiPath("/v1/job", job.id, "/scale");
    DROVER_ASSIGN(const json state, client->Get(path, query));
    const bool named = group_and_count.size() == 2;
    DROVER_ASSIGN(const std::string group,
                  GroupToScale(state, job.id, named ? group_and_count[0] : ""));
    json body = {{"Count", *Count()},
                 {"Target", {{"Job", job.id}, {"Group", group}}},
                 {"Message", "submitted using the Drover CLI"}};
    if (check_index != 0) body["JobModifyIndex"] = check_index;
    DROVER_ASSIGN(const json answer, client->Put(path, body, query));
    if (!out->raw()) PrintWarnings(out, answer);
    return FollowAnswer(client, out, wait, answer);
  }

  Result<int> Count() const {
    const std::string& text = group_and_count.back();
    const auto count = ParseNumber<int>(text);
    if (count && *count >= 0) return *count;
    return Error(Code::kInvalidArgument, "COUNT: \"" + text +
                                             "\" is not a whole number from 0 to " +
                                             std::to_string(std::numeric_limits<int>::max()));
  }
};

}  // namespace

void AddJobScale(const ClientGroup& job) {
  job.Add<JobScaleCommand>("scale", "Changes how many allocations a task group of a job has");
}

}  // namespace drover
