// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/text_file.h"
#include "host/commands/commands.h"
#include "host/view/acl_view.h"

namespace drover {
namespace {

using nlohmann::json;

struct AclBootstrapCommand {
  std::string file;

  void Declare(CLI::App* command) {
    command->add_option("FILE", file, "The file with the secret of the token, a UUID; -: stdin");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    json body;
    if (!file.empty()) {
      DROVER_ASSIGN(std::string secret, ReadTextFile("secret", file));
      while (secret.ends_with('\n') || secret.ends_with(' ')) secret.pop_back();
      body = {{"BootstrapSecret", secret}};
    }
    DROVER_ASSIGN(const json token, client->Put("/v1/acl/bootstrap", body));
    return out->Show(token, PrintToken);
  }
};

}  // namespace

void AddAclBootstrap(const ClientGroup& acl) {
  acl.Add<AclBootstrapCommand>("bootstrap", "Makes the first token, which may do everything");
}

}  // namespace drover
