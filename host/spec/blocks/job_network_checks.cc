// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/job_network_checks.h"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/ip_address.h"
#include "host/spec/blocks/service_place.h"

namespace drover {
namespace {

using job_checks::CheckText;
using job_checks::HasControl;
using job_checks::HasVariable;
using job_checks::IsPlain;

// What a resolver of a C library reads at most, with room for longer ones.
constexpr std::size_t kMostDnsTexts = 32;
constexpr std::size_t kLongestDnsText = 253;
constexpr std::size_t kMostCniArgs = 64;
constexpr std::size_t kLongestCniArg = 4096;
constexpr std::size_t kLongestCniArgs = std::size_t{60} << 10;  // room for those of the agent
constexpr std::size_t kLongestHostname = 64;                    // of Linux

// VALUES are the static ports that the group already has.
void CheckPorts(const std::vector<Port>& ports, bool reserved, UniqueNames* labels,
                std::set<int>* values, const JobPlace& at) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const Port& port = ports[i];
    const JobPlace here = at / i;
    if (CheckText(port.label, here / "Label") && !IsPlain(port.label, "_-")) {
      (here / "Label")
          .Fault(Quoted(port.label) + " may hold only letters, digits, \"_\" and \"-\"");
    }
    labels->Add(port.label, here / "Label");
    if (reserved && (port.value < 1 || port.value > 65535)) {
      (here / "Value").Fault("must be 1 to 65535, but is " + std::to_string(port.value));
    } else if (reserved && !values->insert(port.value).second) {
      (here / "Value").Fault("the port " + std::to_string(port.value) + " is reserved twice");
    } else if (!reserved && port.value != 0) {
      (here / "Value").Fault("a dynamic port has no value; write it under ReservedPorts");
    }
    if (port.to < -1 || port.to > 65535) {
      (here / "To").Fault("must be -1 to 65535, but is " + std::to_string(port.to));
    }
    if (!IsPlain(port.host_network, "_-.")) {
      (here / "HostNetwork")
          .Fault(Quoted(port.host_network) +
                 " may hold only letters, digits, \"_\", \"-\" and \".\"");
    }
  }
}

void CheckMode(const std::string& mode, const JobPlace& at) {
  if (mode == "host" || mode == "none" || mode == "bridge") return;
  if (!mode.starts_with("cni/")) {
    at.Fault(Quoted(mode) + " is not known; write one of host, bridge, cni/NAME, none");
    return;
  }
  const std::string name = mode.substr(4);
  at.Unless(!name.empty() && name.size() <= job_checks::kMaxName && IsPlain(name, "_-."),
            "the name after \"cni/\" must have letters, digits, \"_\", \"-\" and \".\"");
}

// Each of TEXTS becomes a word of a line.
void CheckDnsTexts(const std::vector<std::string>& texts, bool addresses, const JobPlace& at) {
  if (texts.size() > kMostDnsTexts) {
    at.Fault("must hold at most " + std::to_string(kMostDnsTexts) + " texts");
    return;
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string& text = texts[i];
    const bool word = !text.empty() && text.size() <= kLongestDnsText && !HasControl(text) &&
                      text.find_first_of(" \t#;") == std::string::npos;
    if (HasVariable(text) || (word && !addresses)) continue;
    if (addresses && IsIpAddress(text)) continue;
    (at / i).Fault(Quoted(text) + (addresses ? " is not an IP address" : " is not one word"));
  }
}

void CheckDns(const DnsConfig& dns, const JobPlace& at) {
  CheckDnsTexts(dns.servers, true, at / "Servers");
  CheckDnsTexts(dns.searches, false, at / "Searches");
  CheckDnsTexts(dns.options, false, at / "Options");
}

// The plugins get the arguments as one text, "KEY=VALUE;KEY=VALUE", which they split at each sign.
void CheckCniArgs(const StringMap& args, const JobPlace& at) {
  if (args.size() > kMostCniArgs) {
    at.Fault("must hold at most " + std::to_string(kMostCniArgs) + " arguments");
    return;
  }
  std::size_t bytes = 0;
  for (const auto& [key, value] : args) {
    bytes += key.size() + value.size() + 2;
    if (key.empty() || !IsPlain(key, "_-.")) {
      (at / key).Fault("its name may hold only letters, digits, \"_\", \"-\" and \".\"");
    } else if (key == "IgnoreUnknown" || key.starts_with("NOMAD_")) {
      (at / key).Fault("is set by the agent: use another name");
    } else if (value.size() > kLongestCniArg || value.find_first_of(";=") != std::string::npos ||
               HasControl(value)) {
      (at / key).Fault("must be a line of at most " + std::to_string(kLongestCniArg) +
                       " bytes without \";\" and \"=\"");
    }
  }
  if (bytes > kLongestCniArgs) {
    at.Fault("must hold at most " + std::to_string(kLongestCniArgs) + " bytes");
  }
}

void CheckNetwork(const Network& network, std::set<int>* values, const JobPlace& at) {
  CheckMode(network.mode, at / "Mode");
  const bool own = IsPluginNetwork(network.mode);
  if (network.mode == "none") {
    at.Unless(network.reserved_ports.empty() && network.dynamic_ports.empty(),
              "a network of mode \"none\" has no ports");
    (at / "DNS").Unless(network.dns.empty(), "a network of mode \"none\" reaches no server");
  }
  (at / "Hostname")
      .Unless(own || network.hostname.empty(), "is for networks of mode bridge or cni/NAME");
  const JobPlace args = at / "CNI" / "Args";
  args.Unless(own || network.cni_args.empty(), "is for networks of mode bridge or cni/NAME");
  CheckCniArgs(network.cni_args, args);
  (at / "Hostname")
      .Unless((network.hostname.size() <= kLongestHostname || HasVariable(network.hostname)) &&
                  network.hostname.size() <= kLongestDnsText && !HasControl(network.hostname),
              "must be a name of at most 64 bytes");
  CheckDns(network.dns, at / "DNS");
  UniqueNames labels;
  CheckPorts(network.reserved_ports, true, &labels, values, at / "ReservedPorts");
  CheckPorts(network.dynamic_ports, false, &labels, values, at / "DynamicPorts");
}

void CheckList(const std::vector<Network>& networks, std::set<int>* values, const JobPlace& at) {
  if (networks.size() > 1) at.Fault("must hold at most one network");
  for (std::size_t i = 0; i < networks.size(); ++i) CheckNetwork(networks[i], values, at / i);
}

}  // namespace

void CheckNetworks(const TaskGroup& group, const JobPlace& at) {
  std::set<int> values;
  CheckList(group.networks, &values, at / "Networks");
  for (std::size_t i = 0; i < group.tasks.size(); ++i) {
    const std::vector<Network>& networks = group.tasks[i].networks;
    if (networks.empty()) continue;
    const JobPlace here = at / "Tasks" / i / "Resources" / "Networks";
    if (!group.networks.empty()) here.Fault("the group has a network; write the ports there");
    CheckList(networks, &values, here);
    for (std::size_t n = 0; n < networks.size(); ++n) {
      const std::string& mode = networks[n].mode;
      (here / n / "Mode")
          .Unless(mode != "none" && !IsPluginNetwork(mode), "is for the network of a group");
      (here / n / "DNS").Unless(networks[n].dns.empty(), "is for the network of a group");
    }
  }
}

}  // namespace drover
