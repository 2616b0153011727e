// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/router.h"

namespace drover {
namespace {

struct Unsupported {
  std::string_view pattern;
  const char* why;
  std::string_view methods = "";  // empty for all methods
};

constexpr char kLater[] = "is not supported by this version of Drover";
constexpr char kOneNode[] = "has no meaning on a single node";

// Clients receive a sentence such as these, and not the 404 of an unknown path.
constexpr char kFixed[] = "cannot be changed in this version of Drover";
constexpr char kOnlyToken[] = "is not supported: a token of the agent is all that clients need";
constexpr char kNamespaces[] =
    "is not supported: a namespace exists as soon as a job or a variable names it";

constexpr Unsupported kUnsupported[] = {
    {"/v1/namespace", kNamespaces},
    {"/v1/namespace/*", kNamespaces, "PUT POST DELETE"},
    {"/v1/client/identity", kOnlyToken},
    {"/v1/client/identity/renew", kOnlyToken},
    {"/v1/agent/servers", kOneNode, "PUT POST"},
    {"/v1/agent/pprof/*", kLater},
    {"/v1/agent/join", kOneNode},
    {"/v1/agent/force-leave", kOneNode},
    {"/v1/agent/keyring/*", kOneNode},
    {"/v1/agent/host", kLater},
    {"/v1/agent/schedulers", kFixed},
    {"/v1/agent/schedulers/config", kFixed},
    {"/v1/agent/reload", "is not supported: send SIGHUP to the agent"},
    {"/v1/agent/monitor/export", kLater},
    {"/v1/operator/keyring/key/*", "is not supported: a key goes when no token needs it any more"},
    {"/v1/operator/**", kOneNode},
    {"/v1/acl/**", kLater},
    {"/v1/volumes", kLater},
    {"/v1/volumes/**", kLater},
    {"/v1/volume/**", kLater},
    {"/v1/plugins", kLater},
    {"/v1/plugin/**", kLater},
    {"/v1/node/pools", kOneNode},
    {"/v1/node/pool/**", kOneNode},
    {"/v1/quotas", kOneNode},
    {"/v1/quota/**", kOneNode},
    {"/v1/sentinel/**", kOneNode},
    {"/v1/recommendations", kOneNode},
    {"/v1/recommendation/**", kOneNode},
};

Co<Answer> RefuseUnsupported(ApiRequest* request, std::string why) {
  co_return ErrorAnswer(501, request->http().path + " " + why);
}

}  // namespace

std::vector<Route> UnsupportedRoutes() {
  std::vector<Route> routes;
  for (const Unsupported& route : kUnsupported) {
    routes.push_back({route.methods, route.pattern, [why = route.why](ApiRequest* request) {
                        return RefuseUnsupported(request, why);
                      }});
  }
  return routes;
}

}  // namespace drover
