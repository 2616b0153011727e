// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "host/base/printable.h"
#include "host/cli/answer_check.h"
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
  std::string filter;
  std::optional<std::uint64_t> per_page;
  std::string page_token;
  VariableForm form;

  void Declare(CLI::App* command) {
    command->add_option("PREFIX", prefix, "Only those whose path begins like this");
    command->add_option("--filter", filter, "Only what this chooses: 'Path contains \"db\"'");
    command->add_option("--per-page", per_page, "So many at most");
    command->add_option("--page-token", page_token, "Begins with the page that this names");
    form.Declare(command, {"table", "terse", "json", "go-template"}, "table");
  }

  Status Check() const { return form.Check(); }

  Result<int> Run(ApiClient* client) const {
    ClientRequest request;
    request.path = "/v1/vars";
    request.query = {{"namespace", client->SearchedNamespace()}};
    if (!prefix.empty()) request.query.emplace_back("prefix", prefix);
    if (!filter.empty()) request.query.emplace_back("filter", filter);
    if (per_page) request.query.emplace_back("per_page", std::to_string(*per_page));
    if (!page_token.empty()) request.query.emplace_back("next_token", page_token);
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
    PrintNextToken(answer);
    return kExitOk;
  }

  static Result<int> PrintPaths(const VariableAnswer& answer) {
    for (const json& one : answer.body) std::printf("%s\n", TextField(one, "Path").c_str());
    PrintNextToken(answer);
    return kExitOk;
  }

  // Programs read standard output, so this goes to standard error.
  static void PrintNextToken(const VariableAnswer& answer) {
    if (answer.next_token.empty()) return;
    std::fprintf(stderr, "There are more: --page-token %s\n", Printable(answer.next_token).c_str());
  }
};

}  // namespace

void AddVarList(const ClientGroup& var) {
  var.AddPlain<VarListCommand>("list", "Lists variables, without their items");
}

}  // namespace drover
