// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/cli/submitted_job.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

struct JobValidateCommand {
  std::string file;
  HclOptions hcl;

  void Declare(CLI::App* command) {
    command->add_option("FILE", file, "The job file, in HCL or JSON; -: stdin")->required();
    hcl.Declare(command);
    AddNote(command,
            "The agent checks it, also against its drivers; drover validate needs no agent. Exit "
            "code: 0 it is valid, 1 it is not.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const SubmittedJob read, ReadSubmittedJob(file, hcl));
    DROVER_ASSIGN(const json answer,
                  client->Put("/v1/validate/job", {{"Job", read.job}}, NamespaceQuery(*client)));
    DROVER_TRY(CheckIsObject(answer));
    const std::string error = RawField(answer, "Error");
    if (out->raw()) {
      DROVER_TRY(out->Print(answer));
      return error.empty() ? kExitOk : kExitFailed;
    }
    PrintWarnings(out, answer);
    if (!error.empty()) return Error(Code::kInvalidArgument, read.places.WithPlaces(error));
    out->Line("The job is valid");
    return kExitOk;
  }
};

}  // namespace

void AddJobValidate(const ClientGroup& job) {
  job.Add<JobValidateCommand>("validate", "Has an agent check a job file", kExitFailed);
}

}  // namespace drover
