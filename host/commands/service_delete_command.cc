// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/printable.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

struct ServiceDeleteCommand {
  std::string name;
  std::string registration;

  void Declare(CLI::App* command) {
    command->add_option("NAME", name, "The name of the service")->required();
    command->add_option("REGISTRATION", registration, "The id of the registration, in full")
        ->required();
    AddNote(command, "Others do not find this instance any more. Its tasks go on.");
  }

  Status Check() const {
    // An empty value comes from a variable of a script that was not set.
    if (!name.empty() && !registration.empty()) return {};
    return Error(Code::kInvalidArgument,
                 "NAME or REGISTRATION is empty: see drover service info --verbose");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string name_space, FindServiceNamespace(client, name));
    const std::string path = ApiPath(ApiPath("/v1/service", name), registration);
    DROVER_ASSIGN(const nlohmann::json answer, client->Delete(path, {{"namespace", name_space}}));
    return out->Print(answer, "the registration " + Printable(registration) + " is deleted");
  }
};

}  // namespace

void AddServiceDelete(const ClientGroup& service) {
  service.Add<ServiceDeleteCommand>("delete", "Deletes one registration of a service");
}

}  // namespace drover
