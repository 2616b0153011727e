// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/config_document.h"

#include <algorithm>

#include "host/config/config_keys.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

void MergeInto(json* base, const json& over) {
  if (!base->is_object() || !over.is_object()) {
    *base = over;
    return;
  }
  for (const auto& [key, value] : over.items()) {
    const auto found = base->find(key);
    if (found == base->end()) {
      (*base)[key] = value;
    } else {
      MergeInto(&*found, value);
    }
  }
}

bool SaysNothing(const json& value);

// Whether VALUE of "enabled" is false. HCL may write it as a text.
bool IsOff(const json& value) { return SaysNothing(value) || value == "false" || value == "0"; }

// Whether VALUE says nothing: it is what a file without the key would mean.
bool SaysNothing(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return true;
    case json::value_t::boolean:
      return !value.get<bool>();
    case json::value_t::string:
      return value.get_ref<const std::string&>().empty();
    case json::value_t::array:
      return std::all_of(value.begin(), value.end(), SaysNothing);
    case json::value_t::object: {
      const auto enabled = value.find("enabled");
      if (enabled != value.end() && IsOff(*enabled)) return true;
      return std::all_of(value.begin(), value.end(), SaysNothing);
    }
    default:
      return value.is_number() && value.get<double>() == 0;
  }
}

bool HasNoEffect(const ConfigKey& key, const json& value) {
  if (*key.no_effect == '\0') return SaysNothing(value);
  const json harmless = json::parse(key.no_effect);
  if (std::find(harmless.begin(), harmless.end(), value) != harmless.end()) return true;
  const bool list_decides = key.kind == ConfigKind::kBoolean || key.kind == ConfigKind::kAny;
  return !list_decides && SaysNothing(value);
}

// Removes the configuration of each driver from BASE for which OVER has another one.
void RemoveReplaced(const json& over, json* base) {
  for (const char* const key : {"plugin", "plugins"}) {
    const auto blocks = over.find(key);
    const auto earlier = base->find(key);
    if (blocks == over.end() || earlier == base->end()) continue;
    for (const auto& [name, block] : blocks->items()) {
      const auto config = block.find("config");
      const bool replaces = config != block.end() && !config->empty();
      if (replaces && earlier->contains(name)) earlier->at(name).erase("config");
    }
  }
}

class StateCheck {
 public:
  StateCheck(const ConfigDocument& document, ConfigFindings* mistakes, ConfigFindings* warnings)
      : document_(document), mistakes_(mistakes), warnings_(warnings) {}

  void Object(const json& object, std::span<const ConfigKey> keys, const std::string& pointer) {
    for (const ConfigKey& key : keys) {
      const auto found = object.find(key.name);
      if (found != object.end()) Value(*found, key, JsonPointer(pointer, key.name));
    }
  }

 private:
  void Value(const json& value, const ConfigKey& key, const std::string& pointer) {
    if (key.state == ConfigState::kDone) {
      if (key.kind == ConfigKind::kObject) Object(value, key.members, pointer);
      if (key.kind == ConfigKind::kNamed || key.kind == ConfigKind::kKeyed) {
        for (const auto& [name, block] : value.items()) {
          Object(block, key.members, JsonPointer(pointer, name));
        }
      }
      return;
    }
    if (HasNoEffect(key, value)) return;
    const bool refused = key.state == ConfigState::kRefused;
    const std::string what =
        refused ? "is not supported by this version: " : "is not carried out by this version: ";
    ConfigFinding finding{document_.Place(pointer), pointer, what + key.note};
    AddFinding(std::move(finding), refused ? mistakes_ : warnings_);
  }

  const ConfigDocument& document_;
  ConfigFindings* const mistakes_;
  ConfigFindings* const warnings_;
};

}  // namespace

ConfigPlace ConfigDocument::Place(std::string pointer) const {
  for (;;) {
    const auto found = places.find(pointer);
    if (found != places.end()) return found->second;
    const std::size_t slash = pointer.rfind('/');
    if (slash == std::string::npos) return {};
    pointer.resize(slash);
  }
}

void MergeConfig(ConfigDocument* base, const ConfigDocument& over) {
  RemoveReplaced(over.value, &base->value);
  MergeInto(&base->value, over.value);
  for (const auto& [pointer, place] : over.places) base->places[pointer] = place;
}

void CheckConfigStates(const ConfigDocument& document, ConfigFindings* mistakes,
                       ConfigFindings* warnings) {
  StateCheck(document, mistakes, warnings).Object(document.value, ConfigKeys(), "");
}

}  // namespace drover
