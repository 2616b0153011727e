// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/printable.h"
#include "host/cli/answer_check.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/view/record_tables.h"

namespace drover {
namespace {

struct ServiceInfoCommand {
  std::string name;
  std::string filter;
  std::string page_token;
  std::uint32_t per_page = 0;  // 0 for all in one page
  bool verbose = false;

  void Declare(CLI::App* command) {
    command->add_option("NAME", name, "Its name")->required();
    command->add_option("--filter", filter, "Only those that this chooses: '\"blue\" in Tags'");
    command->add_option("--per-page", per_page, "Prints so many of them");
    command->add_option("--page-token", page_token, "The page to print, as the one before it says");
    AddVerbose(command, &verbose);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string name_space, FindServiceNamespace(client, name));
    Query query = {{"namespace", name_space}};
    if (!filter.empty()) query.emplace_back("filter", filter);
    if (per_page > 0) query.emplace_back("per_page", std::to_string(per_page));
    if (!page_token.empty()) query.emplace_back("next_token", page_token);
    std::string next;
    DROVER_ASSIGN(const nlohmann::json registrations,
                  client->GetPage(ApiPath("/v1/service", name), query, &next));
    DROVER_TRY(CheckIsList(registrations));
    DROVER_ASSIGN(const int code,
                  out->Print(registrations, RegistrationTable(registrations, verbose),
                             "The service has no such instances."));
    if (!next.empty() && !out->raw()) {
      out->Line("");
      out->Line("There are more: --page-token " + Printable(next));
    }
    return code;
  }
};

}  // namespace

void AddServiceInfo(const ClientGroup& service) {
  service.Add<ServiceInfoCommand>("info", "Shows where the instances of a service are");
}

}  // namespace drover
