// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_plan.h"

#include <openssl/sha.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>

#include "host/base/text.h"
#include "host/spec/job_limits.h"

namespace drover {
namespace {

// Returns the hash of TEXTS in hex. The length of each text is hashed, too, so that no two lists
// look the same.
std::string IdOf(std::initializer_list<std::string_view> texts) {
  constexpr char kHex[] = "0123456789abcdef";
  constexpr std::size_t kBytes = 20;
  std::string whole;
  for (const std::string_view text : texts) {
    whole += std::to_string(text.size()) + ':';
    whole += text;
  }
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(whole.data()), whole.size(), digest);
  std::string id;
  for (std::size_t i = 0; i < kBytes; ++i) {
    id += kHex[digest[i] >> 4];
    id += kHex[digest[i] & 15];
  }
  return id;
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
    const std::string label = Text(PortLabelOf(service, check));
    plan.check.port_label = label;
    plan.check.task = task_ != nullptr ? task_->name : TaskOfCheck(service, check);
    if (check.type == CheckType::kGrpc) plan.fault = "checks of the type grpc are not supported";
    if (NeedsPort(check.type) && plan.fault.empty()) Find(service, check, label, &plan);
    const ServiceCheck& all = plan.check;
    plan.id =
        IdOf({alloc_.id, alloc_.group_name, plan.task, plan.service, all.name,
              CheckTypeName(all.type), label, all.path, all.protocol, all.method, all.command});
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

  const AllocatedPort* Port(const std::string& label) const {
    for (const AllocatedPort& port : alloc_.ports) {
      const bool visible = port.task.empty() || (task_ != nullptr && port.task == task_->name);
      if (visible && port.label == label) return &port;
    }
    return nullptr;
  }

  // Sets the place at which CHECK is asked, or the fault.
  void Find(const Service& service, const ServiceCheck& check, const std::string& label,
            CheckPlan* plan) const {
    const AllocatedPort* const port = Port(label);
    const int number = port != nullptr ? port->value : ParseNumber<int>(label).value_or(0);
    const AddressMode mode = AddressModeOf(service, check);
    if (number <= 0 || number > 65535) {
      plan->fault = "invalid port \"" + label + "\": port label not found";
      return;
    }
    plan->port = number;
    if (mode == AddressMode::kAuto) {
      plan->host = Text(service.address);
    } else if (mode == AddressMode::kHost) {
      if (port != nullptr) plan->host = port->host_ip;
    } else if (mode == AddressMode::kDriver) {
      plan->fault = "cannot use address_mode=\"driver\": no driver network exists";
    } else if (!alloc_.network) {
      plan->fault = "cannot use address_mode=\"" + std::string(AddressModeName(mode)) +
                    "\": no allocation network status reported";
    } else {
      const bool v6 = mode == AddressMode::kAllocIpv6;
      plan->host = v6 ? alloc_.network->address_ipv6 : alloc_.network->address;
      if (port != nullptr && port->to > 0) plan->port = port->to;
    }
    if (plan->host.empty()) plan->host = "127.0.0.1";
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
  std::set<std::string> ids;
  const auto add = [&](const Task* task, const std::vector<Service>& services) {
    const Planner planner(alloc, task, interpolate);
    for (const Service& service : services) {
      if (!ours(service)) continue;
      for (const ServiceCheck& check : service.checks) {
        CheckPlan plan = planner.Plan(service, check);
        // Checks that ask the same in the same service are one check.
        if (ids.insert(plan.id).second) plans.push_back(std::move(plan));
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
