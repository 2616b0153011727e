// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The writes of the scheduler to the registrations of services.
#include <utility>

#include "host/scheduler/scheduler.h"

namespace drover {
namespace {

// Puts SERVICE into TABLES, unless nobody may find it. An allocation that must stop keeps its
// registrations, because its node removes them before it stops the tasks. But it gets no new ones.
void PutService(Tables* tables, std::uint64_t index, const std::string& node_id,
                ServiceRegistration service) {
  const auto record = Tables::Find(tables->allocs, service.alloc_id);
  if (record == nullptr || record->terminal() || record->alloc->node_id != node_id) return;
  const auto before = tables->FindService(service.id);
  // The id of a registration contains its allocation. So another allocation has not made it.
  if (before != nullptr && before->alloc_id != service.alloc_id) return;
  service.node_id = node_id;
  service.job_id = record->alloc->job->id;
  service.service_namespace = record->alloc->job->job_namespace;
  service.create_index = before == nullptr ? index : before->create_index;
  service.modify_index = before == nullptr ? index : before->modify_index;
  if (before != nullptr && *before == service) return;
  service.modify_index = index;
  tables->Put(std::make_shared<const ServiceRegistration>(std::move(service)));
}

}  // namespace

Co<Status> Scheduler::UpdateServices(Context, std::string node_id,
                                     std::vector<ServiceRegistration> put,
                                     std::vector<std::string> gone) {
  store_->Write(cause::kServicesChanged, [&](Tables* tables, std::uint64_t index) {
    for (const std::string& id : gone) {
      const auto service = tables->FindService(id);
      if (service != nullptr && service->node_id == node_id) tables->Erase(*service);
    }
    for (ServiceRegistration& service : put) {
      PutService(tables, index, node_id, std::move(service));
    }
    return TableMask{0};  // StateStore adds the table of services if it has changed
  });
  co_return Status();
}

Co<Result<std::vector<ServiceRegistration>>> Scheduler::FetchServices(Context,
                                                                      std::string node_id) {
  std::vector<ServiceRegistration> out;
  store_->Read([&](const Tables& tables) {
    for (const auto& service : tables.services) {
      if (service->node_id == node_id) out.push_back(*service);
    }
  });
  co_return out;
}

Result<std::uint64_t> Scheduler::DeleteService(const ServiceKey& name, const std::string& id) {
  std::shared_ptr<const ServiceRegistration> service;
  store_->Read([&](const Tables& tables) { service = tables.FindService(id); });
  if (service == nullptr || KeyOf(*service) != name) {
    return Error(Code::kNotFound, "service registration not found");
  }
  return store_->Write(cause::kServicesChanged, [&](Tables* tables, std::uint64_t) {
    tables->Erase(*service);
    return MaskOf(Table::kServices);
  });
}

}  // namespace drover
