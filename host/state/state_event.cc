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
const std::string& IdOf(const Deployment& deployment) { return deployment.id; }
const std::string& IdOf(const PeriodicLaunch& launch) { return launch.job_id; }
const std::string& IdOf(const JobRestart& restart) { return restart.id; }
const std::string& IdOf(const SchedulerConfig&) {
  static const std::string kOnly = "scheduler";
  return kOnly;
}

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
const std::string& NamespaceOf(const Deployment& of) { return of.job_namespace; }
const std::string& NamespaceOf(const PeriodicLaunch& of) { return of.job_namespace; }
const std::string& NamespaceOf(const JobRestart& of) { return of.job_namespace; }
const std::string& NoNamespace() {
  static const std::string kNone;
  return kNone;
}
const std::string& NamespaceOf(const NodeRecord&) { return NoNamespace(); }
const std::string& NamespaceOf(const SchedulerConfig&) { return NoNamespace(); }

}  // namespace

const std::string& StateEvent::Key() const {
  return std::visit([](const auto& of) -> const std::string& { return IdOf(*of); }, record);
}

const std::string& StateEvent::Namespace() const {
  return std::visit([](const auto& of) -> const std::string& { return NamespaceOf(*of); }, record);
}

std::vector<std::string> StateEvent::FilterKeys() const {
  if (const auto* eval = std::get_if<std::shared_ptr<const Evaluation>>(&record)) {
    std::vector<std::string> keys = {(*eval)->job_id};
    if (!(*eval)->deployment_id.empty()) keys.push_back((*eval)->deployment_id);
    return keys;
  }
  if (const auto* deployment = std::get_if<std::shared_ptr<const Deployment>>(&record)) {
    return {(*deployment)->job_id};
  }
  if (const auto* restart = std::get_if<std::shared_ptr<const JobRestart>>(&record)) {
    return {(*restart)->job_id};
  }
  if (const auto* alloc = std::get_if<std::shared_ptr<const AllocRecord>>(&record)) {
    std::vector<std::string> keys = {(*alloc)->alloc->job->id};
    const std::string& deployment = (*alloc)->alloc->deployment_id;
    if (!deployment.empty()) keys.push_back(deployment);
    return keys;
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
  const bool planned = event.topic() == Topic::kAllocation || event.topic() == Topic::kDeployment;
  return evaluated && planned ? kPlan : cause;
}

}  // namespace drover
