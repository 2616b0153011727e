// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// An address of an interface of this machine.
struct InterfaceAddress {
  std::string device;
  std::string ip;
};

// Returns the addresses of this machine. Those of the interface of the default route come first.
using AddressSource = std::function<std::vector<InterfaceAddress>()>;

// Whether TEXT has a template in double braces, such as {{ GetPrivateIP }}.
bool HasAddressTemplate(const std::string& text);

// Replaces the templates in TEXT by addresses of ADDRESSES: {{ GetPrivateIP }}, {{ GetPublicIP }}
// and {{ GetInterfaceIP "eth0" }}. IPv4 addresses come before IPv6 addresses. Any other template is
// an error, and so is a template that no address fits.
Result<std::string> FillAddressTemplate(const std::string& text,
                                        const std::vector<InterfaceAddress>& addresses);

}  // namespace drover
