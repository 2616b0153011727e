// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_plan.h"

#include <openssl/sha.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "host/services/service_address.h"
#include "host/spec/job_limits.h"

namespace drover {
namespace {

// Returns the hash of TEXTS in hex. The length of each text is hashed, too, so that no two lists
// look the same.
std::string IdOf(const std::vector<std::string>& texts) {
  constexpr char kHex[] = "0123456789abcdef";
  constexpr std::size_t kBytes = 20;
  std::string whole;
  for (const std::string& text : texts) whole += std::to_string(text.size()) + ':' + text;
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(whole.data()), whole.size(), digest);
  std::string id;
  for (std::size_t i = 0; i < kBytes; ++i) {
    id += kHex[digest[i] >> 4];
    id += kHex[digest[i] & 15];
  }
  return id;
}

// Appends LIST to TEXTS, with its size before it.
void AppendList(const std::vector<std::string>& list, std::vector<std::string>* texts) {
  texts->push_back(std::to_string(list.size()));
  texts->insert(texts->end(), list.begin(), list.end());
}

// Returns what the check of PLAN asks, and for whom. How often it asks and what follows from the
// answers is no part of that.
std::vector<std::string> QuestionOf(const CheckPlan& plan) {
  const ServiceCheck& check = plan.check;
  const std::string_view mode = check.address_mode ? AddressModeName(*check.address_mode) : "";
  std::vector<std::string> texts = {
      plan.alloc_id,         plan.group,        plan.task,
      plan.service,          check.name,        std::string(CheckTypeName(check.type)),
      check.port_label,      std::string(mode), check.path,
      check.protocol,        check.method,      check.body,
      check.tls_server_name, check.task,        check.command};
  AppendList(check.args, &texts);
  for (const auto& [name, values] : check.header) {
    texts.push_back(name);
    AppendList(values, &texts);
  }
  return texts;
}

// Makes the plans of the services of one owner.
class Planner {
 public:
  Planner(const Allocation& alloc, const Task* task, const CheckInterpolate& interpolate)
      : alloc_(alloc), task_(task), interpolate_(interpolate) {}

  CheckPlan Plan(const Service& service, const ServiceCheck& check) const {
    CheckPlan plan;
    plan.alloc_id = alloc_.id;
    plan.alloc_name = alloc_.name;
    plan.job_id = alloc_.job->id;
    plan.job_namespace = alloc_.job->job_namespace;
    plan.group = alloc_.group_name;
    if (task_ != nullptr) plan.task = task_->name;
    plan.service = Text(service.name);
    plan.check = Resolved(check);
    if (plan.check.name.empty()) plan.check.name = "service: \"" + plan.service + "\" check";
    plan.check.port_label = Text(PortLabelOf(service, check));
    plan.check.task = task_ != nullptr ? task_->name : TaskOfCheck(service, check);
    if (check.type == CheckType::kGrpc) {
      plan.fault = "checks of the type grpc are not supported";
    } else if (NeedsPort(check.type)) {
      Find(service, &plan);
    }
    plan.id = IdOf(QuestionOf(plan));
    return plan;
  }

 private:
  std::string Text(const std::string& text) const {
    return text.find("${") == std::string::npos ? text : interpolate_(task_, text);
  }

  ServiceCheck Resolved(const ServiceCheck& from) const {
    ServiceCheck check = from;
    check.interval = std::max(Duration(1s), Bounded(check.interval));
    check.timeout = std::max(Duration(1s), Bounded(check.timeout));
    check.name = Text(check.name);
    check.path = Text(check.path);
    check.protocol = Text(check.protocol);
    check.method = Text(check.method);
    check.body = Text(check.body);
    check.tls_server_name = Text(check.tls_server_name);
    check.header.clear();
    for (const auto& [name, values] : from.header) {
      for (const std::string& value : values) check.header[Text(name)].push_back(Text(value));
    }
    return check;
  }

  // Sets the place at which the check of PLAN is asked, or the fault.
  void Find(const Service& service, CheckPlan* plan) const {
    ServiceAddressSource source = SourceOf(alloc_, task_, service);
    source.node_ip = "127.0.0.1";  // a port of this machine whose address is not known
    Service replaced;
    replaced.address = Text(service.address);
    const Result<ServiceAddress> place = FindCheckAddress(source, replaced, plan->check);
    if (place.ok()) {
      plan->host = place->ip;
      plan->port = place->port;
    } else {
      plan->fault = place.error().message();
    }
  }

  const Allocation& alloc_;
  const Task* const task_;  // null for the services of the group
  const CheckInterpolate& interpolate_;
};

}  // namespace

std::vector<CheckPlan> MakeCheckPlans(const Allocation& alloc,
                                      const std::function<bool(const Service&)>& ours,
                                      const CheckInterpolate& interpolate) {
  std::vector<CheckPlan> plans;
  std::map<std::string, int> same_question;  // how many plans an id would have
  const auto add = [&](const Task* task, const std::vector<Service>& services) {
    const Planner planner(alloc, task, interpolate);
    for (const Service& service : services) {
      if (!ours(service)) continue;
      std::map<std::string, int> namesakes;
      for (const ServiceCheck& check : service.checks) {
        CheckPlan plan = planner.Plan(service, check);
        plan.namesake = namesakes[plan.check.name]++;
        // Checks that ask the same, but for example not equally often, are still two checks.
        const int before = same_question[plan.id]++;
        if (before > 0) plan.id = IdOf({plan.id, std::to_string(before)});
        plans.push_back(std::move(plan));
      }
    }
  };
  const TaskGroup* const group = alloc.group();
  if (group == nullptr) return plans;
  add(nullptr, group->services);
  for (const Task& task : group->tasks) add(&task, task.services);
  return plans;
}

}  // namespace drover
