// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;

struct VolumeClaimListCommand {
  std::string job, group, volume;
  bool verbose = false;

  void Declare(CLI::App* command) {
    command->add_option("--job", job, "Only claims of the job with this id");
    command->add_option("--group", group, "Only claims of groups with this name");
    command->add_option("--volume-name", volume, "Only claims on volumes with this name");
    AddVerbose(command, &verbose);
    AddNote(
        command,
        "A group with a sticky volume has a claim on it from its first allocation on, until its "
        "job is purged.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json answer,
                  client->Get("/v1/volumes/claims", {{"job_id", job},
                                                     {"task_group", group},
                                                     {"volume_name", volume},
                                                     {"namespace", client->SearchedNamespace()}}));
    DROVER_TRY(CheckIsList(answer));
    TextTable table(
        {"ID", "Namespace", "Job ID", "Task Group", "Volume ID", "Volume Name", "Alloc ID"});
    for (const json& one : answer) {
      // Whole, since a claim is deleted by its whole id.
      table.Add({TextField(one, "ID"), TextField(one, "Namespace"), TextField(one, "JobID"),
                 TextField(one, "TaskGroupName"), ShownId(TextField(one, "VolumeID"), verbose),
                 TextField(one, "VolumeName"), ShownId(TextField(one, "AllocID"), verbose)});
    }
    return out->Print(answer, table, "No claims on volumes");
  }
};

}  // namespace

void AddVolumeClaimList(const ClientGroup& claim) {
  claim.Add<VolumeClaimListCommand>("list", "Lists the claims of groups on host volumes");
}

}  // namespace drover
