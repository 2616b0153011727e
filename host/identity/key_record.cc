// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/key_record.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "host/identity/base64url.h"
#include "host/identity/ed25519.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr JsonLimits kKeyRecordJson{.bytes = 64u << 10, .depth = 4};

// Returns the whole number NAME, or nothing if there is none.
std::optional<std::int64_t> NumberIn(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

std::optional<std::string> TextIn(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

}  // namespace

std::string KeyRecordText(const KeyRecord& record) {
  return JsonText({{"ID", record.id},
                   {"CreateTime", record.created},
                   {"State", record.active ? "active" : "inactive"},
                   {"RetireTime", record.retired},
                   {"LongestTTL", record.longest_ttl.count()},
                   {"PublicKey", Base64Url(record.public_key)},
                   {"SealedKey", Base64Url(record.sealed_key)}});
}

Result<KeyRecord> ReadKeyRecord(const std::string& text) {
  DROVER_ASSIGN(const json object, ParseStrictJson(text, kKeyRecordJson));
  const Error damaged(Code::kInvalidArgument, "the record of a signing key is damaged");
  if (!object.is_object()) return damaged;
  const auto id = TextIn(object, "ID");
  const auto state = TextIn(object, "State");
  const auto created = NumberIn(object, "CreateTime");
  const auto retired = NumberIn(object, "RetireTime");
  const auto longest_ttl = NumberIn(object, "LongestTTL");
  const auto public_text = TextIn(object, "PublicKey");
  const auto sealed_text = TextIn(object, "SealedKey");
  if (!id || id->empty() || !state || !created || !retired || !longest_ttl || !public_text ||
      !sealed_text) {
    return damaged;
  }
  std::optional<std::string> public_key = FromBase64Url(*public_text);
  std::optional<std::string> sealed_key = FromBase64Url(*sealed_text);
  const bool is_known = *state == "active" || *state == "inactive";
  if (!public_key || public_key->size() != kEd25519KeyBytes || !sealed_key || !is_known) {
    return damaged;
  }
  KeyRecord record;
  record.id = *id;
  record.created = *created;
  record.active = *state == "active";
  record.retired = *retired;
  record.longest_ttl = Duration(*longest_ttl);
  record.public_key = std::move(*public_key);
  record.sealed_key = std::move(*sealed_key);
  return record;
}

}  // namespace drover
