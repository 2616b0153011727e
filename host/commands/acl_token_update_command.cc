// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/acl_options.h"
#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/acl_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclTokenUpdateCommand {
  std::string accessor;
  std::string name;
  std::string type;
  TokenLinkOptions links;

  void Declare(CLI::App* command) {
    command->add_option("ACCESSOR", accessor, "Its accessor")->required();
    command->add_option("--name", name, "A name for people");
    command->add_option("--type", type, "client, which has policies or roles, or management")
        ->check(CLI::IsMember({"client", "management"}));
    links.Declare(command);
    AddNote(command,
            "The policies that are given replace all policies of the token, and the roles all its "
            "roles.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    const std::string path = ApiPath("/v1/acl/token", accessor);
    DROVER_ASSIGN(json token, client->Get(path));
    DROVER_TRY(CheckIsObject(token));
    if (!name.empty()) token["Name"] = name;
    if (!type.empty()) token["Type"] = type;
    links.AddTo(&token);
    DROVER_ASSIGN(const json changed, client->Put(path, token));
    return out->Show(changed, PrintToken);
  }
};

}  // namespace

void AddAclTokenUpdate(const ClientGroup& token) {
  token.Add<AclTokenUpdateCommand>("update",
                                   "Changes what is given of a token, and keeps the rest");
}

}  // namespace drover
