// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/config_show.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string>

#include "host/config/config_keys.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

// The default of a key does not hold if another key is set instead.
struct Instead {
  const char* key;
  const char* other;
};
constexpr Instead kInstead[] = {
    {"/bind_addr", "/addresses/http"}, {"/bind_addr", "/http/address"},
    {"/ports/http", "/http/port"},     {"/tls/http", "/http/tls"},
    {"/log_format", "/log_json"},
};

// Whether a driver's key NAME is that of a secret, and not of a file with one.
bool NamesSecret(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name.ends_with("_file") || name.ends_with("_path")) return false;
  constexpr const char* kWords[] = {"password", "passwd",     "passphrase",    "secret",
                                    "token",    "credential", "authorization", "private_key",
                                    "api_key",  "apikey",     "access_key"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&name](const char* word) { return name.find(word) != std::string::npos; });
}

// Returns VALUE, in which secrets are replaced. If SECRET, each text and each number in it is one,
// else those whose key is that of a secret.
json WithoutSecrets(const json& value, bool secret) {
  if (secret && (value.is_string() || value.is_number())) return "<hidden>";
  json out = value;
  if (out.is_object()) {
    for (auto it = out.begin(); it != out.end(); ++it) {
      *it = WithoutSecrets(*it, secret || NamesSecret(it.key()));
    }
  } else if (out.is_array()) {
    for (json& inner : out) inner = WithoutSecrets(inner, secret);
  }
  return out;
}

class Shower {
 public:
  Shower(const ConfigDocument& document, std::vector<ShownConfigKey>* out)
      : document_(document), out_(out) {}

  // OBJECT is null if the block is not set.
  void Object(const json* object, std::span<const ConfigKey> keys, const std::string& pointer) {
    for (const ConfigKey& key : keys) {
      if (key.state != ConfigState::kDone) continue;
      const bool set = object != nullptr && object->contains(key.name);
      Key(key, set ? &object->at(key.name) : nullptr, JsonPointer(pointer, key.name));
    }
  }

 private:
  void Key(const ConfigKey& key, const json* value, const std::string& pointer) {
    if (key.kind == ConfigKind::kObject) return Object(value, key.members, pointer);
    if (value == nullptr || *value == "") {  // an empty text means that the key is not set
      if (*key.by_default != '\0' && !OtherIsSet(pointer)) {
        out_->push_back({pointer, json::parse(key.by_default), {}});
      }
    } else if (key.kind == ConfigKind::kNamed || key.kind == ConfigKind::kKeyed) {
      for (const auto& [name, block] : value->items()) {
        Object(&block, key.members, JsonPointer(pointer, name));
      }
    } else if (key.kind == ConfigKind::kTextMap) {
      for (const auto& [name, text] : value->items()) Add(JsonPointer(pointer, name), text);
    } else if (key.kind == ConfigKind::kAny) {
      Add(pointer, WithoutSecrets(*value, false));
    } else {
      Add(pointer, key.secret ? json("<hidden>") : *value);
    }
  }

  void Add(const std::string& pointer, const json& value) {
    out_->push_back({pointer, value, document_.Place(pointer)});
  }

  bool OtherIsSet(const std::string& pointer) const {
    return std::any_of(std::begin(kInstead), std::end(kInstead), [&](const Instead& instead) {
      const json::json_pointer other(instead.other);
      return pointer == instead.key && document_.value.contains(other) &&
             document_.value.at(other) != "";
    });
  }

  const ConfigDocument& document_;
  std::vector<ShownConfigKey>* const out_;
};

}  // namespace

std::vector<ShownConfigKey> ShowConfig(const LoadedConfig& loaded) {
  std::vector<ShownConfigKey> shown;
  Shower(loaded.document, &shown).Object(&loaded.document.value, ConfigKeys(), "");
  return shown;
}

}  // namespace drover
