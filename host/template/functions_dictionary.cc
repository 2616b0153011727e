// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "host/govalues/go_format.h"
#include "host/govalues/go_text.h"
#include "host/template/conversions.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions of maps.
namespace drover::templates {
namespace {

Status CheckNotNil(const Value& map) {
  if (!map.IsNilContainer()) return {};
  return CallError("assignment to entry in nil map");
}

Result<Value> MapDict(const Call& call) {
  const Value map = call.heap().NewMap();
  for (std::size_t i = 0; i < call.count(); i += 2) {
    DROVER_ASSIGN(std::string key, TextOf(call.at(i), call.heap()));
    call.heap().Put(map, std::move(key), i + 1 < call.count() ? call.at(i + 1) : call.Text(""));
  }
  return map;
}

Result<Value> MapGet(const Call& call) {
  const Value* const found = call.at(0).Find(call.text(1));
  return found == nullptr ? call.Text("") : *found;
}

Result<Value> MapSet(const Call& call) {
  DROVER_TRY(CheckNotNil(call.at(0)));
  call.heap().Put(call.at(0), call.at(1), call.at(2));
  return call.at(0);
}

Result<Value> MapUnset(const Call& call) {
  if (!call.at(0).IsNilContainer()) call.at(0).map_to_change()->erase(call.at(1));
  return call.at(0);
}

Result<Value> MapHasKey(const Call& call) {
  return Value::Bool(call.at(0).Find(call.text(1)) != nullptr);
}

Result<Value> MapPluck(const Call& call) {
  List out;
  for (std::size_t i = 1; i < call.count(); ++i) {
    if (const Value* const found = call.at(i).Find(call.text(0))) out.push_back(*found);
  }
  return call.heap().NewList(std::move(out));
}

Result<Value> MapKeys(const Call& call) {
  List out;
  for (const Value& of : call.arguments) {
    DROVER_TRY(call.heap().Allow((out.size() + of.map().size()) * sizeof(Value)));
    for (const auto& [key, element] : of.map()) out.push_back(key);
  }
  return call.heap().NewList(std::move(out), &kStringList);
}

Result<Value> MapValues(const Call& call) {
  List out;
  for (const auto& [key, element] : call.at(0).map()) out.push_back(element);
  return call.heap().NewList(std::move(out));
}

Result<Value> MapPick(const Call& call) {
  const Value out = call.heap().NewMap();
  for (std::size_t i = 1; i < call.count(); ++i) {
    if (const Value* const found = call.at(0).Find(call.text(i)))
      call.heap().Put(out, call.at(i), *found);
  }
  return out;
}

Result<Value> MapOmit(const Call& call) {
  Map out = call.at(0).map();
  for (std::size_t i = 1; i < call.count(); ++i) out.erase(call.at(i));
  return call.heap().NewMap(std::move(out), &kAnyMap);
}

// Merges the elements of SOURCE into TARGET, and so on in the maps in it. An element that TARGET
// has stays, unless it is empty or OVERWRITES is set.
Status MergeInto(const Value& target, const Value& source, bool overwrites, int depth, Heap* heap) {
  if (depth > kDeepestValue) return CallError("the maps are nested too deep");
  if (target.IsSameContainer(source)) return {};
  for (const auto& [key, element] : source.map()) {
    if (!heap->Step()) return heap->Check();
    const auto found = target.map().find(key);
    const Value own = found == target.map().end() ? Value() : found->second;
    const bool both_maps = own.type() == &kAnyMap && element.type() == &kAnyMap;
    if (both_maps && !own.IsNilContainer()) {
      DROVER_TRY(MergeInto(own, element, overwrites, depth + 1, heap));
      if (!IsEmpty(own)) continue;
    }
    if (element.IsNothing() ? overwrites : overwrites || IsEmpty(own))
      heap->Put(target, key, element);
  }
  return {};
}

Result<Value> MergeAll(const Call& call, bool overwrites) {
  Value target = call.at(0);
  if (target.IsNilContainer()) target = call.heap().NewMap();
  for (std::size_t i = 1; i < call.count(); ++i) {
    DROVER_TRY(MergeInto(target, call.at(i), overwrites, 0, &call.heap()));
  }
  return target;
}
Result<Value> MapMerge(const Call& call) { return MergeAll(call, false); }
Result<Value> MapMergeOverwrite(const Call& call) { return MergeAll(call, true); }

Result<Value> Copied(const Value& value, int depth, Heap* heap) {
  if (depth > kDeepestValue) return CallError("the value is nested too deep");
  if (!heap->Step()) return heap->Check().error();
  if (value.IsNilContainer()) return value;
  if (value.is(Kind::kList)) {
    List out;
    for (const Value& element : value.list()) {
      DROVER_ASSIGN(const Value copy, Copied(element, depth + 1, heap));
      out.push_back(copy);
    }
    return heap->NewList(std::move(out), value.type());
  }
  if (!value.is(Kind::kMap)) return value;
  const Value out = heap->NewMap(value.type());
  for (const auto& [key, element] : value.map()) {
    DROVER_ASSIGN(const Value copy, Copied(element, depth + 1, heap));
    heap->Put(out, key, copy);
  }
  return out;
}

Result<Value> MapDeepCopy(const Call& call) { return Copied(call.at(0), 0, &call.heap()); }

Result<Value> MapDig(const Call& call) {
  if (call.count() < 3) return CallError("dig needs at least three arguments");
  Value at = call.at(call.count() - 1);
  for (std::size_t i = 0; i + 2 < call.count(); ++i) {
    if (at.type() != &kAnyMap) return CallError("dig needs maps, not " + TypeName(at));
    if (!call.at(i).is(Kind::kString)) return CallError("dig needs texts as keys");
    const Value* const found = at.Find(call.text(i));
    if (found == nullptr) return call.at(call.count() - 2);
    at = *found;
  }
  return at;
}

// Puts VALUE into MAP at the path KEY, whose parts are separated by slashes.
Status Explode(const Value& map, const std::string& key, const Value& value, int depth,
               Heap* heap) {
  if (depth > kDeepestValue) return CallError("the key has too many parts");
  const std::size_t slash = key.find('/');
  if (slash == std::string::npos) {
    if (!key.empty()) heap->Put(map, key, value);
    return {};
  }
  const std::string top = key.substr(0, slash);
  const Value* const found = map.Find(top);
  if (found != nullptr && found->type() != &kAnyMap) {
    return CallError("not a map: " + QuoteText(key) + ": " + QuoteText(top) +
                     " already has a value");
  }
  const Value nested = found != nullptr ? *found : heap->NewMap();
  if (found == nullptr) heap->Put(map, top, nested);
  return Explode(nested, key.substr(slash + 1), value, depth + 1, heap);
}

Result<Value> MapExplode(const Call& call) {
  const Value out = call.heap().NewMap();
  for (const Value& pair : call.at(0).list()) {
    DROVER_TRY(Explode(out, pair.Field("Key").text(), pair.Field("Value"), 0, &call.heap()));
  }
  return out;
}

Result<Value> MapExplodeMap(const Call& call) {
  const Value out = call.heap().NewMap();
  for (const auto& [key, element] : call.at(0).map()) {
    DROVER_TRY(Explode(out, key.text(), element, 0, &call.heap()));
  }
  return out;
}

// The methods of {{scratch}}.
Result<Value> ScratchOf(const Call& call) {
  (void)call;
  return Value::Scratch();
}
Result<Value> ScratchKey(const Call& call) {
  return Value::Bool(call.state->scratch().Find(call.text(1)) != nullptr);
}
Result<Value> ScratchGet(const Call& call) {
  const Value* const found = call.state->scratch().Find(call.text(1));
  return found == nullptr ? Value::Nil() : *found;
}
Result<Value> ScratchSet(const Call& call) {
  call.heap().Put(call.state->scratch(), call.at(1), call.at(2));
  return call.Text("");
}
Result<Value> ScratchSetX(const Call& call) {
  if (call.state->scratch().Find(call.text(1)) == nullptr) return ScratchSet(call);
  return call.Text("");
}

Result<Value> ScratchPut(const Call& call, bool replaces) {
  const Value* const found = call.state->scratch().Find(call.text(1));
  if (found != nullptr && found->type() != &kAnyMap) {
    return CallError(QuoteText(call.text(1)) + " is not a map");
  }
  const Value map = found != nullptr ? *found : call.heap().NewMap();
  if (found == nullptr) call.heap().Put(call.state->scratch(), call.at(1), map);
  DROVER_TRY(CheckNotNil(map));
  if (replaces || map.Find(call.text(2)) == nullptr) call.heap().Put(map, call.at(2), call.at(3));
  return call.Text("");
}
Result<Value> ScratchMapSet(const Call& call) { return ScratchPut(call, true); }
Result<Value> ScratchMapSetX(const Call& call) { return ScratchPut(call, false); }

Result<Value> ScratchMapValues(const Call& call) {
  const Value* const found = call.state->scratch().Find(call.text(1));
  if (found == nullptr || found->type() != &kAnyMap) return Value::Zero(&kAnyList);
  List out;
  for (const auto& [key, element] : found->map()) out.push_back(element);
  return call.heap().NewList(std::move(out));
}

constexpr Function kDictionaryFunctions[] = {
    {"explode", "P", MapExplode},
    {"explodeMap", "M", MapExplodeMap},
    {"mergeMap", "MM", MapMerge},
    {"mergeMapWithOverride", "MM", MapMergeOverwrite},
    {"scratch", "", ScratchOf},
    {"sprig_dict", "a*", MapDict},
    {"sprig_get", "Ms", MapGet},
    {"sprig_set", "Msa", MapSet},
    {"sprig_unset", "Ms", MapUnset},
    {"sprig_hasKey", "Ms", MapHasKey},
    {"sprig_pluck", "sM*", MapPluck},
    {"sprig_keys", "M*", MapKeys},
    {"sprig_values", "M", MapValues},
    {"sprig_pick", "Ms*", MapPick},
    {"sprig_omit", "Ms*", MapOmit},
    {"sprig_merge", "MM*", MapMerge},
    {"sprig_mustMerge", "MM*", MapMerge},
    {"sprig_mergeOverwrite", "MM*", MapMergeOverwrite},
    {"sprig_mustMergeOverwrite", "MM*", MapMergeOverwrite},
    {"sprig_deepCopy", "a", MapDeepCopy},
    {"sprig_mustDeepCopy", "a", MapDeepCopy},
    {"sprig_dig", "a*", MapDig},
};

constexpr Function kScratchMethods[] = {
    {"Key", "as", ScratchKey},
    {"Get", "as", ScratchGet},
    {"Set", "asa", ScratchSet},
    {"SetX", "asa", ScratchSetX},
    {"MapSet", "assa", ScratchMapSet},
    {"MapSetX", "assa", ScratchMapSetX},
    {"MapValues", "as", ScratchMapValues},
};

}  // namespace

FunctionSpan DictionaryFunctions() { return kDictionaryFunctions; }
FunctionSpan ScratchMethods() { return kScratchMethods; }

}  // namespace drover::templates
