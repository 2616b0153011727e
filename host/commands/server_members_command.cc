// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

// Returns the address and the port at which MEMBER serves other servers, as a leader is named.
std::string ServerAddressOf(const json& member) {
  const std::string host = RawField(member, "Addr");
  const bool brackets = host.find(':') != host.npos;
  return (brackets ? "[" + host + "]" : host) + ":" + RawField(MapField(member, "Tags"), "port");
}

// Adds the tag "Leader" to each of MEMBERS. If the leader of a region cannot be found, returns why;
// then no server of that region counts as the leader.
Status MarkLeaders(ApiClient* client, json* members) {
  Status known;
  std::map<std::string, std::string> leaders;  // by region
  for (json& member : *members) {
    json tags = MapField(member, "Tags");
    const std::string region = RawField(tags, "region");
    // In a region whose servers have all left, nobody knows a leader.
    if (!leaders.contains(region) && RawField(member, "Status") != "left") {
      const auto answer = client->Get("/v1/status/leader", {{"region", region}});
      if (!answer.ok()) known = answer.error().WithContext("region \"" + region + "\"");
      leaders[region] = answer.ok() && answer->is_string() ? answer->get<std::string>() : "";
    }
    const auto leader = leaders.find(region);
    const bool leads = leader != leaders.end() && leader->second == ServerAddressOf(member);
    tags["Leader"] = leads ? "true" : "false";
    if (member.is_object()) member["Tags"] = std::move(tags);
  }
  return known;
}

TextTable MemberTable(const json& members, bool verbose) {
  std::vector<std::string> head = {"Name",         "Address", "Port",       "Status", "Leader",
                                   "Raft Version", "Build",   "Datacenter", "Region"};
  if (verbose) head.insert(head.end(), {"Protocol", "Tags"});
  TextTable table(std::move(head));
  for (const json& member : members) {
    const json& tags = MapField(member, "Tags");
    std::vector<Cell> row = {TextField(member, "Name"),  TextField(member, "Addr"),
                             NumberText(member, "Port"), StatusCell(TextField(member, "Status")),
                             TextField(tags, "Leader"),  TextField(tags, "raft_vsn"),
                             TextField(tags, "build"),   TextField(tags, "dc"),
                             TextField(tags, "region")};
    if (verbose) {
      std::string all;
      for (const auto& [key, value] : tags.items()) {
        all += (all.empty() ? "" : ",") + Printable(key) + "=" + TextField(tags, key.c_str());
      }
      row.emplace_back(NumberText(member, "ProtocolCur"));
      row.emplace_back(std::move(all));
    }
    table.Add(std::move(row));
  }
  return table;
}

struct ServerMembersCommand {
  bool verbose = false;

  void Declare(CLI::App* command) {
    command->add_flag("--verbose,--detailed", verbose, "Prints also the protocol and all tags");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json answer, client->Get("/v1/agent/members"));
    DROVER_TRY(CheckIsObject(answer));
    json members = ListField(answer, "Members");
    std::sort(members.begin(), members.end(), [](const json& a, const json& b) {
      return RawField(a, "Name") < RawField(b, "Name");
    });
    const Status known = MarkLeaders(client, &members);
    DROVER_TRY(out->Print(members, MemberTable(members, verbose), "There are no servers."));
    if (!known.ok()) return known.error();
    return kExitOk;
  }
};

}  // namespace

void AddServerMembers(const ClientGroup& server) {
  server.Add<ServerMembersCommand>("members", "Lists the servers that the agent knows");
}

}  // namespace drover
