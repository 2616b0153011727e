// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/acl_view.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/printable.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;

std::string Joined(const std::string& before, const std::string& next) {
  return before.empty() ? next : before + ", " + next;
}

// Returns the texts in the list NAME.
std::string ListedTexts(const json& object, const char* name) {
  std::string all;
  for (const json& one : ListField(object, name)) {
    if (one.is_string()) all = Joined(all, Printable(one.get<std::string>()));
  }
  return all;
}

// Returns the names of the objects in the list NAME.
std::string ListedNames(const json& object, const char* name) {
  std::string all;
  for (const json& one : ListField(object, name)) all = Joined(all, TextField(one, "Name"));
  return all;
}

std::string MomentOf(const json& object, const char* name) {
  const std::string text = RawField(object, name);
  return text.empty() ? "never" : Printable(Moment(text));
}

}  // namespace

void PrintToken(Terminal* terminal, const json& token) {
  PrintFields(terminal, {{"Accessor", TextField(token, "AccessorID")},
                         {"Secret", TextField(token, "SecretID")},
                         {"Name", TextField(token, "Name")},
                         {"Type", TextField(token, "Type")},
                         {"Policies", ListedTexts(token, "Policies")},
                         {"Roles", ListedNames(token, "Roles")},
                         {"Global", FlagField(token, "Global") ? "true" : "false"},
                         {"Created", MomentOf(token, "CreateTime")},
                         {"Expires", MomentOf(token, "ExpirationTime")}});
}

void PrintPolicy(Terminal* terminal, const json& policy) {
  const json& job = MapField(policy, "JobACL");
  PrintFields(terminal, {{"Name", TextField(policy, "Name")},
                         {"Description", TextField(policy, "Description")},
                         {"Namespace", TextField(job, "Namespace")},
                         {"Job", TextField(job, "JobID")},
                         {"Group", TextField(job, "Group")},
                         {"Task", TextField(job, "Task")}});
  PrintHeading(terminal, "Rules");
  std::string rules = RawField(policy, "Rules");
  while (rules.ends_with('\n')) rules.pop_back();
  for (std::size_t at = 0; at <= rules.size();) {
    const std::size_t end = std::min(rules.find('\n', at), rules.size());
    terminal->Line(Printable(rules.substr(at, end - at)));
    at = end + 1;
  }
}

void PrintRole(Terminal* terminal, const json& role) {
  PrintFields(terminal, {{"ID", TextField(role, "ID")},
                         {"Name", TextField(role, "Name")},
                         {"Description", TextField(role, "Description")},
                         {"Policies", ListedNames(role, "Policies")}});
}

TextTable TokenTable(const json& tokens) {
  TextTable table({"Accessor", "Name", "Type", "Global", "Expires"});
  for (const json& token : AsList(tokens)) {
    table.Add({TextField(token, "AccessorID"), TextField(token, "Name"), TextField(token, "Type"),
               FlagField(token, "Global") ? "true" : "false", MomentOf(token, "ExpirationTime")});
  }
  return table;
}

TextTable PolicyTable(const json& policies) {
  TextTable table({"Name", "Description", "Job"});
  for (const json& policy : AsList(policies)) {
    table.Add({TextField(policy, "Name"), TextField(policy, "Description"),
               TextField(MapField(policy, "JobACL"), "JobID")});
  }
  return table;
}

TextTable RoleTable(const json& roles) {
  TextTable table({"ID", "Name", "Description", "Policies"});
  for (const json& role : AsList(roles)) {
    table.Add({TextField(role, "ID"), TextField(role, "Name"), TextField(role, "Description"),
               ListedNames(role, "Policies")});
  }
  return table;
}

}  // namespace drover
