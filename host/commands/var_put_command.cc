// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/answer_check.h"
#include "host/cli/text_file.h"
#include "host/cli/variable_output.h"
#include "host/cli/variable_request.h"
#include "host/cli/variable_spec.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

// Whether ARGUMENT names a specification: "-" or "@FILE".
bool NamesSpec(const std::string& argument) { return argument == "-" || argument.starts_with('@'); }

struct VarPutCommand {
  std::string target;                // a path, or a specification
  std::vector<std::string> further;  // perhaps a specification, and then items
  std::string in;
  std::optional<std::uint64_t> check_index;
  bool force = false;
  bool verbose = false;
  VariableForm form;

  void Declare(CLI::App* command) {
    command
        ->add_option("PATH", target,
                     "Its path; or @FILE or - (standard input), a specification with the path")
        ->required();
    command->add_option("KEY=VALUE", further,
                        "Its items, after @FILE or - if a specification has others; a VALUE may be "
                        "@FILE or -, and an empty one removes the item");
    command->add_option("--in", in, "The form of the specification (recognized from its text)")
        ->check(CLI::IsMember({"hcl", "json"}));
    CLI::Option* const index = command->add_option(
        "--check-index", check_index,
        "Only if this is its modify index; 0: only if there is none (the index in the "
        "specification, else 0)");
    command->add_flag("--force", force, "Writes it whatever its modify index is")->excludes(index);
    form.Declare(command, {"none", "table", "hcl", "json", "go-template"}, "none");
    command->add_flag("--verbose", verbose,
                      "Reports what was done to standard error, also with --out");
    AddNote(command,
            "The items replace all that the variable had. Arguments can be seen by other users of "
            "this machine while the command runs, so secrets are better in a file or on standard "
            "input.");
  }

  Status Check() const { return form.Check(); }

  Result<int> Run(ApiClient* client) const {
    const Result<VariableSpec> spec = Spec(client->options().job_namespace);
    if (!spec.ok()) {
      const bool wrong = spec.code() == Code::kInvalidArgument;
      return Fail("var put", spec.error(), wrong ? kExitUsage : kExitFailed);
    }
    const json body = {{"Path", spec->path}, {"Items", spec->items}};
    ClientRequest request = VariableRequest(*client, "PUT", spec->path, spec->name_space);
    request.body = body.dump(-1, ' ', false, json::error_handler_t::replace);
    const std::uint64_t checked = check_index ? *check_index : spec->modify_index.value_or(0);
    if (!force) request.query.emplace_back("cas", std::to_string(checked));
    DROVER_ASSIGN(const VariableAnswer answer, AskAboutVariables(client, std::move(request)));
    if (answer.conflict) return ConflictOf(checked, answer.body);
    DROVER_TRY(CheckIsObject(answer.body));
    const std::string as = form.out.empty() ? "none" : form.out;
    const bool prints = as != "none" || !form.text_template.empty();
    const std::string done = "Wrote variable \"" + TextField(answer.body, "Path") +
                             "\" with modify index " + NumberText(answer.body, "ModifyIndex");
    if (!prints) {
      std::printf("%s\n", done.c_str());
    } else if (verbose) {
      std::fprintf(stderr, "%s\n", done.c_str());
    }
    return form.Print(answer.body, as);
  }

  // Returns the variable that the arguments describe. NAME_SPACE is empty if none is named.
  Result<VariableSpec> Spec(const std::string& name_space) const {
    std::vector<std::string> items = further;
    std::string source = NamesSpec(target) ? target : "";
    if (source.empty() && !items.empty() && NamesSpec(items.front())) {
      source = items.front();
      items.erase(items.begin());
    }
    VariableSpec spec;
    if (!source.empty()) {
      const std::string file = source == "-" ? "-" : source.substr(1);
      DROVER_ASSIGN(const std::string text, ReadTextFile("specification", file));
      DROVER_ASSIGN(spec, ReadVariableSpec(file == "-" ? "<stdin>" : file, text, in));
    }
    PlaceSpec(NamesSpec(target) ? std::nullopt : std::optional(target), name_space, &spec);
    DROVER_TRY(ApplyItemArguments(items, source == "-", &spec));
    if (spec.path.empty()) {
      return Error(Code::kInvalidArgument,
                   "the path of the variable is not said: name it before the specification, or "
                   "write path = \"PATH\" into it");
    }
    if (spec.items.empty()) {
      return Error(Code::kInvalidArgument,
                   "the variable has no items: add KEY=VALUE, @FILE or -; drover var purge removes "
                   "a variable");
    }
    return spec;
  }
};

}  // namespace

void AddVarPut(const ClientGroup& var) {
  var.AddPlain<VarPutCommand>("put", "Makes a variable, or replaces it");
}

}  // namespace drover
