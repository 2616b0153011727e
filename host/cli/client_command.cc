// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/client_command.h"

#include <unistd.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/cli.h"
#include "host/cli/eval_follower.h"
#include "host/cli/id_lookup.h"
#include "host/cli/json_fields.h"
#include "host/cli/node_setup.h"
#include "host/cli/readable.h"
#include "host/template/text_template.h"

namespace drover {

using nlohmann::json;

int RunClientCommand(
    const std::string& name, const ClientCommandOptions& options,
    const std::function<Result<int>(ApiClient* client, Terminal* terminal)>& command) {
  Result<ApiClient> client = ApiClient::Create(options.client);
  if (!client.ok()) {
    PrintError(name, client.error());
    return client.code() == Code::kInvalidArgument ? kExitUsage : kExitFailed;
  }
  // Before anything is done.
  if (const Result<TextTemplate> form = TextTemplate::Parse(options.form); !form.ok()) {
    PrintError(name, form.error());
    return kExitUsage;
  }
  Terminal terminal;
  const Result<int> code = command(&*client, &terminal);
  if (code.ok()) return *code;
  PrintError(name, code.error());
  return kExitFailed;
}

Result<int> FollowAnswer(ApiClient* client, Terminal* terminal, const ClientCommandOptions& options,
                         const json& answer) {
  const std::string eval = RawField(answer, "EvalID");
  if (eval.empty() || options.detach) {
    if (options.raw()) return PrintAnswer(options, answer);
    if (!eval.empty()) terminal->Line("evaluation " + Printable(eval) + " has begun");
    return kExitOk;
  }
  EvalFollower follower(client, options.raw() ? nullptr : terminal, options.verbose);
  DROVER_ASSIGN(const int code, follower.Follow(eval));
  if (options.raw()) {
    json all = follower.Report();
    all["Answer"] = answer;
    DROVER_TRY(PrintAnswer(options, all));
  }
  return code;
}

Result<int> PrintAnswer(const ClientCommandOptions& options, const json& answer) {
  if (options.form.empty()) return PrintJson(answer), kExitOk;
  DROVER_ASSIGN(const TextTemplate form, TextTemplate::Parse(options.form));
  DROVER_ASSIGN(const std::string text, form.Render(answer));
  std::cout << text;
  if (!text.ends_with('\n')) std::cout << '\n';
  std::cout << std::flush;
  return kExitOk;
}

Result<std::string> FindTaskName(ApiClient* client, const std::string& id,
                                 const std::string& task) {
  if (!task.empty()) return task;
  DROVER_ASSIGN(const json alloc, client->Get(ApiPath("/v1/allocation", id)));
  std::string names;
  std::string name;
  const json& states = AsMap(MapField(alloc, "TaskStates"));
  for (const auto& [one, state] : states.items()) {
    names += (names.empty() ? "" : ", ") + one;
    name = one;
  }
  if (states.size() == 1) return name;
  return Error(Code::kInvalidArgument, states.empty()
                                           ? "no task of the allocation has started yet"
                                           : "name one of its tasks with --task: " + names);
}

Result<std::string> FindAlloc(ApiClient* client, const AllocOptions& options) {
  return options.of_job ? FindAllocOfJob(client, options.id, options.group)
                        : FindId(client, kAllocIds, options.id);
}

Result<bool> Confirmed(const std::string& question) {
  if (isatty(STDIN_FILENO) != 1) {
    return Error(Code::kFailedPrecondition, question +
                                                " Nobody can be asked: write it in full, "
                                                "or use --yes");
  }
  std::cout << Printable(question) << " [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes" || answer == "Y";
}

TextTable AllocTable(const json& stubs, bool full_ids) {
  TextTable table({"ID", "Node", "Group", "Version", "Desired", "Status", "Created", "Modified"});
  const WallTime now = WallNow();
  for (const json& stub : AsList(stubs)) {
    table.Add(
        {ShownId(TextField(stub, "ID"), full_ids), TextField(stub, "NodeName"),
         TextField(stub, "TaskGroup"), std::to_string(NumberField(stub, "JobVersion")),
         StatusCell(TextField(stub, "DesiredStatus")), StatusCell(TextField(stub, "ClientStatus")),
         Ago(NumberField(stub, "CreateTime"), now), Ago(NumberField(stub, "ModifyTime"), now)});
  }
  return table;
}

}  // namespace drover
