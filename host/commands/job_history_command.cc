// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <optional>

#include "host/cli/answer_check.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/view/job_diff_lines.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;

struct JobHistoryCommand {
  std::string id;
  std::optional<std::uint64_t> version;
  bool differences = false;
  std::optional<std::uint64_t> diff_version;
  std::string diff_tag;
  bool full = false;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_option("--version", version, "That version of it, and not all of them");
    command->add_flag("-p,--diff", differences, "Shows also what differs from the version before");
    CLI::Option* const one = command->add_option("--diff-version", diff_version,
                                                 "Shows what differs from this version instead");
    command->add_option("--diff-tag", diff_tag, "Shows what differs from the version with this tag")
        ->excludes(one);
    command->add_flag("--full", full, "Prints also each version as JSON");
    AddNote(command,
            "Written is the language of the job file, which drover job inspect --hcl --version "
            "VERSION prints.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName name, FindJob(client, id));
    Query query = {{"namespace", name.job_namespace}};
    const bool diffed = differences || diff_version || !diff_tag.empty();
    if (diffed) query.emplace_back("diffs", "true");
    if (diff_version) query.emplace_back("diff_version", std::to_string(*diff_version));
    if (!diff_tag.empty()) query.emplace_back("diff_tag", diff_tag);
    DROVER_ASSIGN(const json answer, client->Get(ApiPath("/v1/job", name.id, "/versions"), query));
    DROVER_TRY(CheckIsObject(answer));
    const json& all = ListField(answer, "Versions");
    const json& all_diffs = ListField(answer, "Diffs");
    json versions = json::array();
    json diffs = json::array();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (version && NumberText(all[i], "Version") != std::to_string(*version)) continue;
      versions.push_back(all[i]);
      diffs.push_back(i < all_diffs.size() ? all_diffs[i] : json());  // none before the oldest
    }
    if (version && versions.empty()) {
      return Error(Code::kNotFound, "the job \"" + name.id + "\" has no version " +
                                        std::to_string(*version) + ": see drover job history");
    }
    if (out->raw()) return out->Print(version ? versions[0] : versions);
    TextTable table({"Version", "Stable", "Stopped", "Submitted", "Index", "Tag", "Written"});
    for (const json& job : versions) {
      table.Add({NumberText(job, "Version"), FlagField(job, "Stable") ? "yes" : "no",
                 FlagField(job, "Stop") ? "yes" : "no", LocalTime(NumberField(job, "SubmitTime")),
                 NumberText(job, "JobModifyIndex"), TextField(MapField(job, "VersionTag"), "Name"),
                 Format(client, name, job)});
    }
    DROVER_TRY(out->Print(versions, table));
    for (std::size_t i = 0; i < versions.size() && (diffed || full); ++i) {
      out->Line("");
      out->Line("Version " + NumberText(versions[i], "Version"));
      if (diffs[i].is_object()) PrintJobDiff(out, diffs[i]);
      if (full) PrintJson(versions[i]);
    }
    return kExitOk;
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
