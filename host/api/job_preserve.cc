// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/job_preserve.h"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace drover {
namespace {

using nlohmann::json;

// Calls EACH for each pair of elements with the same name. One element is in the list KEY of
// OBJECT, and the other element is in the list KEY of OTHER.
void ForNamesakes(json* object, const json& other, const char* key,
                  const std::function<void(json* mine, const json& theirs)>& each) {
  const auto list = object->is_object() ? object->find(key) : object->end();
  if (!object->is_object() || list == object->end() || !list->is_array()) return;
  std::map<std::string, const json*> named;
  for (const json& element : other.at(key)) named[element.at("Name")] = &element;
  for (json& element : *list) {
    const json name = element.is_object() ? element.value("Name", json()) : json();
    const auto found = name.is_string() ? named.find(name) : named.end();
    if (found != named.end()) each(&element, *found->second);
  }
}

}  // namespace

json Preserve(json sent, const json& before, Preserved what) {
  ForNamesakes(&sent, before, "TaskGroups", [what](json* group, const json& old_group) {
    if (what.counts) (*group)["Count"] = old_group.at("Count");
    if (!what.resources) return;
    ForNamesakes(group, old_group, "Tasks", [](json* task, const json& old_task) {
      (*task)["Resources"] = old_task.at("Resources");
    });
  });
  return sent;
}

}  // namespace drover
