// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/cni_chain.h"

#include <algorithm>
#include <utility>

#include "host/network/cni_call.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr Duration kLongestPlugin = 30s;
constexpr Duration kShortestPlugin = 1s;  // what the last of slow plugins still gets

// Returns the configuration that PLUGIN gets: its own, with what the network adds to it.
json ConfigFor(const Conflist& network, const CniPlugin& plugin, const CniAttachment& attachment) {
  json config = plugin.config;
  config["name"] = network.name;
  config["cniVersion"] = network.version;
  json runtime = json::object();
  for (const auto& [capability, value] : attachment.runtime.items()) {
    if (plugin.Has(capability.c_str())) runtime[capability] = value;
  }
  if (!runtime.empty()) config["runtimeConfig"] = std::move(runtime);
  return config;
}

// Makes the calls of one chain, which share a limit.
class ChainCalls {
 public:
  ChainCalls(const char* command, const Conflist& network, const CniAttachment& attachment)
      : network_(network), attachment_(attachment), until_(BootClock::now() + attachment.limit) {
    call_.command = command;
    call_.network = network.name;
    call_.container = attachment.container;
    call_.network_namespace = attachment.network_namespace;
    call_.interface_name = attachment.interface_name;
    call_.args = attachment.args;
    call_.path = attachment.path;
    call_.descriptor = attachment.descriptor;
    call_.stop = attachment.stop;
  }

  // PREVIOUS is the result of the plugin before, or null.
  Result<json> Call(const CniPlugin& plugin, const json& previous) {
    call_.plugin = plugin.type;
    call_.config = ConfigFor(network_, plugin, attachment_);
    if (!previous.is_null()) call_.config["prevResult"] = previous;
    const Duration left = until_ - BootClock::now();
    call_.limit = std::clamp(left, kShortestPlugin, kLongestPlugin);
    return CallCniPlugin(call_);
  }

 private:
  const Conflist& network_;
  const CniAttachment& attachment_;
  const TimePoint until_;
  CniCall call_;
};

}  // namespace

Result<json> Attach(const Conflist& network, const CniAttachment& attachment, const CniLook& look) {
  ChainCalls calls("ADD", network, attachment);
  json result;
  std::size_t called = 0;
  for (const CniPlugin& plugin : network.plugins) {
    DROVER_ASSIGN(result, calls.Call(plugin, result));
    if (look) DROVER_TRY(look(result, ++called));
  }
  return result;
}

Status Detach(const Conflist& network, const CniAttachment& attachment, const json& result) {
  ChainCalls calls("DEL", network, attachment);
  // Older versions of the interface do not know the result at this call.
  const json previous = IsCniVersion(network.version, "0.4.0") ? result : json();
  Status first;
  for (auto plugin = network.plugins.rbegin(); plugin != network.plugins.rend(); ++plugin) {
    const Result<json> done = calls.Call(*plugin, previous);
    if (!done.ok() && first.ok()) first = done.error();
  }
  return first;
}

}  // namespace drover
