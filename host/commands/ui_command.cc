// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/id_lookup.h"
#include "host/cli/record_search.h"
#include "host/client/server_address.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

// Returns the path of the page about FOUND, behind "/ui".
Result<std::string> PageOf(ApiClient* agent, const FoundRecord& found) {
  if (found.kind == "nodes") return ApiPath("/clients", found.id);
  if (found.kind == "allocs") return ApiPath("/allocations", found.id);
  if (found.kind != "jobs") {
    return Error(Code::kInvalidArgument, "only jobs, allocations and nodes have a page, and \"" +
                                             found.id + "\" is one of the " + found.kind);
  }
  DROVER_ASSIGN(const JobName job, FindJob(agent, found.id));
  return ApiPath("/jobs", job.id) + "@" + ApiPath("", job.job_namespace).substr(1);
}

struct UiCommand {
  std::string id;
  bool show_url = false;
  ClientOptions client;
  AnswerForm form;  // without options: the command prints one line

  void Declare(CLI::App* command) {
    command->add_option(
        "ID", id, "A job, an allocation or a node, by its id or the beginning of it: its page");
    command->add_flag("--show-url", show_url, "Changes nothing: the command opens no browser");
    AddClientOptions(command, &client);
    AddNote(command, "An agent of Drover has no such page yet, but one of Nomad does.");
  }

  Result<int> Run(ApiClient* agent, Output* out) const {
    DROVER_ASSIGN(const ServerAddress address, ParseServerAddress(agent->options().address));
    if (!address.socket_path.empty()) {
      return Error(Code::kInvalidArgument, "a browser cannot open " + agent->options().address);
    }
    std::string page = "/";
    if (!id.empty()) {
      DROVER_ASSIGN(const FoundRecord found, FindRecord(agent, id));
      DROVER_ASSIGN(page, PageOf(agent, found));
    }
    Query query;
    const std::string& name = agent->options().job_namespace;
    if (!name.empty()) query.emplace_back("namespace", name);
    out->Line("URL for web UI: " +
              Printable((address.tls ? "https://" : "http://") + address.authority +
                        address.prefix + WithQuery("/ui" + page, query)));
    return kExitOk;
  }
};

}  // namespace

void AddUi(const CommandGroup& drover) {
  AddClientCommand<UiCommand>(drover, "ui", "Prints the address of the web page of an agent");
}

}  // namespace drover
