// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "host/cli/id_lookup.h"
#include "host/cli/shell_word.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"
#include "host/view/task_output.h"

namespace drover {
namespace {

using nlohmann::json;

struct JobInspectCommand {
  std::string id;
  std::optional<std::uint64_t> version;
  bool hcl = false;
  bool with_variables = false;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_option("--version", version, "That version of it, and not the last one");
    CLI::Option* const text =
        command->add_flag("--hcl", hcl, "The job file as it was written, and not the job");
    command
        ->add_flag("--with-vars", with_variables,
                   "With --hcl: also the variables that were set, behind the job file")
        ->needs(text);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName name, FindJob(client, id));
    DROVER_ASSIGN(const json job, Find(client, name));
    // Without an option, the text can be registered again. --json and -t are for the job itself.
    if (!hcl) return out->Print(out->raw() ? job : json({{"Job", job}}));
    const Query query = {{"namespace", name.job_namespace},
                         {"version", NumberText(job, "Version")}};
    const Result<json> sent = client->Get(ApiPath("/v1/job", name.id, "/submission"), query);
    if (sent.code() == Code::kNotFound) {
      return Error(Code::kNotFound,
                   "the agent does not have the file of the job \"" + name.id +
                       "\": it was sent without it, or the file is too large to be kept");
    }
    if (!sent.ok()) return sent.error();
    if (out->raw()) return out->Print(*sent);
    PrintText(RawField(*sent, "Source"));
    if (with_variables) PrintVariables(*sent);
    return kExitOk;
  }

  // Returns the version that the options name.
  Result<json> Find(ApiClient* client, const JobName& name) const {
    const Query query = {{"namespace", name.job_namespace}};
    if (!version) return client->Get(ApiPath("/v1/job", name.id), query);
    DROVER_ASSIGN(const json answer, client->Get(ApiPath("/v1/job", name.id, "/versions"), query));
    for (const json& job : ListField(answer, "Versions")) {
      if (NumberField(job, "Version") == static_cast<std::int64_t>(*version)) return job;
    }
    return Error(Code::kNotFound, "the job \"" + name.id + "\" has no version " +
                                      std::to_string(*version) + ": see drover job history");
  }

  // Prints TEXT without a change, so that it can become a file again. On a terminal, prints it
  // without control characters.
  static void PrintText(const std::string& text) {
    TaskOutput output(stdout);
    output.Write(text);
    output.End();
    if (!text.ends_with('\n')) std::fputs("\n", stdout);
  }

  static void PrintVariables(const json& sent) {
    for (const auto& [name, value] : MapField(sent, "VariableFlags").items()) {
      const std::string setting =
          name + "=" + RawField(MapField(sent, "VariableFlags"), name.c_str());
      PrintText("# --var " + ShellWord(setting));
    }
    const std::string files = RawField(sent, "Variables");
    if (!files.empty()) PrintText("# --var-file:\n" + files);
  }
};

}  // namespace

void AddJobInspect(const ClientGroup& job) {
  job.Add<JobInspectCommand>("inspect", "Prints a job as JSON, or as it was written");
}

}  // namespace drover
