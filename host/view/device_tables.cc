// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/device_tables.h"

#include <nlohmann/json.hpp>
#include <string>

#include "host/base/printable.h"
#include "host/view/json_fields.h"
#include "host/view/terminal.h"

namespace drover {
namespace {

using nlohmann::json;

std::string GroupText(const json& group) {
  return TextField(group, "Vendor") + "/" + TextField(group, "Type") + "/" +
         TextField(group, "Name");
}

std::string IdsText(const json& device) {
  std::string ids;
  for (const json& id : ListField(device, "DeviceIDs")) {
    if (!id.is_string()) continue;
    ids += (ids.empty() ? "" : ", ") + Printable(id.get<std::string>());
  }
  return ids;
}

// Returns the value of a statistic with its unit.
std::string ValueText(const json& stat) {
  std::string text = TextField(stat, "StringVal");
  for (const char* key : {"IntNumeratorVal", "FloatNumeratorVal", "BoolVal"}) {
    const auto value = stat.find(key);
    if (value != stat.end() && value->is_primitive() && !value->is_null()) text = value->dump();
  }
  const std::string unit = TextField(stat, "Unit");
  return unit.empty() ? Printable(text) : Printable(text) + " " + unit;
}

void AddStats(const std::string& task, const json& group, TextTable* table) {
  const auto add = [&](const std::string& id, const std::string& name, const json& stat) {
    table->Add({Printable(task), GroupText(group), Printable(id), Printable(name), ValueText(stat),
                TextField(stat, "Desc")});
  };
  for (const auto& [id, instance] : MapField(group, "InstanceStats").items()) {
    const json& values = MapField(MapField(instance, "Stats"), "Attributes");
    for (const auto& [name, stat] : values.items()) add(id, name, AsMap(stat));
    const json& summary = MapField(instance, "Summary");
    if (values.empty() && !summary.empty()) add(id, "", summary);
  }
}

}  // namespace

TextTable DeviceStatsTable(const json& stats) {
  TextTable table({"Task", "Devices", "ID", "Statistic", "Value", "Description"});
  for (const auto& [task, of_task] : MapField(stats, "Tasks").items()) {
    for (const json& group : ListField(MapField(of_task, "ResourceUsage"), "DeviceStats")) {
      AddStats(task, AsMap(group), &table);
    }
  }
  return table;
}

TextTable AllocDeviceTable(const json& alloc) {
  TextTable table({"Task", "Devices", "IDs"});
  for (const auto& [task, of_task] :
       MapField(MapField(alloc, "AllocatedResources"), "Tasks").items()) {
    for (const json& device : ListField(of_task, "Devices")) {
      table.Add({Printable(task), GroupText(device), IdsText(device)});
    }
  }
  return table;
}

TextTable NodeDeviceTable(const json& node) {
  TextTable table({"Devices", "ID", "Healthy", "Description"});
  for (const json& group : ListField(MapField(node, "NodeResources"), "Devices")) {
    for (const json& instance : ListField(group, "Instances")) {
      const bool healthy = FlagField(instance, "Healthy");
      table.Add({GroupText(group), TextField(instance, "ID"),
                 Cell(healthy ? "yes" : "no",
                      healthy ? Terminal::Colour::kGreen : Terminal::Colour::kRed),
                 TextField(instance, "HealthDescription")});
    }
  }
  return table;
}

}  // namespace drover
