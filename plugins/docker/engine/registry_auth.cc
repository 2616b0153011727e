// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/registry_auth.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "drover/error.hpp"
#include "engine/engine_error.h"
#include "engine/json_read.h"

namespace drover_docker {
namespace {

constexpr std::size_t kMostConfig = 1u << 20;
constexpr std::string_view kOldHub("https://index.docker.io/v1/");

[[noreturn]] void RefuseConfig(const std::string& why) {
  throw drover::Error(drover::Code::kInvalidArgument, "docker's configuration file " + why);
}

bool DropPrefix(std::string_view* text, std::string_view prefix) {
  if (text->substr(0, prefix.size()) != prefix) return false;
  text->remove_prefix(prefix.size());
  return true;
}

// The key of the configuration file in one form: no scheme, and no path of a version.
std::string NormalKey(std::string_view key) {
  if (!DropPrefix(&key, "https://")) DropPrefix(&key, "http://");
  while (!key.empty() && key.back() == '/') key.remove_suffix(1);
  for (const std::string_view version : {"/v1", "/v2"}) {
    if (key.size() > version.size() && key.substr(key.size() - version.size()) == version) {
      key.remove_suffix(version.size());
      break;
    }
  }
  const std::size_t slash = key.find('/');
  std::string host(key.substr(0, slash));
  if (host == "index.docker.io" || host == "registry-1.docker.io") host = "docker.io";
  return host + (slash == key.npos ? "" : std::string(key.substr(slash)));
}

// Whether the key, in its normal form, is for REF: its registry, or a part of its path.
bool KeyMatches(const std::string& key, const ImageRef& ref) {
  if (key == ref.registry) return true;
  const std::string name = ref.Name();
  return key.size() <= name.size() && name.compare(0, key.size(), key) == 0 &&
         key.size() > ref.registry.size() && (key.size() == name.size() || name[key.size()] == '/');
}

// Returns the member of OBJECT whose key matches REF best.
const nlohmann::json* BestMember(const nlohmann::json& object, const ImageRef& ref) {
  const nlohmann::json* out = nullptr;
  std::size_t best = 0;
  if (!object.is_object()) return nullptr;
  for (auto at = object.begin(); at != object.end(); ++at) {
    const std::string key = NormalKey(at.key());
    if (!KeyMatches(key, ref) || key.size() < best) continue;
    best = key.size();
    out = &*at;
  }
  return out;
}

std::optional<RegistryAuth> AuthOfMember(const nlohmann::json& member, const ImageRef& ref) {
  RegistryAuth out;
  out.server_address = AuthKey(ref.registry);
  out.username = TextAt(member, {"username"});
  out.password = TextAt(member, {"password"});
  out.email = TextAt(member, {"email"});
  out.identity_token = TextAt(member, {"identitytoken"});
  const std::string packed = TextAt(member, {"auth"});
  if (!packed.empty()) {
    const std::optional<std::string> text = DecodeBase64(packed);
    const std::size_t colon = text ? text->find(':') : std::string::npos;
    if (colon == std::string::npos) {
      RefuseConfig("has an \"auth\" for " + ref.registry + " that is no base64 of name:password");
    }
    out.username = text->substr(0, colon);
    out.password = text->substr(colon + 1);
    while (!out.password.empty() && out.password.back() == '\0') out.password.pop_back();
  }
  if (out.empty()) return std::nullopt;
  return out;
}

bool IsHelperName(const std::string& name) {
  return !name.empty() && name.size() <= 100 && name[0] != '-' && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

// Returns nothing if the helper knows no credentials for the registry.
std::optional<RegistryAuth> AskHelper(const AuthSources& sources, const std::string& helper,
                                      const ImageRef& ref) {
  if (!IsHelperName(helper)) {
    throw drover::Error(drover::Code::kInvalidArgument,
                        "\"" + Printable(helper, 100) + "\" is no name of a credential helper");
  }
  const std::string program = "docker-credential-" + helper;
  if (!sources.run) {
    throw drover::Error(drover::Code::kFailedPrecondition,
                        program + " cannot be run: the host has no service for commands");
  }
  std::string answer;
  try {
    answer = sources.run({program, "get"}, AuthKey(ref.registry));
  } catch (const drover::Error& error) {
    if (error.code() == drover::Code::kCancelled) throw;
    if (error.message().find("credentials not found") != std::string::npos) return std::nullopt;
    throw drover::Error(drover::Code::kFailedPrecondition,
                        program + " for " + ref.registry + ": " + Printable(error.message(), 500),
                        error.recoverable());
  }
  if (answer.find("credentials not found") != std::string::npos) return std::nullopt;
  RegistryAuth out = ParseHelperAnswer(helper, answer);
  if (out.server_address.empty()) out.server_address = AuthKey(ref.registry);
  return out;
}

}  // namespace

std::string RegistryAuth::Header() const {
  nlohmann::json out = nlohmann::json::object();
  if (!username.empty()) out["username"] = username;
  if (!password.empty()) out["password"] = password;
  if (!email.empty()) out["email"] = email;
  if (!server_address.empty()) out["serveraddress"] = server_address;
  if (!identity_token.empty()) out["identitytoken"] = identity_token;
  // Invalid UTF-8 would throw; no registry takes it anyway.
  return EncodeBase64(out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), true);
}

std::optional<RegistryAuth> FindAuth(const AuthSources& sources, const ImageRef& ref) {
  if (sources.job && !sources.job->empty()) {
    RegistryAuth out = *sources.job;
    if (out.server_address.empty()) out.server_address = AuthKey(ref.registry);
    return out;
  }
  if (!sources.helper.empty()) {
    if (auto found = AskHelper(sources, sources.helper, ref)) return found;
  }
  if (sources.config_text.empty()) return std::nullopt;
  if (sources.config_text.size() > kMostConfig) RefuseConfig("is larger than 1 MiB");
  const nlohmann::json config = nlohmann::json::parse(sources.config_text, nullptr, false);
  if (!config.is_object()) RefuseConfig("is no JSON object");
  if (const nlohmann::json* helper = BestMember(At(config, {"credHelpers"}), ref)) {
    if (!helper->is_string()) RefuseConfig("has a helper in \"credHelpers\" that is no text");
    if (auto found = AskHelper(sources, helper->get<std::string>(), ref)) return found;
  } else if (const std::string store = TextAt(config, {"credsStore"}); !store.empty()) {
    if (auto found = AskHelper(sources, store, ref)) return found;
  }
  const nlohmann::json* member = BestMember(At(config, {"auths"}), ref);
  return member == nullptr ? std::nullopt : AuthOfMember(*member, ref);
}

RegistryAuth ParseHelperAnswer(const std::string& helper, const std::string& answer) {
  const nlohmann::json json = answer.size() > kMostConfig
                                  ? nlohmann::json()
                                  : nlohmann::json::parse(answer, nullptr, false);
  RegistryAuth out;
  const std::string secret = TextAt(json, {"Secret"});
  out.username = TextAt(json, {"Username"});
  out.server_address = TextAt(json, {"ServerURL"});
  if (out.username == "<token>") {
    out.username.clear();
    out.identity_token = secret;
  } else {
    out.password = secret;
  }
  // The answer may contain a secret, so no message has a part of it.
  if (secret.empty()) {
    throw drover::Error(
        drover::Code::kFailedPrecondition,
        "docker-credential-" + helper + " has not answered with JSON that has Username and Secret");
  }
  return out;
}

std::string AuthKey(const std::string& registry) {
  return registry == "docker.io" ? std::string(kOldHub) : registry;
}

std::string EncodeBase64(std::string_view bytes, bool url_form) {
  static const char kPlain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  static const char kUrl[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const char* digits = url_form ? kUrl : kPlain;
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - at);
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < left ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out += i <= left ? digits[group >> (18 - 6 * i) & 63] : '=';
    }
  }
  return out;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  while (!text.empty() && (text.back() == '=' || text.back() == '\n')) text.remove_suffix(1);
  std::string out;
  unsigned group = 0;
  unsigned bits = 0;
  for (const char c : text) {
    unsigned digit = 0;
    if (c >= 'A' && c <= 'Z') {
      digit = static_cast<unsigned>(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      digit = static_cast<unsigned>(c - 'a') + 26;
    } else if (c >= '0' && c <= '9') {
      digit = static_cast<unsigned>(c - '0') + 52;
    } else if (c == '+' || c == '-') {
      digit = 62;
    } else if (c == '/' || c == '_') {
      digit = 63;
    } else {
      return std::nullopt;
    }
    group = (group << 6 | digit) & 0xFFFFFF;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(group >> bits & 0xFF);
  }
  if (bits >= 6) return std::nullopt;
  return out;
}

}  // namespace drover_docker
