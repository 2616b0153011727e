// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/cli/page_options.h"
#include "host/cli/variable_output.h"
#include "host/cli/variable_request.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;

struct VarListCommand {
  std::string prefix;
  PageOptions page;
  VariableForm form;

  void Declare(CLI::App* command) {
    command->add_option("PREFIX", prefix, "Only those whose path begins like this");
    page.Declare(command, "Path contains \"db\"");
    form.Declare(command, {"table", "terse", "json", "go-template"}, "table");
  }

  Status Check() const { return form.Check(); }

  Result<int> Run(ApiClient* client) const {
    ClientRequest request;
    request.path = "/v1/vars";
    request.query = {{"namespace", client->SearchedNamespace()}};
    if (!prefix.empty()) request.query.emplace_back("prefix", prefix);
    page.AddTo(&request.query);
    DROVER_ASSIGN(const VariableAnswer answer, AskAboutVariables(client, std::move(request)));
    DROVER_TRY(CheckIsList(answer.body));
    const std::string as = form.out.empty() ? "table" : form.out;
    if (as == "terse") return PrintPaths(answer);
    DROVER_ASSIGN(Output output, form.MakeOutput(as));
    TextTable table({"Namespace", "Path", "Last Updated"});
    for (const json& one : answer.body) {
      table.Add({TextField(one, "Namespace"), TextField(one, "Path"),
                 LocalTime(NumberField(one, "ModifyTime"))});
    }
    DROVER_TRY(output.Print(answer.body, table, "No variables found"));
    PrintNextPage(answer.next_token);
    return kExitOk;
  }

  static Result<int> PrintPaths(const VariableAnswer& answer) {
    for (const json& one : answer.body) std::printf("%s\n", TextField(one, "Path").c_str());
    PrintNextPage(answer.next_token);
    return kExitOk;
  }
};

}  // namespace

void AddVarList(const ClientGroup& var) {
  var.AddPlain<VarListCommand>("list", "Lists variables, without their items");
}

}  // namespace drover
