// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/state_event.h"

namespace drover {
namespace {

constexpr std::string_view kPlan = "PlanResult";
constexpr std::string_view kDeregistered = "ServiceDeregistration";

const std::string& IdOf(const JobRecord& record) { return record.job->id; }
const std::string& IdOf(const Evaluation& eval) { return eval.id; }
const std::string& IdOf(const AllocRecord& record) { return record.id(); }
const std::string& IdOf(const NodeRecord& node) { return node.id; }
const std::string& IdOf(const ServiceRegistration& service) { return service.id; }
const std::string& IdOf(const VariableRecord& variable) { return variable.path; }
const std::string& IdOf(const VolumeRecord& volume) { return volume.id; }

const std::string& NamespaceOf(const JobRecord& record) { return record.job->job_namespace; }
const std::string& NamespaceOf(const Evaluation& eval) { return eval.job_namespace; }
const std::string& NamespaceOf(const AllocRecord& record) {
  return record.alloc->job->job_namespace;
}
const std::string& NamespaceOf(const ServiceRegistration& service) {
  return service.service_namespace;
}
const std::string& NamespaceOf(const VariableRecord& variable) { return variable.name_space; }
const std::string& NamespaceOf(const VolumeRecord& volume) { return volume.name_space; }
const std::string& NamespaceOf(const NodeRecord&) {
  static const std::string kNone;
  return kNone;
}

}  // namespace

const std::string& StateEvent::Key() const {
  return std::visit([](const auto& of) -> const std::string& { return IdOf(*of); }, record);
}

const std::string& StateEvent::Namespace() const {
  return std::visit([](const auto& of) -> const std::string& { return NamespaceOf(*of); }, record);
}

std::vector<std::string> StateEvent::FilterKeys() const {
  if (const auto* eval = std::get_if<std::shared_ptr<const Evaluation>>(&record)) {
    return {(*eval)->job_id};
  }
  if (const auto* alloc = std::get_if<std::shared_ptr<const AllocRecord>>(&record)) {
    return {(*alloc)->alloc->job->id};
  }
  if (const auto* service = std::get_if<std::shared_ptr<const ServiceRegistration>>(&record)) {
    return {(*service)->job_id, (*service)->name, (*service)->alloc_id};
  }
  return {};
}

std::string_view EventBatch::TypeOf(const StateEvent& event) const {
  if (event.topic() == Topic::kService) {
    return event.erased ? kDeregistered : cause::kServicesChanged;
  }
  const bool evaluated = cause == cause::kJobRegistered || cause == cause::kJobDeregistered ||
                         cause == cause::kEvaluation || cause == cause::kNodeDrain;
  return evaluated && event.topic() == Topic::kAllocation ? kPlan : cause;
}

}  // namespace drover
