// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "host/api/router.h"
#include "host/encode/encode.h"
#include "host/filter/list_filter.h"
#include "host/state/service_choice.h"

namespace drover {
namespace {

using nlohmann::json;

using ServiceList = std::vector<std::shared_ptr<const ServiceRegistration>>;

constexpr TableMask kOfServices = MaskOf(Table::kServices);

void Append(ServiceList* list, const ServiceSet& services) {
  list->insert(list->end(), services.begin(), services.end());
}

// Returns the registrations in the namespace that the client wants, or in all namespaces whose
// services it may read.
ServiceList ServicesIn(const Tables& tables, const ApiRequest& request) {
  ServiceList all;
  for (const auto& [key, services] : tables.services_of_name) {
    if (!request.InNamespace(key.first) || !request.acl().AllowsServices(key.first)) continue;
    Append(&all, services);
  }
  return all;
}

// Returns those of them with NAME.
ServiceList ServicesNamed(const Tables& tables, const ApiRequest& request,
                          const std::string& name) {
  ServiceList all;
  const std::string wanted = request.Namespace();
  if (wanted == "*") {
    for (const auto& [key, services] : tables.services_of_name) {
      if (key.second != name || !request.acl().AllowsServices(key.first)) continue;
      Append(&all, services);
    }
  } else if (const auto found = tables.services_of_name.find({wanted, name});
             found != tables.services_of_name.end()) {
    Append(&all, found->second);
  }
  return all;
}

using EncodeOne = json (*)(const ServiceRegistration& service);

// Answers with a list of registrations that ENCODE encodes, in the order of SERVICES. Filters
// examine the registrations themselves.
Co<Answer> AnswerServices(ApiRequest* request, const ServiceList& services, EncodeOne encode) {
  std::vector<ListItem> items;
  items.reserve(services.size());
  for (const auto& service : services) {
    items.push_back({service->id, [service, encode] { return encode(*service); },
                     [service](const ListFilter&) { return EncodeService(*service); }});
  }
  return ListAnswer(request, std::move(items));
}

Co<Answer> SortedServices(ApiRequest* request, ServiceList services) {
  std::sort(services.begin(), services.end(), ServiceOrder());
  return AnswerServices(request, services, EncodeService);
}

// Returns those of ALL that ?filter chooses.
Result<ServiceList> Filtered(const ApiRequest& request, const ServiceList& all) {
  const std::string text = request.Text("filter");
  if (text.empty()) return all;
  DROVER_ASSIGN(const ListFilter filter, ListFilter::Parse(text));
  ListFilter::Budget budget;
  ServiceList some;
  for (const auto& service : all) {
    DROVER_ASSIGN(const bool chosen, filter.Chooses(EncodeService(*service), &budget));
    if (chosen) some.push_back(service);
  }
  return some;
}

// Chooses among those services that ?filter leaves.
Co<Answer> ChosenServices(ApiRequest* request, ServiceList services, ServiceChoice choice) {
  DROVER_CO_ASSIGN(const ServiceList some, Filtered(*request, services));
  co_return co_await AnswerServices(request, ChooseServices(some, choice), EncodeService);
}

// Answers with the names of SERVICES in each namespace, and with all tags of each name.
Co<Answer> NamesOf(ApiRequest* request, const ServiceList& services) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> tags;
  for (const auto& service : services) {
    tags[service->service_namespace][service->name].insert(service->tags.begin(),
                                                           service->tags.end());
  }
  std::vector<ListItem> items;
  for (const auto& [name_space, names] : tags) {
    json list = json::array();
    for (const auto& [name, of_name] : names) {
      list.push_back({{"ServiceName", name}, {"Tags", of_name}});
    }
    const json stub = {{"Namespace", name_space}, {"Services", std::move(list)}};
    items.push_back({name_space, [stub] { return stub; }});
  }
  return ListAnswer(request, std::move(items));
}

Co<Answer> ListNames(ApiRequest* request) {
  return AnswerRead(request, kOfServices, [request](const Tables& tables) {
    return Found{tables.IndexOf(kOfServices), [request, services = ServicesIn(tables, *request)] {
                   return NamesOf(request, services);
                 }};
  });
}

Co<Answer> ListTargets(ApiRequest* request) {
  return AnswerRead(request, kOfServices, [request](const Tables& tables) {
    ServiceList services = ServicesIn(tables, *request);
    // Nobody can read metrics without an address or a port.
    std::erase_if(services, [](const auto& service) {
      return service->port == 0 || service->address.empty();
    });
    std::sort(services.begin(), services.end(), ServiceOrder());
    return Found{tables.IndexOf(kOfServices), [request, services] {
                   return AnswerServices(request, services, EncodePrometheusTarget);
                 }};
  });
}

Co<Answer> ReadService(ApiRequest* request) {
  std::optional<ServiceChoice> choice;
  if (const std::string text = request->Text("choose"); !text.empty()) {
    DROVER_CO_ASSIGN(choice, ParseServiceChoice(text));
  }
  co_return co_await AnswerRead(request, kOfServices, [&](const Tables& tables) {
    ServiceList services = ServicesNamed(tables, *request, request->parameter(0));
    return Found{tables.IndexOf(kOfServices),
                 [request, choice, services = std::move(services)]() -> Co<Answer> {
                   return choice ? ChosenServices(request, services, *choice)
                                 : SortedServices(request, services);
                 }};
  });
}

Co<Answer> ListOfAlloc(ApiRequest* request) {
  const std::string& id = request->parameter(0);
  if (FindAlloc(*request, id) == nullptr) co_return ErrorAnswer(404, "allocation not found");
  co_return co_await AnswerRead(request, kOfServices, [request, &id](const Tables& tables) {
    ServiceList services;
    Append(&services, tables.ServicesOf(id));
    return Found{tables.IndexOf(kOfServices), [request, services = std::move(services)] {
                   return SortedServices(request, services);
                 }};
  });
}

Co<Answer> ListOfJob(ApiRequest* request) {
  const JobKey key(request->Namespace(), request->parameter(0));
  return AnswerRead(request, kOfServices, [request, key](const Tables& tables) {
    ServiceList services;
    for (const auto& record : tables.AllocsOf(key)) {
      Append(&services, tables.ServicesOf(record->id()));
    }
    return Found{tables.IndexOf(kOfServices), [request, services = std::move(services)] {
                   return SortedServices(request, services);
                 }};
  });
}

Co<Answer> DeleteService(ApiRequest* request) {
  Scheduler* const scheduler = request->agent().scheduler;
  const ServiceKey name(request->Namespace(), request->parameter(0));
  const std::string id = request->parameter(1);
  const Result<std::uint64_t> index =
      co_await request->ControlNow([=] { return scheduler->DeleteService(name, id); });
  if (!index.ok()) co_return index.error();
  Answer answer = EmptyAnswer();
  answer.index = *index;
  co_return answer;
}

Co<Answer> NoServiceName(ApiRequest*) { co_return ErrorAnswer(400, "missing service name"); }
Co<Answer> NoServiceId(ApiRequest*) { co_return ErrorAnswer(400, "missing service id"); }
Co<Answer> NoServicePath(ApiRequest*) { co_return ErrorAnswer(400, "invalid URI"); }

}  // namespace

std::vector<Route> ServiceRoutes() {
  return {
      {"GET", "/v1/services", ListNames},
      {"GET", "/v1/service/*", ReadService},
      {"DELETE", "/v1/service/*", NoServiceId},
      {"DELETE", "/v1/service/*/*", DeleteService},
      {"DELETE", "/v1/service/*/**", NoServicePath},
      {"GET DELETE", "/v1/service/", NoServiceName},
      {"GET", "/v1/allocation/*/services", ListOfAlloc},
      {"GET", "/v1/job/**/services", ListOfJob},
      {"GET", "/v1/agent/prometheus-sd", ListTargets},
  };
}

}  // namespace drover
