// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/config/config_keys.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using enum ConfigKind;

const char* KindName(ConfigKind kind) {
  switch (kind) {
    case kText:
      return "text";
    case kPath:
      return "path";
    case kTextList:
      return "list of texts";
    case kPathList:
      return "list of paths";
    case kTextMap:
      return "map of texts";
    case kBoolean:
      return "boolean";
    case kInteger:
      return "integer";
    case kDuration:
      return "duration";
    case kPause:
      return "duration or 0s";
    case kObject:
      return "block";
    case kNamed:
      return "named blocks";
    case kKeyed:
      return "blocks";
    case kAny:
      return "any block";
  }
  return "";
}

const char* StateName(ConfigState state) {
  switch (state) {
    case ConfigState::kDone:
      return "done";
    case ConfigState::kWarned:
      return "warned";
    case ConfigState::kRefused:
      return "refused";
  }
  return "";
}

std::string NotesOf(const ConfigKey& key) {
  std::string notes = key.note;
  const auto add = [&notes](const std::string& more) {
    notes += (notes.empty() ? "" : "; ") + more;
  };
  if (*key.by_default != '\0') add("default `" + std::string(key.by_default) + "`");
  if (*key.no_effect != '\0') {
    std::string values;
    for (const nlohmann::json& value : nlohmann::json::parse(key.no_effect)) {
      values += (values.empty() ? "`" : ", `") + value.dump() + "`";
    }
    add(values.empty() ? "each value has an effect" : "without effect: " + values);
  }
  return notes;
}

void AppendRows(std::span<const ConfigKey> keys, const std::string& pointer, std::string* out) {
  for (const ConfigKey& key : keys) {
    const std::string here = JsonPointer(pointer, key.name);
    *out += "| `" + here + "` | " + KindName(key.kind) + " | " + StateName(key.state) + " | " +
            NotesOf(key) + " |\n";
    const bool by_name = key.kind == kNamed || key.kind == kKeyed;
    AppendRows(key.members, by_name ? here + "/*" : here, out);
  }
}

}  // namespace

std::string ConfigKeysMarkdown() {
  std::string out =
      "# Keys of the agent's configuration\n\n"
      "Every key and what this version does with it. The page is generated from the table by "
      "which\n"
      "configurations are checked (`host/config/config_keys.cc`). [operators.md](operators.md) "
      "explains\n"
      "the keys that people need first.\n\n"
      "- **done**: read and carried out.\n"
      "- **warned**: accepted and not carried out, which does no harm. The agent and\n"
      "  `drover config validate` name the key, unless its value has no effect.\n"
      "- **refused**: a mistake, unless the value has no effect. The note says what to do.\n\n"
      "`false`, `0`, `\"\"`, `[]`, `{}` and a block with `enabled = false` have no effect, unless "
      "the note of\n"
      "a boolean or a block lists the values without one. A key that is not listed is a mistake.\n"
      "`/client/meta` is `client { meta { ... } }` in HCL and `{\"client\": {\"meta\": {...}}}` in "
      "JSON.\n"
      "`*` stands for a name, as in `plugin \"exec\" { ... }`. A relative path starts at the "
      "directory of its\n"
      "file. A duration is a text like `\"1m30s\"`, longer than 0 and at most 100 years.\n\n"
      "| Key | Type | State | Notes |\n"
      "|---|---|---|---|\n";
  AppendRows(ConfigKeys(), "", &out);
  return out;
}

}  // namespace drover
