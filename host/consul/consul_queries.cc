// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_queries.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "host/base/base64.h"
#include "host/consul/consul_answers.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostValueDepth = 64;
constexpr std::string_view kKeyFunctions[] = {"key", "keyExists", "keyOrDefault"};
constexpr std::string_view kPrefixFunctions[] = {"ls", "safeLs", "tree", "safeTree"};
constexpr std::string_view kCatalogFunctions[] = {"service", "services", "node", "nodes",
                                                  "datacenters"};

template <std::size_t N>
bool IsIn(const std::string_view (&names)[N], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

Error Misused(const ValueRequest& request, const std::string& why) {
  return Error(Code::kInvalidArgument, request.function + ": " + why);
}

// Takes what follows the last MARK off TEXT, with the mark. Returns an empty text if there is none.
std::string TakeAfter(std::string* text, char mark) {
  const std::size_t at = text->rfind(mark);
  if (at == std::string::npos) return "";
  std::string rest = text->substr(at + 1);
  text->resize(at);
  return rest;
}

// Takes the datacenter (@) and the node to which others must be near (~) off TEXT.
Query TakePlace(std::string* text) {
  Query query;
  const std::string near = TakeAfter(text, '~');
  const std::string datacenter = TakeAfter(text, '@');
  if (!datacenter.empty()) query.emplace_back("dc", datacenter);
  if (!near.empty()) query.emplace_back("near", near);
  return query;
}

std::string FirstArgument(const ValueRequest& request) {
  return request.arguments.empty() ? "" : request.arguments[0];
}

// What the function service asks for: [TAG.]NAME[@DATACENTER][~NEAR] and statuses.
struct WantedHealth {
  std::string name;
  std::string tag;
  Query place;
  std::set<std::string> statuses = {"passing"};  // empty: any
};

WantedHealth ReadWantedHealth(const ValueRequest& request) {
  WantedHealth wanted;
  std::string filter;
  for (std::size_t i = 1; i < request.arguments.size(); ++i) {
    filter += (i == 1 ? "" : ",") + request.arguments[i];
  }
  std::string text = FirstArgument(request);
  const std::size_t bar = text.find('|');
  if (bar != std::string::npos) {
    filter = text.substr(bar + 1);
    text.resize(bar);
  }
  wanted.place = TakePlace(&text);
  const std::size_t dot = text.rfind('.');
  if (dot != std::string::npos) {
    wanted.tag = text.substr(0, dot);
    text.erase(0, dot + 1);
  }
  wanted.name = std::move(text);
  if (filter.empty()) return wanted;
  wanted.statuses.clear();
  while (!filter.empty()) {
    std::string last = TakeAfter(&filter, ',');
    if (last.empty()) last = std::exchange(filter, "");
    wanted.statuses.insert(std::move(last));
  }
  if (wanted.statuses.contains("any")) wanted.statuses.clear();
  return wanted;
}

Result<json> ReadAnswer(std::string_view body) {
  Result<json> read = ParseStrictJson(body, {kMostConsulAnswer, kMostValueDepth});
  if (!read.ok()) {
    return Error(Code::kUnavailable, "Consul's answer makes no sense: " + read.error().message(),
                 true);
  }
  return read;
}

std::string TextAt(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

json MemberOf(const json& object, const char* name, json otherwise) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? otherwise : *found;
}

// The prefix of a request, without the slash at its end.
std::string PrefixOf(const ValueRequest& request) {
  std::string prefix = FirstArgument(request);
  (void)TakeAfter(&prefix, '@');
  while (prefix.ends_with('/')) prefix.pop_back();
  return prefix;
}

json KeysBelow(const ValueRequest& request, const json& answer) {
  const bool all = request.function.ends_with("ree");
  const std::string prefix = PrefixOf(request);
  json list = json::array();
  for (const json& entry : answer) {
    if (!entry.is_object()) continue;
    const std::string path = TextAt(entry, "Key");
    if (path.ends_with('/') || !path.starts_with(prefix)) continue;
    std::string key = path.substr(prefix.size());
    // "a" is not a prefix of "ab/c", but of "a/c".
    if (!prefix.empty() && !key.starts_with('/')) continue;
    while (key.starts_with('/')) key.erase(0, 1);
    if (key.empty() || (!all && key.find('/') != std::string::npos)) continue;
    json pair = {{"Path", path}, {"Key", key}};
    pair["Value"] = FromBase64(TextAt(entry, "Value")).value_or("");
    for (const char* number : {"CreateIndex", "ModifyIndex", "LockIndex", "Flags"}) {
      pair[number] = MemberOf(entry, number, 0);
    }
    pair["Session"] = TextAt(entry, "Session");
    list.push_back(std::move(pair));
  }
  return list;
}

// Returns the worst status of CHECKS.
std::string StatusOfChecks(const json& checks) {
  std::string worst = "passing";
  for (const json& check : checks) {
    if (!check.is_object()) continue;
    const std::string id = TextAt(check, "CheckID"), status = TextAt(check, "Status");
    if (id == "_node_maintenance" || id.starts_with("_service_maintenance:")) return "maintenance";
    if (status == "critical" || (status == "warning" && worst == "passing")) worst = status;
  }
  return worst;
}

json Healthy(const WantedHealth& wanted, const json& answer) {
  json list = json::array();
  for (const json& entry : answer) {
    if (!entry.is_object()) continue;
    const json service = MemberOf(entry, "Service", json::object());
    const json node = MemberOf(entry, "Node", json::object());
    const json checks = MemberOf(entry, "Checks", json::array());
    if (!service.is_object() || !node.is_object() || !checks.is_array()) continue;
    if (TextAt(service, "ID").empty()) continue;
    const std::string status = StatusOfChecks(checks);
    if (!wanted.statuses.empty() && !wanted.statuses.contains(status)) continue;
    const std::string own = TextAt(service, "Address"), of_node = TextAt(node, "Address");
    list.push_back(
        {{"ID", TextAt(service, "ID")},
         {"Name", TextAt(service, "Service")},
         {"Node", TextAt(node, "Node")},
         {"NodeID", TextAt(node, "ID")},
         {"NodeAddress", of_node},
         {"NodeDatacenter", TextAt(node, "Datacenter")},
         {"NodeTaggedAddresses", MemberOf(node, "TaggedAddresses", json::object())},
         {"NodeMeta", MemberOf(node, "Meta", json::object())},
         {"Address", own.empty() ? of_node : own},
         {"Port", MemberOf(service, "Port", 0)},
         {"Tags", MemberOf(service, "Tags", json::array())},
         {"ServiceMeta", MemberOf(service, "Meta", json::object())},
         {"ServiceTaggedAddresses", MemberOf(service, "TaggedAddresses", json::object())},
         {"Weights", MemberOf(service, "Weights", json::object())},
         {"Status", status},
         {"Checks", checks}});
  }
  return list;
}

json Catalog(const json& answer) {
  json list = json::array();
  if (!answer.is_object()) return list;
  for (const auto& [name, tags] : answer.items()) {
    list.push_back({{"Name", name}, {"Tags", tags.is_array() ? tags : json::array()}});
  }
  return list;
}

json OfNode(const json& answer) {
  json node = {{"Node", json::object()}, {"Services", json::array()}};
  if (!answer.is_object()) return node;
  node["Node"] = MemberOf(answer, "Node", json::object());
  for (const json& service : MemberOf(answer, "Services", json::object())) {
    if (service.is_object()) node["Services"].push_back(service);
  }
  return node;
}

}  // namespace

bool IsConsulFunction(std::string_view function) {
  return IsIn(kKeyFunctions, function) || IsIn(kPrefixFunctions, function) ||
         IsIn(kCatalogFunctions, function);
}

Result<ConsulQuery> ConsulQueryOf(const ValueRequest& request) {
  const std::string_view function = request.function;
  ConsulQuery query;
  std::string text = FirstArgument(request);
  const bool optional = function == "services" || function == "nodes" || function == "datacenters";
  if (text.empty() && !optional && !IsIn(kPrefixFunctions, function)) {
    return Misused(request, "the name is missing");
  }
  if (function == "datacenters") {
    query.path = "/v1/catalog/datacenters";
    query.blocks = false;
    return query;
  }
  if (IsIn(kKeyFunctions, function)) {
    query.query = TakePlace(&text);
    query.path = ApiPath("/v1/kv", text);
    query.query.emplace_back("raw", "true");
  } else if (IsIn(kPrefixFunctions, function)) {
    query.query = TakePlace(&text);
    const std::string prefix = PrefixOf(request);
    query.path = ApiPath("/v1/kv", prefix.empty() ? "" : prefix + "/");
    query.query.emplace_back("recurse", "true");
  } else if (function == "service") {
    const WantedHealth wanted = ReadWantedHealth(request);
    if (wanted.name.empty()) return Misused(request, "the name is missing");
    query.query = wanted.place;
    query.path = ApiPath("/v1/health/service", wanted.name);
    if (!wanted.tag.empty()) query.query.emplace_back("tag", wanted.tag);
  } else {
    query.query = TakePlace(&text);
    query.path =
        function == "node" ? ApiPath("/v1/catalog/node", text) : "/v1/catalog/" + request.function;
  }
  // Any server may answer, so that templates do not burden the leader.
  query.query.emplace_back("stale", "true");
  return query;
}

Result<json> ConsulValueOf(const ValueRequest& request, std::string_view body) {
  if (request.function == "keyExists") return json(true);
  if (IsIn(kKeyFunctions, request.function)) return json(std::string(body));
  DROVER_ASSIGN(const json answer, ReadAnswer(body));
  if (answer.is_null()) return ConsulNothing(request);
  if (request.function == "services") return Catalog(answer);
  if (request.function == "node") return OfNode(answer);
  if (!answer.is_array()) return Error(Code::kUnavailable, "Consul's answer is no list", true);
  if (IsIn(kPrefixFunctions, request.function)) return KeysBelow(request, answer);
  if (request.function == "service") return Healthy(ReadWantedHealth(request), answer);
  return answer;
}

json ConsulNothing(const ValueRequest& request) {
  if (request.function == "keyExists") return false;
  if (request.function == "keyOrDefault") return nullptr;
  if (request.function == "key" || request.function == "node") {
    return json(json::value_t::discarded);
  }
  return json::array();
}

}  // namespace drover
