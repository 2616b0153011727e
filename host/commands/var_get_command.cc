// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/cli/variable_output.h"
#include "host/cli/variable_request.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"
#include "host/view/task_output.h"

namespace drover {
namespace {

using nlohmann::json;

struct VarGetCommand {
  std::string path;
  std::string item;
  VariableForm form;

  void Declare(CLI::App* command) {
    command->add_option("PATH", path, "Its path")->required();
    command->add_option("--item", item, "Prints only the value of this item");
    form.Declare(command, {"table", "hcl", "json", "go-template", "none"},
                 "table on a terminal, else json");
  }

  Status Check() const {
    if (!item.empty() && !(form.out.empty() && form.text_template.empty())) {
      return Error(Code::kInvalidArgument, "--item has no meaning with --out or --template");
    }
    return form.Check();
  }

  Result<int> Run(ApiClient* client) const {
    DROVER_ASSIGN(const VariableAnswer answer,
                  AskAboutVariables(client, VariableRequest(*client, "GET", path)));
    DROVER_TRY(CheckIsObject(answer.body));
    if (!item.empty()) return PrintItem(answer.body);
    const char* const by_default = isatty(STDOUT_FILENO) == 1 ? "table" : "json";
    return form.Print(answer.body, form.out.empty() ? by_default : form.out);
  }

  Result<int> PrintItem(const json& variable) const {
    const json& items = MapField(variable, "Items");
    const auto found = items.find(item);
    if (found == items.end() || !found->is_string()) {
      return Error(Code::kNotFound, "the variable \"" + path + "\" has no item \"" + item +
                                        "\": drover var get " + path + " prints all of them");
    }
    TaskOutput output(stdout);
    output.Write(found->get<std::string>());
    output.Write("\n");
    output.End();
    return kExitOk;
  }
};

}  // namespace

void AddVarGet(const ClientGroup& var) {
  var.AddPlain<VarGetCommand>("get", "Shows a variable with its items");
}

}  // namespace drover
