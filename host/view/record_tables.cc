// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/record_tables.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/base/printable.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {

using nlohmann::json;

namespace {

std::string TagsText(const json& of) {
  std::string text;
  for (const json& tag : ListField(of, "Tags")) {
    if (!tag.is_string()) continue;
    text += (text.empty() ? "" : ",") + Printable(tag.get<std::string>());
  }
  return text.empty() ? "-" : text;
}

// Returns the address and the port of a registration. Either may be missing.
std::string AddressText(const json& registration) {
  const std::string address = TextField(registration, "Address");
  if (NumberField(registration, "Port") == 0) return address.empty() ? "-" : address;
  const bool is_ipv6 = address.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + address + "]" : address) + ":" + NumberText(registration, "Port");
}

}  // namespace

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

TextTable CheckTable(const json& checks, bool all_fields) {
  std::vector<std::string> head = {"Check", "Service", "Task", "Mode", "Status"};
  if (all_fields) {
    for (const char* more : {"Code", "Ran", "ID"}) head.emplace_back(more);
  }
  head.emplace_back("Output");
  TextTable table(std::move(head));
  constexpr WallTime kSecond = 1'000'000'000, kLatest = 9'000'000'000;
  const WallTime now = WallNow();
  for (const auto& [id, check] : AsMap(checks).items()) {
    const std::string task = TextField(check, "Task");
    std::vector<Cell> row = {TextField(check, "Check"), TextField(check, "Service"),
                             task.empty() ? "(group)" : task, TextField(check, "Mode"),
                             StatusCell(TextField(check, "Status"))};
    if (all_fields) {
      const std::int64_t code = NumberField(check, "StatusCode");
      row.emplace_back(code == 0 ? "-" : std::to_string(code));
      row.emplace_back(
          Ago(std::clamp<WallTime>(NumberField(check, "Timestamp"), 0, kLatest) * kSecond, now));
      row.emplace_back(Printable(id));
    }
    row.emplace_back(TextField(check, "Output"));
    table.Add(std::move(row));
  }
  return table;
}

TextTable ServiceTable(const json& list) {
  TextTable table({"Service", "Namespace", "Tags"});
  for (const json& one : AsList(list)) {
    for (const json& service : ListField(one, "Services")) {
      table.Add(
          {TextField(service, "ServiceName"), TextField(one, "Namespace"), TagsText(service)});
    }
  }
  return table;
}

TextTable RegistrationTable(const json& registrations, bool full_ids) {
  TextTable table(
      full_ids ? std::vector<std::string>{"Job", "Address", "Tags", "Node", "Allocation", "ID"}
               : std::vector<std::string>{"Job", "Address", "Tags", "Node", "Allocation"});
  for (const json& one : AsList(registrations)) {
    std::vector<Cell> row = {TextField(one, "JobID"), AddressText(one), TagsText(one),
                             ShownId(TextField(one, "NodeID"), full_ids),
                             ShownId(TextField(one, "AllocID"), full_ids)};
    if (full_ids) row.emplace_back(TextField(one, "ID"));
    table.Add(std::move(row));
  }
  return table;
}

TextTable SigningKeyTable(const json& keys, bool full_ids) {
  TextTable table({"Key", "State", "Create Time"});
  for (const json& key : AsList(keys)) {
    table.Add({ShownId(TextField(key, "KeyID"), full_ids), TextField(key, "State"),
               LocalTime(NumberField(key, "CreateTime"))});
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

TextTable RelatedEvalTable(const json& evals, bool full_ids) {
  TextTable table({"ID", "Triggered by", "Status", "Waits until", "Description"});
  for (const json& eval : AsList(evals)) {
    table.Add({ShownId(TextField(eval, "ID"), full_ids), TextField(eval, "TriggeredBy"),
               StatusCell(TextField(eval, "Status")), Moment(TextField(eval, "WaitUntil")),
               TextField(eval, "StatusDescription")});
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
