// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/value_name.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>

namespace drover {
namespace {

constexpr std::size_t kMostNamed = 3;

struct Name {
  std::string_view function;
  std::string_view name;
};
constexpr std::array kNames = {
    Name{"key", "kv.block"},
    Name{"keyExists", "kv.exists"},
    Name{"keyOrDefault", "kv.get"},
    Name{"ls", "kv.list"},
    Name{"safeLs", "kv.list"},
    Name{"tree", "kv.list"},
    Name{"safeTree", "kv.list"},
    Name{"service", "health.service"},
    Name{"services", "catalog.services"},
    Name{"node", "catalog.node"},
    Name{"nodes", "catalog.nodes"},
    Name{"datacenters", "catalog.datacenters"},
    Name{"nomadService", "nomad.service"},
    Name{"nomadServices", "nomad.services"},
    Name{"nomadVar", "nomad.var.block"},
    Name{"nomadVarExists", "nomad.var.exists"},
    Name{"nomadVarList", "nomad.var.list"},
    Name{"nomadVarListSafe", "nomad.var.list"},
};

}  // namespace

std::string ValueName(const ValueRequest& request) {
  const auto found =
      std::ranges::find_if(kNames, [&](const Name& of) { return of.function == request.function; });
  std::string name(found == kNames.end() ? std::string_view(request.function) : found->name);
  std::string arguments;
  for (const std::string& argument : request.arguments) {
    arguments += (arguments.empty() ? "" : " ") + argument;
  }
  // A service is healthy unless the template asks for others, too.
  if (request.function == "service" && request.arguments.size() == 1 &&
      arguments.find('|') == std::string::npos) {
    arguments += "|passing";
  }
  return arguments.empty() ? name : name + "(" + arguments + ")";
}

std::string NameOfArguments(const std::vector<std::string>& arguments) {
  std::string name;
  for (const std::string& argument : arguments) {
    name += " " + std::to_string(argument.size()) + ":" + argument;
  }
  return name;
}

std::string MissingText(const std::vector<ValueRequest>& missing) {
  std::set<std::string> names;
  for (const ValueRequest& request : missing) names.insert(ValueName(request));
  std::string text;
  std::size_t named = 0;
  for (const std::string& name : names) {
    if (named == kMostNamed) break;
    text += (text.empty() ? "Missing: " : ", ") + name;
    ++named;
  }
  if (names.size() > named) text += ", and " + std::to_string(names.size() - named) + " more";
  return text;
}

}  // namespace drover
