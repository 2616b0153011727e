// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/drain_monitor.h"
#include "host/cli/node_options.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"
#include "host/view/terminal.h"

namespace drover {
namespace {

using nlohmann::json;

struct NodeDrainCommand {
  NodeArgument node;
  bool enable = false;
  bool disable = false;
  bool monitor = false;
  std::string deadline = "1h";
  bool force = false;
  bool no_deadline = false;
  bool ignore_system = false;
  bool keep_ineligible = false;
  std::string message;
  std::vector<std::string> meta;  // each element is KEY=VALUE
  bool yes = false;
  bool detach = false;
  bool verbose = false;

  void Declare(CLI::App* command) {
    node.Declare(command);
    CLI::Option_group* const way = command->add_option_group("One of");
    way->add_flag(
        "--enable", enable,
        "Services leave at once, what ends by itself at the deadline; without another node "
        "all of it comes back when this one is eligible again");
    way->add_flag("--disable", disable, "What was not stopped yet goes on");
    way->add_flag("--monitor", monitor, "Only shows the drain that there is, to its end");
    way->require_option(1);
    CLI::Option* const until =
        command->add_option("--deadline", deadline, "How long what ends by itself may take")
            ->capture_default_str();
    CLI::Option* const at_once = command->add_flag("--force", force, "Stops everything at once");
    command->add_flag("--no-deadline", no_deadline, "What ends by itself may go on for ever")
        ->excludes(until)
        ->excludes(at_once);
    at_once->excludes(until);
    command->add_flag("--ignore-system", ignore_system, "Leaves system jobs alone");
    command->add_flag("--keep-ineligible", keep_ineligible,
                      "With --disable: the node still gets no new allocations");
    command->add_option("-m,--message", message, "Is kept with the drain");
    command->add_option("--meta", meta, "KEY=VALUE, is kept with the drain; may be repeated");
    command->add_flag("--yes", yes, "Does not ask");
    command->add_flag("--detach", detach, "Does not wait until the node is empty");
    AddVerbose(command, &verbose);
  }

  Status Check() const { return node.Require(); }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string id, node.Find(client));
    DrainMonitor shown(client, out, id, verbose);
    if (monitor) return Monitor(client, out, id, &shown);
    DROVER_ASSIGN(const json body, Body(id));
    if (enable && !yes) {
      DROVER_ASSIGN(const bool drain, Confirmed("Drain the node " + id + "?"));
      if (!drain) return kExitOk;
    }
    if (!detach) DROVER_TRY(shown.Begin());
    DROVER_ASSIGN(const json answer, client->Put(ApiPath("/v1/node", id, "/drain"), body));
    if (disable) return out->Print(answer, "node " + Printable(id) + " is not drained any more");
    DROVER_TRY(out->Print(answer, "node " + Printable(id) + " is being drained"));
    if (!out->raw() && !detach) DROVER_TRY(shown.Follow());
    return kExitOk;
  }

  // Shows the drain that there is.
  static Result<int> Monitor(ApiClient* client, Terminal* terminal, const std::string& id,
                             DrainMonitor* shown) {
    DROVER_ASSIGN(const json now, client->Get(ApiPath("/v1/node", id)));
    if (MapField(now, "DrainStrategy").empty()) {
      terminal->Line("No drain strategy set for node " + Printable(id));
      return kExitOk;
    }
    DROVER_TRY(shown->Begin());
    DROVER_TRY(shown->Follow());
    return kExitOk;
  }

  Result<json> Body(const std::string& id) const {
    json body = {{"NodeID", id}, {"DrainSpec", nullptr}};
    if (disable) {
      body["MarkEligible"] = !keep_ineligible;
    } else {
      Duration limit = force ? Duration(-1s) : Duration(0);
      if (!force && !no_deadline) {
        DROVER_ASSIGN(limit, ParseDuration(deadline));
      }
      body["DrainSpec"] = {{"Deadline", limit.count()}, {"IgnoreSystemJobs", ignore_system}};
    }
    DROVER_ASSIGN(json kept, KeyValues(meta, "--meta "));
    if (!message.empty()) kept["message"] = message;
    if (!kept.empty()) body["Meta"] = std::move(kept);
    return body;
  }
};

}  // namespace

void AddNodeDrain(const ClientGroup& node) {
  node.Add<NodeDrainCommand>("drain", "Empties a node, or ends that");
}

}  // namespace drover
