// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/record_tables.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/json_fields.h"
#include "host/cli/readable.h"

namespace drover {

using nlohmann::json;

TextTable AllocTable(const json& stubs, bool full_ids) {
  TextTable table({"ID", "Node", "Group", "Version", "Desired", "Status", "Created", "Modified"});
  const WallTime now = WallNow();
  for (const json& stub : AsList(stubs)) {
    table.Add(
        {ShownId(TextField(stub, "ID"), full_ids), TextField(stub, "NodeName"),
         TextField(stub, "TaskGroup"), NumberText(stub, "JobVersion"),
         StatusCell(TextField(stub, "DesiredStatus")), StatusCell(TextField(stub, "ClientStatus")),
         Ago(NumberField(stub, "CreateTime"), now), Ago(NumberField(stub, "ModifyTime"), now)});
  }
  return table;
}

TextTable CheckTable(const json& checks) {
  TextTable table({"Check", "Service", "Task", "Mode", "Status", "Output"});
  for (const json& check : AsMap(checks)) {
    table.Add({TextField(check, "Check"), TextField(check, "Service"), TextField(check, "Task"),
               TextField(check, "Mode"), StatusCell(TextField(check, "Status")),
               TextField(check, "Output")});
  }
  return table;
}

TextTable EvalTable(const json& evals, bool full_ids) {
  std::vector<const json*> sorted;
  for (const json& eval : AsList(evals)) sorted.push_back(&eval);
  std::sort(sorted.begin(), sorted.end(), [](const json* a, const json* b) {
    return std::pair(NumberField(*a, "CreateIndex"), RawField(*a, "ID")) >
           std::pair(NumberField(*b, "CreateIndex"), RawField(*b, "ID"));
  });
  TextTable table({"ID", "Job", "Priority", "Triggered by", "Status", "Created"});
  const WallTime now = WallNow();
  for (const json* eval : sorted) {
    table.Add({ShownId(TextField(*eval, "ID"), full_ids), TextField(*eval, "JobID"),
               NumberText(*eval, "Priority"), TextField(*eval, "TriggeredBy"),
               StatusCell(TextField(*eval, "Status")), Ago(NumberField(*eval, "CreateTime"), now)});
  }
  return table;
}

TextTable MetaTable(const json& answer) {
  const json& meta = MapField(answer, "Meta");
  const json& dynamic = MapField(answer, "Dynamic");
  TextTable table({"Key", "Value", "Set by"});
  for (const auto& [key, value] : meta.items()) {
    table.Add({Printable(key), TextField(meta, key.c_str()),
               dynamic.contains(key) ? "a client" : "the configuration"});
  }
  return table;
}

}  // namespace drover
