// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_answers.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostDepth = 32;

// The output of a check may be what a task has sent. The strict parser refuses a text with a NUL
// character, and a task must not be able to keep this agent from reading the list.
std::string WithoutNuls(std::string_view text) {
  constexpr std::string_view kNul = "\\u0000";
  std::string out(text);
  for (std::size_t at = out.find(kNul); at != std::string::npos; at = out.find(kNul, at)) {
    out.replace(at, kNul.size(), "\\ufffd");
  }
  return out;
}

Result<json> ReadObject(std::string_view text) {
  if (text.size() > kMostConsulAnswer) return Error(Code::kUnavailable, "it is too long");
  Result<json> read = ParseStrictJson(WithoutNuls(text), {kMostConsulAnswer, kMostDepth});
  if (!read.ok()) return Error(Code::kUnavailable, read.error().message());
  // An empty list of Go may be null.
  if (read->is_null()) return json::object();
  if (!read->is_object()) return Error(Code::kUnavailable, "it is no JSON object");
  return read;
}

std::string TextIn(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

int NumberIn(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return 0;
  const auto number = found->get<std::int64_t>();
  return number >= 0 && number <= 1'000'000 ? static_cast<int>(number) : -1;
}

// Returns the member NAME of OBJECT if it is an object, or an empty object.
const json& ObjectIn(const json& object, const char* name) {
  static const json empty = json::object();
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? *found : empty;
}

ConsulService ReadConsulService(const json& entry) {
  ConsulService service;
  service.id = TextIn(entry, "ID");
  service.name = TextIn(entry, "Service");
  service.address = TextIn(entry, "Address");
  service.port = NumberIn(entry, "Port");
  const auto tags = entry.find("Tags");
  if (tags != entry.end() && tags->is_array()) {
    for (const json& tag : *tags) {
      if (tag.is_string()) service.tags.push_back(tag.get<std::string>());
    }
  }
  for (const auto& [name, value] : ObjectIn(entry, "Meta").items()) {
    if (value.is_string()) service.meta.emplace(name, value.get<std::string>());
  }
  for (const auto& [name, value] : ObjectIn(entry, "TaggedAddresses").items()) {
    if (!value.is_object()) continue;
    service.tagged_addresses.emplace(
        name, ConsulAddress{TextIn(value, "Address"), NumberIn(value, "Port")});
  }
  const json& weights = ObjectIn(entry, "Weights");
  if (!weights.empty()) {
    service.weights = {NumberIn(weights, "Passing"), NumberIn(weights, "Warning")};
  }
  const auto override_tags = entry.find("EnableTagOverride");
  service.enable_tag_override =
      override_tags != entry.end() && override_tags->is_boolean() && override_tags->get<bool>();
  return service;
}

}  // namespace

const char* ConsulStatusName(ConsulStatus status) {
  switch (status) {
    case ConsulStatus::kPassing:
      return "passing";
    case ConsulStatus::kWarning:
      return "warning";
    case ConsulStatus::kCritical:
      return "critical";
  }
  return "critical";
}

Result<ConsulServices> ReadConsulServices(std::string_view text) {
  DROVER_ASSIGN(const json all, ReadObject(text));
  ConsulServices services;
  for (const auto& [id, entry] : all.items()) {
    if (!id.starts_with(kConsulIdPrefix) || !entry.is_object()) continue;
    ConsulService service = ReadConsulService(entry);
    if (service.id == id) services.emplace(id, std::move(service));
  }
  return services;
}

Result<ConsulCheckStateMap> ReadConsulChecks(std::string_view text) {
  DROVER_ASSIGN(const json all, ReadObject(text));
  ConsulCheckStateMap checks;
  for (const auto& [id, entry] : all.items()) {
    if (!entry.is_object()) continue;
    ConsulCheckState state;
    state.service_id = TextIn(entry, "ServiceID");
    if (!state.service_id.starts_with(kConsulIdPrefix)) continue;
    const std::string status = TextIn(entry, "Status");
    if (status == "passing") state.status = ConsulStatus::kPassing;
    if (status == "warning") state.status = ConsulStatus::kWarning;
    checks.emplace(id, std::move(state));
  }
  return checks;
}

}  // namespace drover
