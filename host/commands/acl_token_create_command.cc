// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/acl_options.h"
#include "host/commands/commands.h"
#include "host/view/acl_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclTokenCreateCommand {
  std::string name;
  std::string type = "client";
  TokenLinkOptions links;
  bool global = false;
  std::string ttl;

  void Declare(CLI::App* command) {
    command->add_option("--name", name, "A name for people");
    command
        ->add_option("--type", type,
                     "client (default), which has policies or roles, or management, which may do "
                     "everything")
        ->check(CLI::IsMember({"client", "management"}));
    links.Declare(command);
    command->add_flag("--global", global, "Marks it as one for all regions, which changes nothing");
    command->add_option("--ttl", ttl, "How long it is valid, such as 8h");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    json body = {{"Name", name}, {"Type", type}, {"Global", global}};
    if (!ttl.empty()) body["ExpirationTTL"] = ttl;
    links.AddTo(&body);
    DROVER_ASSIGN(const json token, client->Put("/v1/acl/token", body));
    return out->Show(token, PrintToken);
  }
};

}  // namespace

void AddAclTokenCreate(const ClientGroup& token) {
  token.Add<AclTokenCreateCommand>("create", "Makes a token, and prints its secret once");
}

}  // namespace drover
