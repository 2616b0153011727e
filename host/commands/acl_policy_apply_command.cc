// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/printable.h"
#include "host/cli/text_file.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclPolicyApplyCommand {
  std::string name;
  std::string file;
  std::string description;
  std::string job_namespace = "default";
  std::string job;
  std::string group;
  std::string task;

  void Declare(CLI::App* command) {
    command->add_option("POLICY", name, "Its name")->required();
    command->add_option("FILE", file, "The file with its rules, in HCL or JSON; -: stdin")
        ->required();
    command->add_option("--description", description, "Is kept with it");
    command->add_option("--job", job, "Gives it to the tasks of this job, by their identity");
    command->add_option("--namespace", job_namespace, "With --job: the namespace of the job")
        ->capture_default_str();
    command->add_option("--group", group, "With --job: to those of this task group");
    command->add_option("--task", task, "With --group: to this task");
  }

  Status Check() const {
    if (!group.empty() && job.empty()) {
      return Error(Code::kInvalidArgument, "--group needs --job");
    }
    if (!task.empty() && group.empty()) {
      return Error(Code::kInvalidArgument, "--task needs --group");
    }
    return {};
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string rules, ReadTextFile("policy", file));
    json body = {{"Name", name}, {"Description", description}, {"Rules", rules}};
    if (!job.empty()) {
      body["JobACL"] = {
          {"Namespace", job_namespace}, {"JobID", job}, {"Group", group}, {"Task", task}};
    }
    DROVER_ASSIGN(const json answer, client->Put(ApiPath("/v1/acl/policy", name), body));
    return out->Print(answer, "the policy " + Printable(name) + " is written");
  }
};

}  // namespace

void AddAclPolicyApply(const ClientGroup& policy) {
  policy.Add<AclPolicyApplyCommand>("apply", "Writes a policy, or changes it");
}

}  // namespace drover
