// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/driver/driver.h"
#include "host/spec/allocation.h"
#include "host/spec/blocks/service.h"

namespace drover {

// Where a service or one of its checks is.
struct ServiceAddress {
  std::string ip;  // or a name; empty if it is not known
  int port = 0;    // 0: none

  bool operator==(const ServiceAddress&) const = default;
};

// What decides the address of a service of ALLOC, or of one of its checks.
struct ServiceAddressSource {
  const Allocation* alloc = nullptr;
  // The task of a service of a task, or the task that serves a service of the group. It tells ports
  // of the same label apart that belong to one task alone. Null if there is no such task.
  const Task* task = nullptr;
  const DriverNetwork* driver = nullptr;  // of the task's run; null if its driver has reported none
  std::string node_ip;                    // the address on which tasks of this node have ports
};

// Returns the source of SERVICE, which is a service of TASK, or of ALLOC's group if TASK is null.
// It has neither the network of a driver nor the address of the node. ALLOC and TASK must outlive
// it.
ServiceAddressSource SourceOf(const Allocation& alloc, const Task* task, const Service& service);

// What a job says of the address, with all variables replaced.
struct AddressWish {
  AddressMode mode = AddressMode::kAuto;
  std::string address;     // of its own; only with kAuto
  std::string port_label;  // the label of a port, the number of a port, or empty
};

// Returns the address that WISH describes:
// - kAuto: its own address, if there is one. Otherwise the driver's network, if the driver
//   advertises it, or else the host's address.
// - kHost: the address and the port on the host. Without a label, the address of the only network,
//   or nothing if there is not exactly one. With a number, no address and that port.
// - kDriver: the address and the port inside the driver's network.
// - kAlloc, kAllocIpv6: the address of the allocation's network, and the port inside it.
// The texts of the errors are those that clients of such jobs know. [any thread]
Result<ServiceAddress> FindAddress(const ServiceAddressSource& source, const AddressWish& wish);

// Returns where CHECK of SERVICE connects to. Port and mode are those of the check, or else those
// of the service; all variables in them must be replaced. A check with a mode of its own does not
// use the own address of its service. Where only a port is known, the address is that of the node.
// Returns an error if there is no port. [any thread]
Result<ServiceAddress> FindCheckAddress(const ServiceAddressSource& source, const Service& service,
                                        const ServiceCheck& check);

}  // namespace drover
