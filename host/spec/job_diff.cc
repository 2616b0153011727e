// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/job_diff.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

using Texts = std::map<std::string, std::string>;

constexpr char kNone[] = "None";
constexpr char kAdded[] = "Added";
constexpr char kDeleted[] = "Deleted";
constexpr char kEdited[] = "Edited";

// Returns the members of a job that the diff does not list as fields. Either they are not part of
// the job's text, or the diff has them in another place.
const std::set<std::string>& NoFieldsOfAJob() {
  static const auto& names =
      *new std::set<std::string>{"ID",         "Status",       "StatusDescription", "Version",
                                 "Stable",     "CreateIndex",  "JobModifyIndex",    "ModifyIndex",
                                 "SubmitTime", "NomadTokenID", "VersionTag",        "TaskGroups"};
  return names;
}

// Returns the members of the object NAME that are not part of the job's text, but of answers.
const std::set<std::string>& NoFieldsOf(const std::string& name) {
  static const auto& none = *new std::set<std::string>();
  static const auto& of_scaling =
      *new std::set<std::string>{"ID", "Namespace", "Target", "CreateIndex", "ModifyIndex"};
  return name == "Scaling" || name == "ScalingPolicy" ? of_scaling : none;
}

std::string TextOf(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? "" : JsonText(value);
}

bool IsNothing(const json& value) {
  return value.is_null() || (value.is_structured() && value.empty());
}

// Returns "Constraint" for "Constraints", for example.
std::string Singular(const std::string& key) {
  if (key == "ReservedPorts") return "Static Port";
  if (key == "DynamicPorts") return "Dynamic Port";
  if (key.ends_with("ies")) return key.substr(0, key.size() - 3) + "y";
  return key.ends_with('s') ? key.substr(0, key.size() - 1) : key;
}

json ListOrNull(std::vector<json> list) { return list.empty() ? json(nullptr) : json(list); }

json FieldDiff(const char* type, const std::string& name, const std::string& before,
               const std::string& after) {
  return {
      {"Type", type}, {"Name", name}, {"Old", before}, {"New", after}, {"Annotations", nullptr}};
}

// Returns the changes from BEFORE to AFTER. An empty text counts as a missing one. If STAYING is
// true, the result also contains the unchanged fields.
std::vector<json> FieldDiffs(const Texts& before, const Texts& after, bool staying) {
  std::vector<json> diffs;
  Texts all = before;
  all.insert(after.begin(), after.end());
  const auto in = [](const Texts& texts, const std::string& name) {
    const auto found = texts.find(name);
    return found == texts.end() ? std::string() : found->second;
  };
  for (const auto& [name, unused] : all) {
    const std::string left = in(before, name), right = in(after, name);
    if (left == right) {
      if (staying && !left.empty()) diffs.push_back(FieldDiff(kNone, name, left, right));
    } else {
      const char* const type = left.empty() ? kAdded : right.empty() ? kDeleted : kEdited;
      diffs.push_back(FieldDiff(type, name, left, right));
    }
  }
  return diffs;
}

bool HasChange(const std::vector<json>& diffs) {
  return std::any_of(diffs.begin(), diffs.end(),
                     [](const json& diff) { return diff.at("Type") != kNone; });
}

// Adds the values of a driver's configuration to OUT. The key is the place of a value, such as
// "args[1]" or "mounts[0].target".
void Flatten(const json& value, const std::string& place, Texts* out) {
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) {
      Flatten(item, place.empty() ? key : place + "." + key, out);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      Flatten(value[i], place + "[" + std::to_string(i) + "]", out);
    }
  } else {
    (*out)[place] = TextOf(value);
  }
}

// The ways in which a member of an object is compared.
enum class Member { kField, kMap, kConfig, kObject, kTexts, kObjects };

Member KindOf(const std::string& key, const json& before, const json& after) {
  const json& value = IsNothing(before) ? after : before;
  // What a driver or an autoscaler reads may have any form.
  if (key == "Config" || key == "Policy") return Member::kConfig;
  if (value.is_object()) {
    const bool flat = key == "Meta" || key == "Env" || key == "VariableFlags";
    return flat ? Member::kMap : Member::kObject;
  }
  if (!value.is_array()) return Member::kField;
  const bool of_objects = !value.empty() && value.front().is_object();
  return of_objects ? Member::kObjects : Member::kTexts;
}

class ObjectComparison {
 public:
  // BEFORE or AFTER is null if there is no such object. The members in WITHOUT are not compared. If
  // STAYING is true, the diff also lists the unchanged fields.
  ObjectComparison(const json& before, const json& after, const std::set<std::string>& without,
                   bool staying)
      : before_(before), after_(after) {
    std::set<std::string> keys;
    for (const json* object : {&before, &after}) {
      if (!object->is_object()) continue;
      for (const auto& [key, value] : object->items()) keys.insert(key);
    }
    for (const std::string& key : keys) {
      if (without.count(key) == 0) Compare(key);
    }
    fields_ = FieldDiffs(fields_before_, fields_after_, staying);
  }

  const char* type(bool more_has_changed = false) const {
    if (before_.is_null()) return after_.is_null() ? kNone : kAdded;
    if (after_.is_null()) return kDeleted;
    return more_has_changed || HasChange(fields_) || HasChange(objects_) ? kEdited : kNone;
  }

  json Diff(const char* named, const std::string& name, bool more_has_changed = false) const {
    return {{"Type", type(more_has_changed)},
            {named, name},
            {"Fields", ListOrNull(fields_)},
            {"Objects", ListOrNull(objects_)}};
  }

 private:
  static const json& In(const json& object, const std::string& key) {
    static const auto& nothing = *new json();
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() ? *found : nothing;
  }

  void Compare(const std::string& key) {
    const json &before = In(before_, key), &after = In(after_, key);
    if (IsNothing(before) && IsNothing(after)) return;
    switch (KindOf(key, before, after)) {
      case Member::kField:
        fields_before_[key] = TextOf(before);
        fields_after_[key] = TextOf(after);
        break;
      case Member::kMap:
        AddMap(key, before, &fields_before_);
        AddMap(key, after, &fields_after_);
        break;
      case Member::kConfig: {
        Texts left, right;
        if (!IsNothing(before)) Flatten(before, "", &left);
        if (!IsNothing(after)) Flatten(after, "", &right);
        AddFlat(key, left, right);
        break;
      }
      case Member::kObject:
        AddObject(key, IsNothing(before) ? json() : before, IsNothing(after) ? json() : after);
        break;
      case Member::kTexts:
        AddTexts(key, before, after);
        break;
      case Member::kObjects:
        AddObjects(Singular(key), before, after);
        break;
    }
  }

  static void AddMap(const std::string& key, const json& map, Texts* out) {
    if (!map.is_object()) return;
    for (const auto& [name, value] : map.items()) (*out)[key + "[" + name + "]"] = TextOf(value);
  }

  void AddFlat(const std::string& name, const Texts& before, const Texts& after) {
    std::vector<json> fields = FieldDiffs(before, after, true);
    if (!HasChange(fields)) return;
    const char* const type = before.empty() ? kAdded : after.empty() ? kDeleted : kEdited;
    objects_.push_back({{"Type", type},
                        {"Name", name},
                        {"Fields", ListOrNull(std::move(fields))},
                        {"Objects", nullptr}});
  }

  void AddObject(const std::string& name, const json& before, const json& after) {
    const ObjectComparison inner(before, after, NoFieldsOf(name), true);
    if (inner.type() != std::string(kNone)) objects_.push_back(inner.Diff("Name", name));
  }

  // Compares two lists of texts. The order of the texts does not matter.
  void AddTexts(const std::string& key, const json& before, const json& after) {
    std::multiset<std::string> left, right;
    for (const json& item : before) left.insert(TextOf(item));
    for (const json& item : after) right.insert(TextOf(item));
    std::vector<json> fields;
    for (const std::string& text : right) {
      if (left.count(text) == 0) fields.push_back(FieldDiff(kAdded, key, "", text));
    }
    for (const std::string& text : left) {
      const char* const type = right.count(text) == 0 ? kDeleted : kNone;
      fields.push_back(FieldDiff(type, key, text, type == kNone ? text : ""));
    }
    if (!HasChange(fields)) return;
    const char* const type = left.empty() ? kAdded : right.empty() ? kDeleted : kEdited;
    objects_.push_back({{"Type", type},
                        {"Name", key},
                        {"Fields", ListOrNull(std::move(fields))},
                        {"Objects", nullptr}});
  }

  // Compares objects of the same name with each other. An object without a name can only be added,
  // deleted or unchanged.
  void AddObjects(const std::string& name, const json& before, const json& after) {
    std::map<std::string, std::vector<const json*>> left, right;
    const char* const key = name == "ScalingPolicy" ? "Type" : "Name";
    for (const json& item : before) left[IdentityOf(item, key)].push_back(&item);
    for (const json& item : after) right[IdentityOf(item, key)].push_back(&item);
    static const auto& none = *new json();
    auto all = left;
    all.insert(right.begin(), right.end());
    for (const auto& [identity, unused] : all) {
      const auto &of_left = left[identity], &of_right = right[identity];
      for (std::size_t i = 0; i < std::max(of_left.size(), of_right.size()); ++i) {
        AddObject(name, i < of_left.size() ? *of_left[i] : none,
                  i < of_right.size() ? *of_right[i] : none);
      }
    }
  }

  static std::string IdentityOf(const json& item, const char* name) {
    for (const char* key : {name, "Label"}) {
      const json& value = In(item, key);
      if (value.is_string() && !value.get_ref<const std::string&>().empty()) {
        return "named " + value.get<std::string>();
      }
    }
    return TextOf(item);
  }

  const json& before_;
  const json& after_;
  Texts fields_before_;
  Texts fields_after_;
  std::vector<json> fields_;
  std::vector<json> objects_;
};

std::map<std::string, const json*> ByName(const json& of, const char* list) {
  std::map<std::string, const json*> named;
  const auto found = of.is_object() ? of.find(list) : of.end();
  if (!of.is_object() || found == of.end() || !found->is_array()) return named;
  for (const json& item : *found) {
    const auto name = item.is_object() ? item.find("Name") : item.end();
    if (item.is_object() && name != item.end()) named[TextOf(*name)] = &item;
  }
  return named;
}

// Returns the diffs of the items in the member LIST. DIFF compares two items of the same name.
template <typename Diff>
std::vector<json> NamedDiffs(const json& before, const json& after, const char* list, Diff diff) {
  const auto left = ByName(before, list), right = ByName(after, list);
  auto all = left;
  all.insert(right.begin(), right.end());
  static const auto& none = *new json();
  std::vector<json> diffs;
  for (const auto& [name, unused] : all) {
    const auto in_left = left.find(name), in_right = right.find(name);
    json one = diff(name, in_left == left.end() ? none : *in_left->second,
                    in_right == right.end() ? none : *in_right->second);
    if (one.at("Type") != kNone) diffs.push_back(std::move(one));
  }
  return diffs;
}

json DiffTasks(const std::string& name, const json& before, const json& after) {
  json diff = ObjectComparison(before, after, {"Name"}, false).Diff("Name", name);
  diff["Annotations"] = nullptr;
  return diff;
}

json DiffGroups(const std::string& name, const json& before, const json& after) {
  std::vector<json> tasks = NamedDiffs(before, after, "Tasks", DiffTasks);
  json diff =
      ObjectComparison(before, after, {"Name", "Tasks"}, false).Diff("Name", name, !tasks.empty());
  diff["Tasks"] = ListOrNull(std::move(tasks));
  diff["Updates"] = nullptr;
  return diff;
}

}  // namespace

json DiffJobs(const json& before, const json& after) {
  std::vector<json> groups = NamedDiffs(before, after, "TaskGroups", DiffGroups);
  const json& there = after.is_null() ? before : after;
  const std::string id = there.is_object() ? there.value("ID", "") : "";
  json diff =
      ObjectComparison(before, after, NoFieldsOfAJob(), false).Diff("ID", id, !groups.empty());
  diff["TaskGroups"] = ListOrNull(std::move(groups));
  return diff;
}

}  // namespace drover
