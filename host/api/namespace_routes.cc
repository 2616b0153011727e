// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/namespaces.h"
#include "host/api/router.h"

namespace drover {
namespace {

using nlohmann::json;

json EncodeNamespace(const std::string& name) {
  return {{"Name", name},    {"Description", name == "default" ? "Default shared namespace" : ""},
          {"Quota", ""},     {"Capabilities", nullptr},
          {"Meta", nullptr}, {"CreateIndex", 1},
          {"ModifyIndex", 1}};
}

constexpr TableMask kOfNamespaces = MaskOf(Table::kJobs) | MaskOf(Table::kVariables);

Co<Answer> ListNamespaces(ApiRequest* request) {
  return AnswerRead(request, kOfNamespaces, [request](const Tables& tables) {
    return Found{tables.IndexOf(kOfNamespaces), [request, names = NamespacesOf(tables)] {
                   json list = json::array();
                   for (const std::string& name : names) {
                     if (!name.starts_with(request->Text("prefix"))) continue;
                     if (!request->acl().AllowsNamespace(name)) continue;
                     list.push_back(EncodeNamespace(name));
                   }
                   return JsonAnswer(list);
                 }};
  });
}

Co<Answer> ReadNamespace(ApiRequest* request) {
  const std::string name = request->parameter(0);
  return AnswerRead(request, kOfNamespaces, [name](const Tables& tables) {
    const bool there = NamespacesOf(tables).count(name) > 0;
    return Found{tables.IndexOf(kOfNamespaces), [name, there] {
                   return there ? JsonAnswer(EncodeNamespace(name))
                                : ErrorAnswer(404, "Namespace not found");
                 }};
  });
}

}  // namespace

std::set<std::string> NamespacesOf(const Tables& tables) {
  std::set<std::string> names = {"default"};
  for (const auto& [key, job] : tables.jobs) names.insert(key.first);
  for (const auto& [key, variable] : tables.variables) names.insert(key.first);
  return names;
}

std::vector<Route> NamespaceRoutes() {
  return {
      {"GET", "/v1/namespaces", ListNamespaces},
      {"GET", "/v1/namespace/*", ReadNamespace},
  };
}

}  // namespace drover
