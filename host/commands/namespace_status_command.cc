// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/commands/record_status.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

// Returns the texts in the list NAME of OF, or NONE if the list is empty.
std::string Listed(const json& of, const char* name, const char* none) {
  std::string text;
  for (const json& one : ListField(of, name)) {
    if (one.is_string()) text += (text.empty() ? "" : ", ") + Printable(one.get<std::string>());
  }
  return text.empty() ? none : text;
}

struct NamespaceStatusCommand {
  std::string name;

  void Declare(CLI::App* command) { AddNamespaceName(command, &name); }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json found, FindNamespace(client, name));
    return ShowNamespace(out, found);
  }
};

}  // namespace

Result<int> ShowNamespace(Output* out, const json& record) {
  if (out->raw()) return out->Print(record);
  const json& may = MapField(record, "Capabilities");
  PrintFields(out, {{"Name", TextField(record, "Name")},
                    {"Description", TextField(record, "Description")},
                    {"Quota", TextField(record, "Quota")},
                    {"Enabled drivers", Listed(may, "EnabledTaskDrivers", "*")},
                    {"Disabled drivers", Listed(may, "DisabledTaskDrivers", "")},
                    {"Enabled network modes", Listed(may, "EnabledNetworkModes", "*")},
                    {"Disabled network modes", Listed(may, "DisabledNetworkModes", "")}});
  TextTable meta({"Key", "Value"});
  for (const auto& [key, value] : MapField(record, "Meta").items()) {
    meta.Add({Printable(key), TextField(MapField(record, "Meta"), key.c_str())});
  }
  PrintPart(out, "Metadata", meta);
  return kExitOk;
}

void AddNamespaceStatus(const ClientGroup& group) {
  group.Add<NamespaceStatusCommand>("status", "Shows a namespace");
}

}  // namespace drover
