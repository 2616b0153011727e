// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

// Every key of the agent's configuration, and what this version does with it. The keys are those
// of Nomad's agent and those of Drover. The reader checks files by this table, `config show` prints
// by it, and docs/agent-config.md is generated from it, so they cannot differ.
namespace drover {

enum class ConfigKind {
  kText,
  kPath,  // a text; a relative path starts at the directory of the file
  kTextList,
  kPathList,
  kTextMap,  // an object whose values are texts
  kBoolean,
  kInteger,
  kDuration,  // a text such as "30s", longer than 0s
  kPause,     // the same, or "0s"
  kObject,    // one block with MEMBERS
  kNamed,     // blocks with a name, each with MEMBERS
  kKeyed,     // blocks with MEMBERS; the member "name" is the name, "default" where it is absent
  kAny,       // an object or blocks with any content
};

enum class ConfigState {
  kDone,     // read and carried out
  kWarned,   // accepted; gives a warning, unless the value has no effect
  kRefused,  // a mistake, unless the value has no effect
};

struct ConfigKey {
  const char* name;
  ConfigKind kind;
  ConfigState state;
  // Of a done key: what it is for. Of a warned key: why it is not carried out. Of a refused key:
  // what to do instead.
  const char* note;
  // The JSON of the default of a done key; empty if the note describes the default.
  const char* by_default = "";
  std::span<const ConfigKey> members = {};
  std::int64_t least = 0;  // of an integer
  std::int64_t most = std::numeric_limits<int>::max();
  // A JSON list of values of a warned or refused key that have no effect here. Where a boolean or a
  // block of any content has a list, all other values have an effect. Elsewhere false, 0, "", [],
  // {}, objects that contain only such values, and blocks with "enabled = false" have none either.
  const char* no_effect = "";
  bool secret = false;  // `config show` hides the value
};

// The keys at the top of a file; all deeper keys are members of these.
std::span<const ConfigKey> ConfigKeys();

// Returns the key NAME of KEYS, or null.
const ConfigKey* FindConfigKey(std::span<const ConfigKey> keys, const std::string& name);

// Returns the table of the keys as Markdown, for docs/agent-config.md.
std::string ConfigKeysMarkdown();

}  // namespace drover
