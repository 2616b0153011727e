// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/state_values.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "host/base/text.h"
#include "host/render/value_name.h"
#include "host/spec/strict_json.h"
#include "host/state/service_choice.h"
#include "host/variables/variable_items.h"
#include "host/variables/variable_path.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::string_view kServiceFunctions[] = {"nomadService", "nomadServices"};
constexpr std::string_view kVariableFunctions[] = {"nomadVar", "nomadVarExists", "nomadVarList",
                                                   "nomadVarListSafe"};

bool IsOfServices(const std::string& function) {
  return std::ranges::find(kServiceFunctions, function) != std::end(kServiceFunctions);
}

Error WrongUse(const std::string& function, const std::string& form) {
  return Error(Code::kInvalidArgument, function + " is written as {{" + form + "}}");
}

// What nomadService asks for.
struct WantedService {
  std::string name;
  std::string tag;  // empty: any
  std::optional<ServiceChoice> choice;
};

Result<WantedService> ReadWantedService(const ValueRequest& request) {
  const std::vector<std::string>& arguments = request.arguments;
  WantedService wanted;
  if (arguments.size() == 3) {
    DROVER_ASSIGN(wanted.choice, ParseServiceChoice(arguments[0] + "|" + arguments[1]));
  } else if (arguments.size() != 1) {
    return WrongUse("nomadService",
                    "nomadService \"NAME\"}} or {{nomadService COUNT \"KEY\" \"NAME\"");
  }
  wanted.name = arguments.back();
  wanted.name.resize(std::min(wanted.name.find('@'), wanted.name.size()));
  const std::size_t dot = wanted.name.rfind('.');
  if (dot != std::string::npos) {
    wanted.tag = wanted.name.substr(0, dot);
    wanted.name.erase(0, dot + 1);
  }
  if (wanted.name.empty()) return Error(Code::kInvalidArgument, "nomadService: the name is empty");
  return wanted;
}

json Instance(const ServiceRegistration& service) {
  return {
      {"ID", service.id},           {"Name", service.name},    {"Node", service.node_id},
      {"Address", service.address}, {"Port", service.port},    {"Datacenter", service.datacenter},
      {"Tags", service.tags},       {"JobID", service.job_id}, {"AllocID", service.alloc_id}};
}

using Services = std::vector<std::shared_ptr<const ServiceRegistration>>;

json InstancesOf(Services found, const WantedService& wanted) {
  std::erase_if(found, [&wanted](const auto& service) {
    return !wanted.tag.empty() &&
           std::ranges::find(service->tags, wanted.tag) == service->tags.end();
  });
  if (wanted.choice) found = ChooseServices(found, *wanted.choice);
  json list = json::array();
  for (const auto& service : found) list.push_back(Instance(*service));
  return list;
}

// Returns the names of SERVICES, each with the tags of all its instances.
json NamesOf(const Services& services) {
  std::map<std::string, std::set<std::string>> tags;
  for (const auto& service : services) {
    tags[service->name].insert(service->tags.begin(), service->tags.end());
  }
  json list = json::array();
  for (const auto& [name, of] : tags) list.push_back({{"Name", name}, {"Tags", of}});
  return list;
}

// The namespace and the path, or its beginning, that a request for variables names.
struct WantedVariable {
  std::string name_space;
  std::string path;
};

Result<WantedVariable> ReadWantedVariable(const ValueScope& scope, const ValueRequest& request) {
  const bool lists = request.function.starts_with("nomadVarList");
  const std::size_t count = request.arguments.size();
  if (count > 1 || (count == 0 && !lists)) {
    return WrongUse(request.function, request.function + " \"PATH\"");
  }
  WantedVariable wanted{scope.name_space, count == 0 ? "" : request.arguments[0]};
  const std::size_t at = wanted.path.find('@');
  if (at != std::string::npos) {
    wanted.name_space = wanted.path.substr(at + 1);
    wanted.path.resize(at);
  }
  DROVER_TRY(CheckVariableNamespace(wanted.name_space));
  if (!lists) DROVER_TRY(CheckVariablePath(wanted.path));
  return wanted;
}

json Described(const VariableRecord& record) {
  return {{"Namespace", record.name_space},     {"Path", record.path},
          {"CreateIndex", record.create_index}, {"ModifyIndex", record.modify_index},
          {"CreateTime", record.create_time},   {"ModifyTime", record.modify_time}};
}

}  // namespace

bool StateValues::Has(const std::string& function) const {
  return IsOfServices(function) ||
         std::ranges::find(kVariableFunctions, function) != std::end(kVariableFunctions);
}

std::shared_ptr<const Acl> StateValues::AclOf(const ValueScope& scope) const {
  const TaskPrincipal task{scope.name_space, scope.job, scope.group, scope.task, scope.alloc_id};
  return options_.acl_of ? options_.acl_of(task) : Acl::OfTask(task, {});
}

Result<std::string> StateValues::NameOf(const ValueScope& scope, const ValueRequest& request) {
  std::string name = request.function + " " + scope.name_space;
  if (IsOfServices(request.function)) {
    if (!AclOf(scope)->AllowsServices(scope.name_space)) {
      return Error(Code::kPermissionDenied,
                   "the task may not read the services of the namespace " + scope.name_space);
    }
    if (request.function == "nomadServices" && !request.arguments.empty()) {
      return WrongUse("nomadServices", "nomadServices");
    }
    if (request.function == "nomadService") {
      if (const auto wanted = ReadWantedService(request); !wanted.ok()) return wanted.error();
    }
    return name + NameOfArguments(request.arguments);
  }
  DROVER_ASSIGN(const WantedVariable wanted, ReadWantedVariable(scope, request));
  name = request.function + " " + VariableId(wanted.name_space, wanted.path);
  if (request.function.starts_with("nomadVarList")) {  // the list depends on who asks
    return name + "\n" + scope.name_space + "\n" + scope.job + "\n" + scope.group + "\n" +
           scope.task;
  }
  if (!AclOf(scope)->AllowsVariable(wanted.name_space, wanted.path, VariableRight::kRead)) {
    return Error(Code::kPermissionDenied, "the task may not read the variable " +
                                              Quoted(wanted.path) + ": put it at nomad/jobs/" +
                                              scope.job + ", or write a policy for the job");
  }
  return name;
}

// What a request asks for, as the tables have it.
struct StateValues::Found {
  std::uint64_t index = 0;
  std::vector<std::shared_ptr<const ServiceRegistration>> services;
  std::vector<std::shared_ptr<const VariableRecord>> variables;
};

StateValues::Found StateValues::Look(const ValueScope& scope, const ValueRequest& request) const {
  const Result<WantedService> service = ReadWantedService(request);
  const Result<WantedVariable> variable = ReadWantedVariable(scope, request);
  Found found;
  options_.store->Read([&](const Tables& tables) {
    // The index of a table is never below 1.
    found.index = std::max<std::uint64_t>(tables.last_index, 1);
    if (IsOfServices(request.function)) {
      const bool all = request.function == "nomadServices";
      const std::string name = all || !service.ok() ? "" : service->name;
      auto of = tables.services_of_name.lower_bound(ServiceKey(scope.name_space, name));
      for (; of != tables.services_of_name.end(); ++of) {
        if (of->first.first != scope.name_space || (!all && of->first.second != name)) break;
        found.services.insert(found.services.end(), of->second.begin(), of->second.end());
      }
    } else if (variable.ok()) {
      const bool lists = request.function.starts_with("nomadVarList");
      auto of = tables.variables.lower_bound(VariableKey(variable->name_space, variable->path));
      for (; of != tables.variables.end() && of->first.first == variable->name_space; ++of) {
        const std::string& path = of->first.second;
        if (lists ? !path.starts_with(variable->path) : path != variable->path) break;
        found.variables.push_back(of->second);
      }
    }
  });
  return found;
}

Result<json> StateValues::ValueOf(const ValueScope& scope, const ValueRequest& request,
                                  const Found& found) const {
  if (request.function == "nomadServices") return NamesOf(found.services);
  if (request.function == "nomadService") {
    DROVER_ASSIGN(const WantedService wanted, ReadWantedService(request));
    return InstancesOf(found.services, wanted);
  }
  if (request.function == "nomadVarExists") return json(!found.variables.empty());
  if (request.function == "nomadVar") {
    if (found.variables.empty()) return json(json::value_t::discarded);
    DROVER_ASSIGN(const SecretBytes items, OpenItems(*options_.seal_key, *found.variables[0]));
    json value = Described(*found.variables[0]);
    value["Items"] = json::parse(items.view(), nullptr, false);
    return value;
  }
  const std::shared_ptr<const Acl> acl = AclOf(scope);
  json list = json::array();
  for (const auto& record : found.variables) {
    if (acl->AllowsVariable(record->name_space, record->path, VariableRight::kList)) {
      list.push_back(Described(*record));
    }
  }
  return list;
}

Co<void> StateValues::Watch(Context context, ValueScope scope, ValueRequest request,
                            Publish publish) {
  const TableMask mask =
      MaskOf(IsOfServices(request.function) ? Table::kServices : Table::kVariables);
  while (!context.cancelled()) {
    const Found found = Look(scope, request);
    Result<json> value = ValueOf(scope, request, found);
    if (!value.ok() || !value->is_discarded()) publish(std::move(value));
    Context waiting = context.Child();
    Subscription on_policies;
    // What a list has depends on what the task may see.
    if (options_.on_policies && request.function.starts_with("nomadVarList")) {
      on_policies = options_.on_policies([waiting]() mutable { waiting.Cancel("a policy"); });
    }
    (void)co_await options_.store->WaitNewer(waiting, mask, found.index);
    waiting.Cancel("the wait is over");
  }
}

}  // namespace drover
