// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/cli/alloc_argument.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"
#include "host/view/task_output.h"

namespace drover {
namespace {

using nlohmann::json;

Result<int> PrintFiles(Output* out, const json& files) {
  TextTable table({"Mode", "Size", "Modified", "Name"});
  for (const json& file : AsList(files)) {
    table.Add({TextField(file, "FileMode"),
               Amount(static_cast<std::uint64_t>(NumberField(file, "Size"))),
               Moment(TextField(file, "ModTime")),
               TextField(file, "Name") + (FlagField(file, "IsDir") ? "/" : "")});
  }
  return out->Print(files, table);
}

struct AllocFsCommand {
  AllocArgument alloc;
  std::string path = "/";
  bool stat = false;

  void Declare(CLI::App* command) {
    alloc.Declare(command);
    command->add_option("PATH", path, "Below the directory of the allocation")
        ->capture_default_str();
    command->add_flag("--stat", stat, "Shows what it is, and not what is in it");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string id, alloc.Find(client));
    const Query query = {{"path", path}};
    DROVER_ASSIGN(const json file, client->Get(ApiPath("/v1/client/fs/stat", id), query));
    if (stat) return PrintFiles(out, json::array({file}));
    if (FlagField(file, "IsDir")) {
      DROVER_ASSIGN(const json list, client->Get(ApiPath("/v1/client/fs/ls", id), query));
      return PrintFiles(out, list);
    }
    TaskOutput output(stdout);
    DROVER_TRY(client->Stream(ApiPath("/v1/client/fs/cat", id), query,
                              [&output](std::string_view some) { output.Write(some); }));
    output.End();
    return kExitOk;
  }
};

}  // namespace

void AddAllocFs(const ClientGroup& alloc) {
  alloc.Add<AllocFsCommand>("fs", "Lists a directory of an allocation, or prints a file");
}

}  // namespace drover
