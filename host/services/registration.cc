// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/services/registration.h"

#include <set>
#include <string_view>
#include <utility>

#include "host/base/text.h"
#include "host/services/service_address.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr std::size_t kMostName = 63;      // of a label in DNS
constexpr std::size_t kMostAddress = 255;  // of a name in DNS

// How the references begin that only this agent replaces. See TaskEnv::Interpolate.
constexpr std::string_view kOwnReferences[] = {"NOMAD_", "node.", "attr.", "meta.", "env["};

bool HasReference(std::string_view text) { return text.find("${") != std::string_view::npos; }

// Returns the first reference in TEXT that this agent should have replaced, or an empty text.
std::string_view FirstOwnReference(std::string_view text) {
  for (std::size_t at = text.find("${"); at != std::string_view::npos;
       at = text.find("${", at + 2)) {
    const std::size_t end = text.find('}', at);
    if (end == std::string_view::npos) break;
    const std::string_view name = Trim(text.substr(at + 2, end - at - 2));
    for (const std::string_view own : kOwnReferences) {
      if (name.starts_with(own)) return text.substr(at, end + 1 - at);
    }
  }
  return {};
}

bool IsServiceName(std::string_view name) {
  if (name.empty() || name.size() > kMostName) return false;
  if (name.front() == '-' || name.back() == '-') return false;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '-') return false;
  }
  return true;
}

// Whether this agent registers SERVICE, itself or in Consul. Without Consul, nobody registers what
// Consul should keep.
bool Registers(const ServicePolicy& policy, const Service& service) {
  return policy.consul_configured || RegistryOf(policy, service) == ServiceProvider::kBuiltin;
}

Error Wrong(const std::string& what) { return {Code::kInvalidArgument, what}; }

// Makes the registrations of one owner.
class Registering {
 public:
  // TASK is null for the services of the group.
  Registering(const ServiceNode& node, const Allocation& alloc, const Task* task,
              const ServiceRun& run)
      : node_(node), alloc_(alloc), task_(task), run_(run) {}

  Registrations All(const std::vector<Service>& services) {
    Registrations out;
    if (!RegistersAny(node_, services)) return out;
    const Result<TaskEnv> env = BuildEnv();
    if (!env.ok()) {
      out.errors.push_back(env.error().WithContext("the services"));
      return out;
    }
    std::set<std::string> ids;
    for (const Service& service : services) {
      if (!Registers(node_.policy, service)) continue;
      Result<ServiceRegistration> made = One(*env, service);
      if (made.ok() && !ids.insert(made->id).second) {
        made = Wrong("another service has the same name and port: change one of the names");
      }
      if (made.ok() && RegistryOf(node_.policy, service) == ServiceProvider::kConsul) {
        Result<ForConsul> more =
            MakeForConsul(service, made->id, *env, Source(service), alloc_.canary);
        if (more.ok()) {
          out.for_consul.push_back(std::move(*more));
        } else {
          made = more.error();
        }
      }
      if (made.ok()) {
        out.all.push_back(std::move(*made));
      } else {
        out.errors.push_back(made.error().WithContext("service " + Quoted(service.name)));
      }
    }
    return out;
  }

 private:
  Result<TaskEnv> BuildEnv() const {
    TaskEnvInput input;
    input.node = node_.info;
    input.alloc = &alloc_;
    input.task = task_;
    // The environment of the run has the values of all hooks, and those of an earlier agent.
    if (run_.config != nullptr) input.hook_env.push_back(run_.config->env);
    if (run_.network != nullptr) input.driver_ports = run_.network->port_map;
    return TaskEnv::Build(input);
  }

  Result<ServiceRegistration> One(const TaskEnv& env, const Service& service) const {
    ServiceRegistration out;
    out.name = env.Interpolate(service.name);
    if (!IsServiceName(out.name)) {
      return Wrong("its name becomes " + Quoted(out.name) +
                   ": write one of at most 63 letters, digits and \"-\", and variables that have "
                   "a value");
    }
    AddressWish wish{service.address_mode, env.Interpolate(service.address),
                     env.Interpolate(service.port_label)};
    if (HasReference(wish.address) || HasReference(wish.port_label)) {
      const std::string& unknown = HasReference(wish.address) ? wish.address : wish.port_label;
      return Wrong(Quoted(unknown) + " has a variable without a value");
    }
    if (wish.address.size() > kMostAddress) return Wrong("its address is too long");
    DROVER_TRY(AddTags(env, service, &out));
    DROVER_ASSIGN(ServiceAddress address, FindAddress(Source(service), wish));
    out.address = std::move(address.ip);
    out.port = address.port;
    out.id = RegistrationId(alloc_, task_ == nullptr ? "" : task_->name, out.name, wish.port_label);
    out.service_namespace = alloc_.job->job_namespace;
    out.node_id = node_.info->id;
    out.datacenter = alloc_.datacenter.empty() ? node_.info->datacenter : alloc_.datacenter;
    out.job_id = alloc_.job->id;
    out.alloc_id = alloc_.id;
    return out;
  }

  Status AddTags(const TaskEnv& env, const Service& service, ServiceRegistration* out) const {
    const bool other = alloc_.canary && !service.canary_tags.empty();
    std::size_t bytes = out->name.size();
    for (const std::string& written : other ? service.canary_tags : service.tags) {
      std::string tag = env.Interpolate(written);
      bytes += tag.size();
      if (bytes > kMostRegistrationBytes) {
        return Wrong("its texts have more than " + std::to_string(kMostRegistrationBytes) +
                     " bytes when their variables are replaced");
      }
      const std::string_view unknown = FirstOwnReference(tag);
      if (!unknown.empty()) {
        return Wrong("its tag " + Quoted(tag) + " has the variable " + Quoted(unknown) +
                     ", which has no value");
      }
      out->tags.push_back(std::move(tag));
    }
    return {};
  }

  ServiceAddressSource Source(const Service& service) const {
    ServiceAddressSource source = SourceOf(alloc_, task_, service);
    source.driver = run_.network;
    source.node_ip = node_.ip;
    return source;
  }

  const ServiceNode& node_;
  const Allocation& alloc_;
  const Task* const task_;
  const ServiceRun& run_;
};

}  // namespace

std::string RegistrationIdPrefix(const Allocation& alloc, const std::string& task) {
  return "_nomad-task-" + alloc.id + "-" + (task.empty() ? "group-" + alloc.group_name : task) +
         "-";
}

std::string RegistrationId(const Allocation& alloc, const std::string& task,
                           const std::string& name, const std::string& port_label) {
  return RegistrationIdPrefix(alloc, task) + name + "-" + port_label;
}

bool RegistersAny(const ServiceNode& node, const std::vector<Service>& services) {
  for (const Service& service : services) {
    if (Registers(node.policy, service)) return true;
  }
  return false;
}

Registrations RegistrationsOfGroup(const ServiceNode& node, const Allocation& alloc) {
  const TaskGroup* const group = alloc.group();
  if (group == nullptr) return {};
  const ServiceRun run{};
  return Registering(node, alloc, nullptr, run).All(group->services);
}

Registrations RegistrationsOfTask(const ServiceNode& node, const Allocation& alloc,
                                  const Task& task, const ServiceRun& run) {
  return Registering(node, alloc, &task, run).All(task.services);
}

}  // namespace drover
