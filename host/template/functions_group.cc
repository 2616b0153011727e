// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/govalues/go_number.h"
#include "host/govalues/go_text.h"
#include "host/govalues/template_answers.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions that group services and keys, and the methods of answers.
namespace drover::templates {
namespace {

constexpr std::size_t kLongestMetas = 4 << 10;

using ServiceGroups = std::map<Value, List, ValueLess>;

// Returns GROUPS as a map of TYPE.
Value MapOfGroups(ServiceGroups groups, const Type* type, Heap* heap) {
  const Value map = heap->NewMap(type);
  for (auto& [key, list] : groups) {
    heap->Put(map, key, heap->NewList(std::move(list), type->element));
  }
  return map;
}

Result<Value> GroupByKey(const Call& call) {
  const Value out = call.heap().NewMap(&kPairMaps);
  for (const Value& pair : call.at(0).list()) {
    const std::string& path = pair.Field("Key").text();
    const std::size_t slash = path.find('/');
    if (slash == std::string::npos || slash + 1 == path.size()) continue;
    const std::string top = path.substr(0, slash);
    const Value* const found = out.Find(top);
    const Value group = found != nullptr ? *found : call.heap().NewMap(&kPairMap);
    if (found == nullptr) call.heap().Put(out, top, group);
    List fields = pair.list();
    const Value name = call.Text(path.substr(slash + 1));
    fields[1] = name;
    call.heap().Put(group, name, call.heap().NewStruct(std::move(fields), &kPair));
  }
  return out;
}

Result<Value> GroupByTag(const Call& call) {
  const Value& services = call.at(0);
  if (services.IsNothing()) return call.heap().NewMap(&kListMap);
  const Type* const type = services.type();
  if (type != &kHealths && type != &kInstances && type != &kCatalogNames && type != &kNomadNames) {
    return CallError("wrong argument type " + TypeName(services));
  }
  ServiceGroups groups;
  for (const Value& service : services.list()) {
    for (const Value& tag : service.Field("Tags").list()) groups[tag].push_back(service);
  }
  return MapOfGroups(std::move(groups), &kListMap, &call.heap());
}

Result<Value> GroupByPort(const Call& call) {
  const Value& services = call.at(0);
  if (services.IsNothing()) return call.heap().NewMap(&kPortMap);
  if (services.type() != &kHealths && services.type() != &kInstances) {
    return CallError("wrong argument type " + TypeName(services));
  }
  ServiceGroups groups;
  for (const Value& service : services.list()) groups[service.Field("Port")].push_back(service);
  return MapOfGroups(std::move(groups), &kPortMap, &call.heap());
}

// Returns what SERVICE has for META, a name that may end with "|int", in the form of a key.
Result<std::string> MetaPart(const Value& service, std::string meta) {
  const bool number = meta.ends_with("|int");
  if (number) meta.resize(meta.size() - 4);
  const Value* const found = service.Field("ServiceMeta").Find(meta);
  std::string value = found != nullptr ? found->text() : "";
  if (value.empty()) value = number ? "0" : "_no_" + meta + "_";
  if (number) {
    const std::optional<std::int64_t> parsed = ParseInt(value, 10);
    if (!parsed) return CallError("cannot parse the metadata " + QuoteText(meta) + " as number");
    char digits[32];
    std::snprintf(digits, sizeof digits, "%05lld", static_cast<long long>(*parsed));
    value = digits;
  }
  std::string out;
  for (const char32_t c : CharactersOf(value)) {
    const bool plain = c < 0x80 && (IsLetter(c) || IsDigitCharacter(c) || c == '_' || c == '-');
    out += plain ? static_cast<char>(c) : '_';
  }
  return out;
}

Result<Value> GroupByMeta(const Call& call) {
  if (call.text(0).size() > kLongestMetas) return CallError("the names are too long");
  ServiceGroups groups;
  const std::vector<std::string> metas = Split(call.text(0), ",");
  for (const Value& service : call.at(1).list()) {
    std::vector<std::string> parts;
    for (const std::string& meta : metas) {
      DROVER_ASSIGN(std::string part, MetaPart(service, meta));
      parts.push_back(std::move(part));
    }
    groups[call.Text(Join(parts, "_"))].push_back(service);
  }
  return MapOfGroups(std::move(groups), &kHealthMap, &call.heap());
}

// The methods of the items of a variable.
Result<Value> ItemsKeys(const Call& call) {
  List out;
  for (const auto& [key, item] : call.at(0).map()) out.push_back(key);
  return call.heap().NewList(std::move(out), &kStringList);
}
Result<Value> ItemsValues(const Call& call) {
  List out;
  for (const auto& [key, item] : call.at(0).map()) out.push_back(item.Field("Value"));
  return call.heap().NewList(std::move(out), &kStringList);
}
Result<Value> ItemsTuples(const Call& call) {
  List out;
  for (const auto& [key, item] : call.at(0).map()) {
    out.push_back(call.heap().NewStruct({key, item.Field("Value")}, &kTuple));
  }
  return call.heap().NewList(std::move(out), &kTuples);
}
Result<Value> ItemsMap(const Call& call) {
  if (call.at(0).map().empty()) return Value::Zero(&kAnyMap);
  const Value out = call.heap().NewMap();
  for (const auto& [key, item] : call.at(0).map()) call.heap().Put(out, key, item.Field("Value"));
  return out;
}

// An item has the variable to which it belongs behind its fields.
Value VariableOf(const Value& item) {
  return item.list().size() > 2 ? item.list()[2] : Value::Nil();
}
Result<Value> ItemsMetadata(const Call& call) {
  const Map& items = call.at(0).map();
  return items.empty() ? Value::Nil() : VariableOf(items.begin()->second);
}
Result<Value> ItemMetadata(const Call& call) { return VariableOf(call.at(0)); }
Result<Value> ItemString(const Call& call) { return call.at(0).Field("Value"); }
Result<Value> MetaString(const Call& call) { return call.at(0).Field("Path"); }

Result<Value> NanoTime(const Call& call) {
  const std::int64_t time = call.at(0).integer();
  return call.heap().NewMoment({time / 1'000'000'000, time % 1'000'000'000, 0});
}

constexpr Function kGroupFunctions[] = {
    {"byKey", "P", GroupByKey},
    {"byTag", "a", GroupByTag},
    {"byPort", "a", GroupByPort},
    {"byMeta", "sH", GroupByMeta},
};

constexpr Function kItemsMethods[] = {
    {"Keys", "a", ItemsKeys},    {"Values", "a", ItemsValues},     {"Tuples", "a", ItemsTuples},
    {"ItemsMap", "a", ItemsMap}, {"Metadata", "a", ItemsMetadata}, {"Parent", "a", ItemsMetadata},
};
constexpr Function kItemMethods[] = {
    {"String", "a", ItemString}, {"Metadata", "a", ItemMetadata}, {"Parent", "a", ItemMetadata}};
constexpr Function kMetaMethods[] = {{"String", "a", MetaString}};
constexpr Function kNanoTimeMethods[] = {{"Time", "a", NanoTime}};

}  // namespace

FunctionSpan GroupFunctions() { return kGroupFunctions; }

const Function* FindMethod(const Type* type, std::string_view name) {
  FunctionSpan methods;
  if (type == &kScratch) methods = ScratchMethods();
  if (type == &kTime) methods = MomentMethods();
  if (type == &kDuration) methods = DurationMethods();
  if (type == &kMonth || type == &kWeekday) methods = CalendarMethods();
  if (type == &kVariableItems) methods = kItemsMethods;
  if (type == &kVariableItem) methods = kItemMethods;
  if (type == &kVariableMeta) methods = kMetaMethods;
  if (type == &kVariableTime) methods = kNanoTimeMethods;
  for (const Function& method : methods) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

}  // namespace drover::templates
