// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/services/service_address.h"

#include <cstddef>
#include <optional>

#include "host/base/text.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr int kMostPort = 65535;

// Returns the port LABEL of the allocation. Ports of the source's own task come first, then those
// of the group. A service of the group may also have a port of any task.
const AllocatedPort* FindPort(const ServiceAddressSource& source, const std::string& label) {
  const AllocatedPort* of_group = nullptr;
  const AllocatedPort* of_other = nullptr;
  for (const AllocatedPort& port : source.alloc->ports) {
    if (port.label != label) continue;
    if (port.task.empty()) {
      of_group = &port;
    } else if (source.task != nullptr && port.task == source.task->name) {
      return &port;
    } else if (source.task == nullptr && of_other == nullptr) {
      of_other = &port;
    }
  }
  return of_group != nullptr ? of_group : of_other;
}

// Returns the number that LABEL stands for if it is no port of the allocation.
Result<int> PortNumber(const std::string& label) {
  const std::optional<int> number = ParseNumber<int>(label);
  if (!number) {
    return Error(Code::kFailedPrecondition,
                 "invalid port " + Quoted(label) + ": port label not found");
  }
  if (*number < 1 || *number > kMostPort) {
    return Error(Code::kFailedPrecondition,
                 "invalid port " + Quoted(label) + ": a port is from 1 to 65535");
  }
  return *number;
}

// Returns the port inside the network of the task or of the allocation.
int PortInside(const AllocatedPort& port) { return port.to > 0 ? port.to : port.value; }

Error NoNetwork(AddressMode mode, const std::string& why) {
  return {Code::kFailedPrecondition,
          "cannot use address_mode=\"" + std::string(AddressModeName(mode)) + "\": " + why};
}

// Returns how many networks the ports of the source are on.
std::size_t CountNetworks(const ServiceAddressSource& source) {
  const TaskGroup* const group = source.alloc->group();
  const std::size_t own = source.task == nullptr ? 0 : source.task->networks.size();
  return own + (group == nullptr ? 0 : group->networks.size());
}

// Returns the address on the host of the source's only network.
std::string OnlyHostIp(const ServiceAddressSource& source) {
  for (const AllocatedPort& port : source.alloc->ports) {
    if (port.task.empty() || (source.task != nullptr && port.task == source.task->name)) {
      return port.host_ip;
    }
  }
  return source.node_ip;
}

Result<ServiceAddress> OwnAddress(const ServiceAddressSource& source, const AddressWish& wish) {
  ServiceAddress found{wish.address, 0};
  if (wish.port_label.empty()) return found;
  if (const AllocatedPort* const port = FindPort(source, wish.port_label)) {
    found.port = port->value;
    return found;
  }
  DROVER_ASSIGN(found.port, PortNumber(wish.port_label));
  return found;
}

Result<ServiceAddress> HostAddress(const ServiceAddressSource& source, const std::string& label) {
  if (label.empty()) {
    if (CountNetworks(source) != 1) return ServiceAddress();
    return ServiceAddress{OnlyHostIp(source), 0};
  }
  if (const AllocatedPort* const port = FindPort(source, label)) {
    return ServiceAddress{port->host_ip, port->value};
  }
  ServiceAddress found;
  DROVER_ASSIGN(found.port, PortNumber(label));
  return found;
}

Result<ServiceAddress> DriverAddress(const ServiceAddressSource& source, const std::string& label) {
  if (source.driver == nullptr) {
    return NoNetwork(AddressMode::kDriver, "the task's driver has reported no network");
  }
  ServiceAddress found{source.driver->ip, 0};
  if (label.empty()) return found;
  const AllocatedPort* const port = FindPort(source, label);
  const auto mapped = source.driver->port_map.find(label);
  if (port != nullptr && port->to > 0) {
    found.port = port->to;
  } else if (mapped != source.driver->port_map.end()) {
    found.port = mapped->second;
  } else if (port != nullptr) {
    found.port = port->value;
  } else {
    DROVER_ASSIGN(found.port, PortNumber(label));
  }
  return found;
}

Result<ServiceAddress> AllocAddress(const ServiceAddressSource& source, AddressMode mode,
                                    const std::string& label) {
  const std::optional<AllocationNetwork>& network = source.alloc->network;
  if (!network) return NoNetwork(mode, "no allocation network status reported");
  const bool six = mode == AddressMode::kAllocIpv6;
  ServiceAddress found{six ? network->address_ipv6 : network->address, 0};
  if (found.ip.empty()) {
    return NoNetwork(mode, "the allocation's network has no such address");
  }
  if (label.empty()) return found;
  if (const AllocatedPort* const port = FindPort(source, label)) {
    found.port = PortInside(*port);
    return found;
  }
  DROVER_ASSIGN(found.port, PortNumber(label));
  return found;
}

}  // namespace

ServiceAddressSource SourceOf(const Allocation& alloc, const Task* task, const Service& service) {
  ServiceAddressSource source;
  source.alloc = &alloc;
  source.task = task;
  const TaskGroup* const group = alloc.group();
  if (task == nullptr && group != nullptr && !service.task.empty()) {
    source.task = FindTask(*group, service.task);
  }
  return source;
}

Result<ServiceAddress> FindAddress(const ServiceAddressSource& source, const AddressWish& wish) {
  if (!wish.address.empty()) {
    if (wish.mode == AddressMode::kAuto) return OwnAddress(source, wish);
    return Error(Code::kFailedPrecondition,
                 "cannot use address_mode=\"" + std::string(AddressModeName(wish.mode)) +
                     "\" for a service with an address of its own: remove one of them");
  }
  switch (wish.mode) {
    case AddressMode::kDriver:
      return DriverAddress(source, wish.port_label);
    case AddressMode::kAlloc:
    case AddressMode::kAllocIpv6:
      return AllocAddress(source, wish.mode, wish.port_label);
    case AddressMode::kAuto:
      if (source.driver != nullptr && source.driver->auto_advertise) {
        return DriverAddress(source, wish.port_label);
      }
      break;
    case AddressMode::kHost:
      break;
  }
  return HostAddress(source, wish.port_label);
}

Result<ServiceAddress> FindCheckAddress(const ServiceAddressSource& source, const Service& service,
                                        const ServiceCheck& check) {
  AddressWish wish;
  wish.mode = AddressModeOf(service, check);
  if (wish.mode == AddressMode::kAuto) wish.address = service.address;
  wish.port_label = PortLabelOf(service, check);
  DROVER_ASSIGN(ServiceAddress place, FindAddress(source, wish));
  if (place.port == 0) return Error(Code::kInvalidArgument, "it has no port: give it one");
  if (place.ip.empty()) place.ip = source.node_ip;
  return place;
}

}  // namespace drover
