// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "container/network_plan.h"

#include <algorithm>
#include <utility>

#include "config/rules.h"

namespace drover_docker {
namespace {

const drover::Port* FindPort(const drover::TaskConfig& task, const std::string& label) {
  const auto found = std::find_if(task.ports.begin(), task.ports.end(),
                                  [&](const drover::Port& port) { return port.label == label; });
  return found == task.ports.end() ? nullptr : &*found;
}

std::string PortLabels(const drover::TaskConfig& task) {
  std::string out;
  for (const drover::Port& port : task.ports) out += (out.empty() ? "" : ", ") + port.label;
  return out.empty() ? "it has none" : "it has " + out;
}

const drover::Port& NeedPort(const drover::TaskConfig& task, const std::string& option,
                             const std::string& label) {
  if (const drover::Port* port = FindPort(task, label)) return *port;
  Invalid("/" + option + ": the network of the task has no port " + Quoted(label) + ": " +
          PortLabels(task));
}

std::vector<PublishedPort> PortsOf(const drover::TaskConfig& task, const TaskOptions& options) {
  std::vector<PublishedPort> out;
  // Engines bind a port twice that is there twice, and fail.
  const auto add = [&](PublishedPort one) {
    const bool there = std::any_of(out.begin(), out.end(), [&](const PublishedPort& other) {
      return other.label == one.label && other.container_port == one.container_port;
    });
    if (!there) out.push_back(std::move(one));
  };
  for (const std::string& label : options.ports) {
    const drover::Port& port = NeedPort(task, "ports", label);
    const int inside = port.to > 0 ? port.to : port.value;
    add(PublishedPort{label, port.host_ip, port.value, inside});
  }
  for (const auto& [label, inside] : options.port_map) {
    const drover::Port& port = NeedPort(task, "port_map", label);
    add(PublishedPort{label, port.host_ip, port.value, static_cast<int>(inside)});
  }
  return out;
}

void RefuseAddresses(const TaskOptions& options, const std::string& network) {
  if (options.ipv4_address.empty() && options.ipv6_address.empty() &&
      options.network_aliases.empty() && options.mac_address.empty()) {
    return;
  }
  Invalid("/network_aliases, /ipv4_address, /ipv6_address, /mac_address: the container uses " +
          network + ", whose addresses and names it cannot choose");
}

}  // namespace

NetworkPlan PlanNetwork(const drover::TaskConfig& task, const TaskOptions& options,
                        bool joins_by_path) {
  NetworkPlan out;
  const std::vector<PublishedPort> ports = PortsOf(task, options);
  const bool shared = !task.network_namespace.empty();
  if (!options.network_mode.empty()) {
    out.mode = options.network_mode == "default" ? "bridge" : options.network_mode;
  } else if (shared && joins_by_path) {
    out.mode = "ns:" + task.network_namespace;
  } else if (shared) {
    out.needs_pause = true;
  } else if (task.network_mode == "none") {
    out.mode = "none";
  } else {
    out.mode = "bridge";
  }
  out.joins = out.needs_pause || out.mode == "host" || out.mode.find(':') != std::string::npos;
  if (out.joins || out.mode == "none") {
    RefuseAddresses(options,
                    out.mode == "none" ? "no network" : "a network that is made elsewhere");
    return out;  // the ports are open already, by the host or by whoever made the network
  }
  if (out.mode == "bridge" && (!options.ipv4_address.empty() || !options.ipv6_address.empty() ||
                               !options.network_aliases.empty())) {
    Invalid(
        "/network_aliases, /ipv4_address, /ipv6_address: only a network of the operator has names "
        "and addresses to choose: write its name into network_mode");
  }
  out.ports = ports;
  return out;
}

}  // namespace drover_docker
