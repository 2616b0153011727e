// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/answer_check.h"
#include "host/cli/id_lookup.h"
#include "host/cli/page_options.h"
#include "host/commands/commands.h"
#include "host/view/record_tables.h"

namespace drover {
namespace {

struct ServiceInfoCommand {
  std::string name;
  PageOptions page;
  bool verbose = false;

  void Declare(CLI::App* command) {
    command->add_option("NAME", name, "Its name")->required();
    page.Declare(command, "\"blue\" in Tags");
    AddVerbose(command, &verbose);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string name_space, FindServiceNamespace(client, name));
    Query query = {{"namespace", name_space}};
    page.AddTo(&query);
    std::string next;
    DROVER_ASSIGN(const nlohmann::json registrations,
                  client->GetPage(ApiPath("/v1/service", name), query, &next));
    DROVER_TRY(CheckIsList(registrations));
    DROVER_ASSIGN(const int code,
                  out->Print(registrations, RegistrationTable(registrations, verbose),
                             "The service has no such instances."));
    PrintNextPage(next);
    return code;
  }
};

}  // namespace

void AddServiceInfo(const ClientGroup& service) {
  service.Add<ServiceInfoCommand>("info", "Shows where the instances of a service are");
}

}  // namespace drover
