// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/answer_check.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/commands/record_status.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;

struct VolumeStatusCommand {
  std::string id;
  std::string type = "host";
  bool verbose = false;

  void Declare(CLI::App* command) {
    AddId(command, &id, /*required=*/false);
    command->add_option("--type", type, "The type of the volumes (host)")
        ->check(CLI::IsMember({"host"}));
    AddVerbose(command, &verbose);
    AddNote(command,
            "Volumes of the agent's configuration are not listed here: see drover node "
            "status --verbose.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    if (id.empty()) return List(client, out);
    return ShowVolume(client, out, id, verbose);
  }

  Result<int> List(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(
        const json answer,
        client->Get("/v1/volumes", {{"type", "host"}, {"namespace", client->SearchedNamespace()}}));
    DROVER_TRY(CheckIsList(answer));
    TextTable table({"ID", "Name", "Namespace", "Plugin ID", "Node ID", "Node Pool", "State"});
    for (const json& one : answer) {
      table.Add({ShownId(TextField(one, "ID"), verbose), TextField(one, "Name"),
                 TextField(one, "Namespace"), TextField(one, "PluginID"),
                 ShownId(TextField(one, "NodeID"), verbose), TextField(one, "NodePool"),
                 TextField(one, "State")});
    }
    return out->Print(answer, table, "No host volumes");
  }
};

void PrintVolumeParts(Output* out, const json& volume, bool verbose) {
  TextTable capabilities({"Access Mode", "Attachment Mode"});
  for (const json& one : ListField(volume, "RequestedCapabilities")) {
    capabilities.Add({TextField(one, "AccessMode"), TextField(one, "AttachmentMode")});
  }
  PrintPart(out, "Capabilities", capabilities);
  TextTable allocs({"ID", "Job ID", "Task Group", "Desired", "Status"});
  for (const json& one : ListField(volume, "Allocations")) {
    allocs.Add({ShownId(TextField(one, "ID"), verbose), TextField(one, "JobID"),
                TextField(one, "TaskGroup"), TextField(one, "DesiredStatus"),
                StatusCell(TextField(one, "ClientStatus"))});
  }
  PrintPart(out, "Allocations", allocs);
}

}  // namespace

Result<int> ShowVolume(ApiClient* client, Output* out, const std::string& id, bool verbose) {
  DROVER_ASSIGN(const std::string whole, FindId(client, kVolumeIds, id));
  DROVER_ASSIGN(const json volume, client->Get(ApiPath("/v1/volume/host", whole)));
  DROVER_TRY(CheckIsObject(volume));
  if (out->raw()) return out->Print(volume);
  const auto bytes = static_cast<std::uint64_t>(NumberField(volume, "CapacityBytes"));
  PrintFields(out, {{"ID", TextField(volume, "ID")},
                    {"Name", TextField(volume, "Name")},
                    {"Namespace", TextField(volume, "Namespace")},
                    {"Plugin ID", TextField(volume, "PluginID")},
                    {"Node ID", TextField(volume, "NodeID")},
                    {"Node Pool", TextField(volume, "NodePool")},
                    {"Capacity", Amount(bytes)},
                    {"State", TextField(volume, "State")},
                    {"Host Path", TextField(volume, "HostPath")}});
  PrintVolumeParts(out, volume, verbose);
  return kExitOk;
}

void AddVolumeStatus(const ClientGroup& volume) {
  volume.Add<VolumeStatusCommand>("status", "Lists host volumes, or shows one");
}

}  // namespace drover
