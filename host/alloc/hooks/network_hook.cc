// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hooks/network_hook.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "host/base/ip_address.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr std::size_t kLongestHostname = 64;  // of Linux

const Network& NetworkOf(const Allocation& alloc) { return alloc.group()->networks[0]; }

bool IsHostname(const std::string& text) {
  return !text.empty() && text.size() <= kLongestHostname && text[0] != '-' &&
         std::ranges::all_of(text, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
         });
}

bool IsWord(const std::string& text) {
  return !text.empty() && text.find_first_of(" \t\r\n#;") == std::string::npos;
}

// The texts of WISH that may hold variables.
std::vector<std::string*> TextsOf(NetworkWish* wish) {
  std::vector<std::string*> texts = {&wish->hostname};
  for (auto* list : {&wish->dns.servers, &wish->dns.searches, &wish->dns.options}) {
    for (std::string& text : *list) texts.push_back(&text);
  }
  for (auto& [key, value] : wish->args) texts.push_back(&value);
  return texts;
}

// Checks the texts after their variables are replaced. NETWORK is that of the job.
Status CheckWish(const NetworkWish& wish, const Network& network) {
  const auto bad = [](const char* what, const std::string& text) {
    return Error(Code::kInvalidArgument, std::string("the network's ") + what + " " + Quoted(text) +
                                             " is not one after its variables are replaced");
  };
  // An empty one would leave the tasks without the file that they get a mount of.
  if (!network.hostname.empty() && !IsHostname(wish.hostname)) {
    return bad("hostname", wish.hostname);
  }
  for (const std::string& server : wish.dns.servers) {
    if (!IsIpAddress(server)) return bad("name server", server);
  }
  for (const auto* list : {&wish.dns.searches, &wish.dns.options}) {
    for (const std::string& word : *list) {
      if (!IsWord(word)) return bad("search domain or resolver option", word);
    }
  }
  for (const auto& [key, value] : wish.args) {
    if (value.find_first_of(";=\n") != std::string::npos) return bad("CNI argument", value);
  }
  return {};
}

}  // namespace

bool NetworkHook::IsFor(const TaskGroup& group) {
  if (group.networks.empty()) return false;
  const Network& network = group.networks[0];
  return IsPluginNetwork(network.mode) || !network.dns.empty();
}

Duration NetworkHook::deadline(AllocHookStage stage, const AllocHookRequest& request) const {
  switch (stage) {
    case AllocHookStage::kPrerun:
    case AllocHookStage::kPostrun:
    case AllocHookStage::kDestroy:
      return 10min;  // the plugins have limits of their own, which are shorter in sum
    default:
      return AllocHook::deadline(stage, request);
  }
}

Result<NetworkWish> NetworkHook::WishOf(const Allocation& alloc) const {
  const Network& network = NetworkOf(alloc);
  NetworkWish wish;
  wish.alloc_id = alloc.id;
  wish.mode = network.mode;
  wish.hostname = network.hostname;
  wish.dns = network.dns;
  wish.args = network.cni_args;
  if (options_.interpolate) {
    const std::vector<std::string*> places = TextsOf(&wish);
    std::vector<std::string> texts;
    for (const std::string* text : places) texts.push_back(*text);
    DROVER_ASSIGN(texts, options_.interpolate(alloc, std::move(texts)));
    for (std::size_t i = 0; i < places.size(); ++i) *places[i] = texts[i];
  }
  DROVER_TRY(CheckWish(wish, network));
  // As with Nomad, plugins can tell allocations apart.
  wish.args["NOMAD_ALLOC_ID"] = alloc.id;
  wish.args["NOMAD_GROUP_NAME"] = alloc.group_name;
  wish.args["NOMAD_JOB_ID"] = alloc.job->id;
  wish.args["NOMAD_NAMESPACE"] = alloc.job->job_namespace;
  wish.args["NOMAD_REGION"] = alloc.job->region;
  for (const AllocatedPort& port : alloc.ports) {
    if (port.task.empty()) wish.ports.push_back(port);
  }
  return wish;
}

void NetworkHook::Use(const MadeNetwork& made) {
  env_.resources->SetNetworkNamespace(made.network_namespace);
  env_.control->SetNetwork(made.status);
}

Co<Status> NetworkHook::Prerun(Context context, AllocHookRequest request) {
  DROVER_CO_TRY(options_.ready);
  DROVER_CO_ASSIGN(NetworkWish wish, WishOf(*request.alloc));
  if (!IsPluginNetwork(wish.mode)) {
    std::function<Status()> make = [networks = options_.networks, gone = gone_,
                                    wish = std::move(wish)]() -> Status {
      if (*gone) return Error(Code::kCancelled, "the allocation has ended");
      return networks->MakeFiles(wish);
    };
    co_return co_await options_.pool->Run(std::move(make));
  }
  if (geteuid() != 0) {
    co_return Error(Code::kPermissionDenied,
                    "the network mode " + Quoted(wish.mode) +
                        " needs an agent that is root: start it as root, or use \"host\"");
  }
  std::function<Result<MadeNetwork>()> make = [networks = options_.networks, gone = gone_,
                                               wish = std::move(wish)] {
    return networks->Make(wish, gone.get());
  };
  Result<MadeNetwork> made = co_await options_.pool->Run(std::move(make));
  DROVER_CO_TRY(context.status());
  if (!made.ok()) co_return made.error();
  Use(*made);
  co_return Status();
}

void NetworkHook::Restore(const AllocHookRequest& request) {
  if (!IsPluginNetwork(NetworkOf(*request.alloc).mode)) return;
  const std::string& id = request.alloc->id;
  if (const std::optional<MadeNetwork> known = options_.networks->Known(id)) return Use(*known);
  // The network was never completed, or its note cannot be read. Tasks that must still run fail to
  // start then. That is better than a start in the host's network.
  env_.resources->SetNetworkNamespace(options_.networks->NamespaceFile(id));
}

Co<Status> NetworkHook::Postrun(Context, AllocHookRequest request) {
  *gone_ = true;
  std::function<Status()> drop = [networks = options_.networks, id = request.alloc->id] {
    return networks->Drop(id);
  };
  co_return co_await options_.pool->Run(std::move(drop));
}

}  // namespace drover
