// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/claims.h"

#include <nlohmann/json.hpp>

#include "host/base/ids.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::int64_t kSecondInNs = 1'000'000'000;
// Far beyond any real time, and a number that every client can read.
constexpr std::int64_t kLastTime = std::int64_t{1} << 53;
constexpr std::size_t kMostAudiences = 64;

Error BadClaim(const char* name, const char* must) {
  return Error(Code::kPermissionDenied,
               std::string("the claim \"") + name + "\" of the token " + must);
}

const json* FindClaim(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

// Reads a text, which must not be empty if it is REQUIRED.
Status ReadText(const json& object, const char* name, bool required, std::string* out) {
  const json* const value = FindClaim(object, name);
  if (value == nullptr && !required) return {};
  if (value == nullptr || !value->is_string()) return BadClaim(name, "must be a text");
  *out = value->get<std::string>();
  if (required && out->empty()) return BadClaim(name, "must not be empty");
  return {};
}

Status ReadTime(const json& object, const char* name, std::int64_t* out) {
  const json* const value = FindClaim(object, name);
  const bool is_whole = value != nullptr && value->is_number_integer();
  const bool is_in_time = is_whole && (value->is_number_unsigned()
                                           ? value->get<std::uint64_t>() <= std::uint64_t{kLastTime}
                                           : value->get<std::int64_t>() >= 0 &&
                                                 value->get<std::int64_t>() <= kLastTime);
  if (!is_in_time) return BadClaim(name, "must be a whole number of seconds");
  *out = value->get<std::int64_t>();
  return {};
}

// The audience is a text, or a list of texts.
Status ReadAudience(const json& object, std::vector<std::string>* out) {
  const json* const value = FindClaim(object, "aud");
  if (value == nullptr) return {};
  if (value->is_string()) {
    out->push_back(value->get<std::string>());
    return {};
  }
  if (!value->is_array() || value->size() > kMostAudiences) {
    return BadClaim("aud", "must be a text or a list of texts");
  }
  for (const json& audience : *value) {
    if (!audience.is_string()) return BadClaim("aud", "must be a text or a list of texts");
    out->push_back(audience.get<std::string>());
  }
  return {};
}

}  // namespace

Claims ClaimsOf(const Allocation& alloc, const std::string& task, const Identity& identity,
                WallTime now, const std::string& issuer) {
  const Job& job = *alloc.job;
  Claims claims;
  claims.job_namespace = job.job_namespace;
  claims.job_id = job.parent_id.empty() ? job.id : job.parent_id;
  claims.allocation_id = alloc.id;
  claims.task = task;
  claims.subject = job.region + ":" + claims.job_namespace + ":" + claims.job_id + ":" +
                   alloc.group_name + ":" + task + ":" + identity.name;
  claims.audience = identity.audience;
  claims.issuer = issuer;
  claims.token_id = RandomUuid();
  claims.issued_at = now / kSecondInNs;
  claims.not_before = claims.issued_at;
  // A part of a second counts as one, so that a token never expires early.
  if (identity.ttl > 0s) {
    claims.expires = claims.issued_at + (identity.ttl.count() + kSecondInNs - 1) / kSecondInNs;
  }
  return claims;
}

json ClaimsToJson(const Claims& claims) {
  json out = {{"nomad_namespace", claims.job_namespace},
              {"nomad_job_id", claims.job_id},
              {"nomad_allocation_id", claims.allocation_id},
              {"sub", claims.subject},
              {"iat", claims.issued_at},
              {"nbf", claims.not_before},
              {"jti", claims.token_id}};
  if (!claims.task.empty()) out["nomad_task"] = claims.task;
  if (!claims.service.empty()) out["nomad_service"] = claims.service;
  if (!claims.issuer.empty()) out["iss"] = claims.issuer;
  if (claims.expires) out["exp"] = *claims.expires;
  // Some services read only one text.
  if (claims.audience.size() == 1) {
    out["aud"] = claims.audience[0];
  } else if (!claims.audience.empty()) {
    out["aud"] = claims.audience;
  }
  return out;
}

Result<Claims> ClaimsFromJson(const json& object) {
  if (!object.is_object()) {
    return Error(Code::kPermissionDenied, "the claims of the token are no JSON object");
  }
  Claims claims;
  DROVER_TRY(ReadText(object, "nomad_namespace", true, &claims.job_namespace));
  DROVER_TRY(ReadText(object, "nomad_job_id", true, &claims.job_id));
  DROVER_TRY(ReadText(object, "nomad_allocation_id", true, &claims.allocation_id));
  DROVER_TRY(ReadText(object, "nomad_task", false, &claims.task));
  DROVER_TRY(ReadText(object, "nomad_service", false, &claims.service));
  DROVER_TRY(ReadText(object, "sub", true, &claims.subject));
  DROVER_TRY(ReadText(object, "iss", false, &claims.issuer));
  DROVER_TRY(ReadText(object, "jti", true, &claims.token_id));
  DROVER_TRY(ReadAudience(object, &claims.audience));
  DROVER_TRY(ReadTime(object, "iat", &claims.issued_at));
  DROVER_TRY(ReadTime(object, "nbf", &claims.not_before));
  if (object.contains("exp")) {
    std::int64_t expires = 0;
    DROVER_TRY(ReadTime(object, "exp", &expires));
    claims.expires = expires;
  }
  return claims;
}

}  // namespace drover
