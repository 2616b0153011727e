// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/request/route_access.h"

#include <algorithm>
#include <iterator>

namespace drover {
namespace {

using enum Capability;
using enum Where;

using Rights = RightSet<Capability>;

constexpr Rights kReading = {kReadJob};
constexpr Rights kListing = {kListJobs};
constexpr Rights kSubmitting = {kSubmitJob};
constexpr Rights kLifecycle = {kAllocLifecycle};
constexpr Rights kFiles = {kReadFs};
constexpr Rights kReadingVolumes = {kHostVolumeRead, kHostVolumeWrite};
constexpr Rights kLogs = {kReadLogs, kReadFs};

// Each function makes an entry.
constexpr RouteAccess Of(std::string_view methods, std::string_view pattern, Need need) {
  RouteAccess access;
  access.methods = methods;
  access.pattern = pattern;
  access.need = need;
  return access;
}
constexpr RouteAccess In(std::string_view methods, std::string_view pattern, Where where,
                         Rights any_of) {
  RouteAccess access = Of(methods, pattern, Need::kCapability);
  access.any_of = any_of;
  access.where = where;
  return access;
}
constexpr RouteAccess InSocket(std::string_view methods, std::string_view pattern, Where where,
                               Rights any_of) {
  RouteAccess access = In(methods, pattern, where, any_of);
  access.after_websocket = true;
  return access;
}
constexpr RouteAccess At(std::string_view methods, std::string_view pattern, AclArea area,
                         AclLevel level) {
  RouteAccess access = Of(methods, pattern, Need::kLevel);
  access.area = area;
  access.level = level;
  return access;
}
constexpr RouteAccess Services(std::string_view methods, std::string_view pattern) {
  RouteAccess access = Of(methods, pattern, Need::kServices);
  access.where = kQuery;
  return access;
}

constexpr AclArea kAgentArea = AclArea::kAgent;
constexpr AclArea kNodeArea = AclArea::kNode;
constexpr AclArea kOperatorArea = AclArea::kOperator;
constexpr AclLevel kToRead = AclLevel::kRead;
constexpr AclLevel kToWrite = AclLevel::kWrite;

constexpr RouteAccess kRouteAccesses[] = {
    // Jobs. A job in a body has its own namespace, so the handler asks again.
    In("GET", "/v1/jobs", kQuery, kListing),
    In("PUT POST", "/v1/jobs", kBody, kSubmitting),
    In("PUT POST", "/v1/jobs/parse", kQuery, {kParseJob, kSubmitJob}),
    In("GET POST", "/v1/jobs/statuses", kQuery, kListing),
    In("PUT POST", "/v1/validate/job", kBody, kReading),
    In("PUT POST", "/v1/job/**/plan", kBody, kSubmitting),
    In("PUT POST", "/v1/job/**/evaluate", kQuery, kReading),
    In("GET", "/v1/job/**/summary", kQuery, kReading),
    In("GET", "/v1/job/**/actions", kQuery, kReading),
    In("GET", "/v1/job/**/allocations", kQuery, kReading),
    In("GET", "/v1/job/**/evaluations", kQuery, kReading),
    In("GET", "/v1/job/**/deployments", kQuery, kReading),
    In("GET", "/v1/job/**/deployment", kQuery, kReading),
    In("GET", "/v1/job/**", kQuery, kReading),
    In("PUT POST", "/v1/job/**", kBody, kSubmitting),
    In("DELETE", "/v1/job/**", kQuery, kSubmitting),
    In("GET", "/v1/job/**/versions", kQuery, kReading),
    In("GET", "/v1/job/**/submission", kQuery, kReading),
    In("PUT POST", "/v1/job/**/stable", kQuery, kSubmitting),
    In("PUT POST", "/v1/job/**/versions/*/tag", kQuery, kSubmitting),
    In("DELETE", "/v1/job/**/versions/*/tag", kQuery, kSubmitting),
    Of("PUT POST DELETE", "/v1/job/**/tag", Need::kClient),
    In("PUT POST", "/v1/job/**/revert", kQuery, kSubmitting),
    In("PUT POST", "/v1/job/**/scale", kQuery, {kScaleJob, kSubmitJob}),
    In("GET", "/v1/job/**/scale", kQuery, {kReadJobScaling, kReadJob}),
    In("PUT POST", "/v1/job/**/restart", kQuery, kLifecycle),
    In("GET", "/v1/job/**/restart", kQuery, kReading),
    In("PUT POST", "/v1/job/**/restart/cancel", kQuery, kLifecycle),
    In("PUT POST", "/v1/job/**/dispatch", kQuery, {kDispatchJob}),
    In("PUT POST", "/v1/job/**/periodic/force", kQuery, {kDispatchJob, kSubmitJob}),
    Services("GET", "/v1/job/**/services"),
    In("GET", "/v1/job/**/dispatch/payload", kQuery, kReading),
    InSocket("GET", "/v1/job/**/action", kQuery, {kAllocExec}),

    // Allocations.
    In("GET", "/v1/allocations", kQuery, kReading),
    In("PUT POST", "/v1/allocation/*/stop", kAlloc, kLifecycle),
    In("GET", "/v1/allocation/*/services", kAlloc, kReading),
    In("GET", "/v1/allocation/*", kAlloc, kReading),
    Of("", "/v1/allocation/**", Need::kClient),
    Of("", "/v1/client/allocation/**", Need::kClient),
    In("", "/v1/client/allocation/*/restart", kAlloc, kLifecycle),
    In("PUT POST", "/v1/client/allocation/*/signal", kAlloc, kLifecycle),
    In("PUT POST", "/v1/client/allocation/*/pause", kAlloc, kLifecycle),
    In("GET", "/v1/client/allocation/*/pause", kAlloc, kReading),
    In("GET", "/v1/client/allocation/*/stats", kAlloc, kReading),
    In("GET", "/v1/client/allocation/*/checks", kAlloc, kReading),
    In("GET", "/v1/client/allocation/*/snapshot", kAlloc, kFiles),
    In("GET PUT POST", "/v1/client/allocation/*/gc", kAlloc, kSubmitting),
    // If the driver does not isolate files, alloc-node-exec is needed beside alloc-exec.
    InSocket("GET", "/v1/client/allocation/*/exec", kAlloc, {kAllocExec}),
    In("GET", "/v1/client/fs/ls/*", kAlloc, kFiles),
    In("GET", "/v1/client/fs/stat/*", kAlloc, kFiles),
    In("GET", "/v1/client/fs/readat/*", kAlloc, kFiles),
    In("GET", "/v1/client/fs/cat/*", kAlloc, kFiles),
    In("GET", "/v1/client/fs/stream/*", kAlloc, kFiles),
    In("GET", "/v1/client/fs/logs/*", kAlloc, kLogs),
    Of("GET", "/v1/client/fs/**", Need::kClient),

    // Evaluations, deployments and services.
    In("GET", "/v1/evaluations", kQuery, kReading),
    Of("DELETE", "/v1/evaluations", Need::kManagement),
    In("GET", "/v1/evaluations/count", kQuery, kReading),
    In("GET", "/v1/evaluation/*/allocations", kEval, kReading),
    In("GET", "/v1/evaluation/*", kEval, kReading),
    In("GET", "/v1/deployments", kQuery, kReading),
    In("GET", "/v1/deployment/allocations/*", kDeployment, kReading),
    In("PUT POST", "/v1/deployment/fail/*", kDeployment, kSubmitting),
    In("PUT POST", "/v1/deployment/pause/*", kDeployment, kSubmitting),
    In("PUT POST", "/v1/deployment/promote/*", kDeployment, kSubmitting),
    In("PUT POST", "/v1/deployment/unblock/*", kDeployment, kSubmitting),
    In("PUT POST", "/v1/deployment/allocation-health/*", kDeployment, kSubmitting),
    In("GET", "/v1/deployment/*", kDeployment, kReading),
    Services("GET", "/v1/services"),
    Services("GET", "/v1/service/*"),
    Services("GET", "/v1/agent/prometheus-sd"),
    In("DELETE", "/v1/service/*", kQuery, kSubmitting),
    In("DELETE", "/v1/service/*/*", kQuery, kSubmitting),
    In("DELETE", "/v1/service/*/**", kQuery, kSubmitting),
    Of("GET DELETE", "/v1/service/", Need::kClient),

    // The node, the agent and its plugins.
    At("GET", "/v1/nodes", kNodeArea, kToRead),
    At("GET", "/v1/node/*/allocations", kNodeArea, kToRead),  // and read-job for each of them
    At("PUT POST", "/v1/node/*/eligibility", kNodeArea, kToWrite),
    At("PUT POST", "/v1/node/*/drain", kNodeArea, kToWrite),
    At("PUT POST", "/v1/node/*/evaluate", kNodeArea, kToWrite),
    At("PUT POST", "/v1/node/*/purge", kNodeArea, kToWrite),
    At("GET", "/v1/node/*", kNodeArea, kToRead),
    At("GET", "/v1/client/stats", kNodeArea, kToRead),
    At("GET", "/v1/client/metadata", kNodeArea, kToRead),
    At("PUT POST", "/v1/client/metadata", kNodeArea, kToWrite),
    At("GET PUT POST", "/v1/client/gc", kNodeArea, kToWrite),
    At("GET", "/v1/agent/self", kAgentArea, kToRead),
    At("GET", "/v1/agent/members", kNodeArea, kToRead),
    At("GET", "/v1/agent/servers", kAgentArea, kToRead),
    Of("GET", "/v1/agent/health", Need::kNothing),
    Of("GET", "/v1/status/leader", Need::kNothing),
    Of("GET", "/v1/status/peers", Need::kNothing),
    Of("GET", "/v1/regions", Need::kNothing),
    At("GET", "/v1/agent/monitor", kAgentArea, kToRead),
    At("GET", "/v1/metrics", kAgentArea, kToRead),
    At("GET", "/v1/agent/plugins", kAgentArea, kToRead),
    At("GET", "/v1/agent/plugins/*", kAgentArea, kToRead),
    At("GET", "/v1/agent/plugins/*/last_crash", kAgentArea, kToRead),
    At("PUT POST", "/v1/agent/plugins/*/reload", kAgentArea, kToWrite),
    At("GET", "/v1/operator/scheduler/configuration", kOperatorArea, kToRead),
    At("PUT POST", "/v1/operator/scheduler/configuration", kOperatorArea, kToWrite),
    Of("PUT POST", "/v1/system/gc", Need::kManagement),
    Of("PUT POST", "/v1/system/reconcile/summaries", Need::kManagement),

    // A list of namespaces has those in which the client may do anything.
    Of("GET", "/v1/namespaces", Need::kEachPart),
    Of("GET", "/v1/namespace/*", Need::kNamespace),
    Of("PUT POST", "/v1/search", Need::kEachPart),
    Of("PUT POST", "/v1/search/fuzzy", Need::kEachPart),
    Of("GET", "/v1/event/stream", Need::kEachPart),

    // A right to a variable depends on its path.
    Of("GET", "/v1/vars", Need::kEachPart),
    Of("GET", "/v1/var/**", Need::kEachPart),
    Of("PUT POST", "/v1/var/**", Need::kEachPart),
    Of("DELETE", "/v1/var/**", Need::kEachPart),

    // Host volumes. A volume in a body or a path has its own namespace, so the handler asks again.
    In("GET", "/v1/volumes", kQuery, {kHostVolumeRead, kHostVolumeWrite, kCsiListVolume}),
    In("GET", "/v1/volumes/claims", kQuery, kReadingVolumes),
    Of("DELETE", "/v1/volumes/claim/*", Need::kEachPart),
    Of("GET", "/v1/volume/host/*", Need::kEachPart),
    In("PUT POST", "/v1/volume/host/create", kBody, {kHostVolumeCreate, kHostVolumeWrite}),
    In("PUT POST", "/v1/volume/host/register", kBody, {kHostVolumeRegister, kHostVolumeWrite}),
    Of("DELETE", "/v1/volume/host/*/delete", Need::kEachPart),

    // Scaling policies. Each is in the namespace of its job, and two rights lead to it.
    Of("GET", "/v1/scaling/policies", Need::kEachPart),
    Of("GET", "/v1/scaling/policy/*", Need::kEachPart),

    // The keys that sign the tokens of tasks. Everybody may check a token.
    Of("GET", "/v1/operator/keyring/keys", Need::kManagement),
    Of("PUT POST", "/v1/operator/keyring/rotate", Need::kManagement),
    Of("GET", "/.well-known/jwks.json", Need::kNothing),
    Of("GET", "/.well-known/openid-configuration", Need::kNothing),

    // Access itself. A client sees its own policies, roles and token, and management all of them.
    // The first token is made without one.
    Of("PUT POST", "/v1/acl/bootstrap", Need::kClient),
    Of("GET", "/v1/acl/policies", Need::kEachPart),
    Of("GET", "/v1/acl/policy/self", Need::kClient),
    Of("GET", "/v1/acl/policy/*", Need::kEachPart),
    Of("PUT POST", "/v1/acl/policy/*", Need::kManagement),
    Of("DELETE", "/v1/acl/policy/*", Need::kManagement),
    Of("GET", "/v1/acl/tokens", Need::kManagement),
    Of("PUT POST", "/v1/acl/token", Need::kManagement),
    Of("GET", "/v1/acl/token/self", Need::kClient),
    Of("GET", "/v1/acl/token/*", Need::kEachPart),
    Of("PUT POST", "/v1/acl/token/*", Need::kManagement),
    Of("DELETE", "/v1/acl/token/*", Need::kManagement),
    Of("GET", "/v1/acl/roles", Need::kEachPart),
    Of("PUT POST", "/v1/acl/role", Need::kManagement),
    Of("GET", "/v1/acl/role/name/*", Need::kEachPart),
    Of("GET", "/v1/acl/role/*", Need::kEachPart),
    Of("PUT POST", "/v1/acl/role/*", Need::kManagement),
    Of("DELETE", "/v1/acl/role/*", Need::kManagement),

    // What this version does not have. The answer is a sentence that says so.
    Of("", "/v1/namespace", Need::kClient),
    Of("PUT POST DELETE", "/v1/namespace/*", Need::kClient),
    Of("", "/v1/client/identity", Need::kClient),
    Of("", "/v1/client/identity/renew", Need::kClient),
    Of("PUT POST", "/v1/agent/servers", Need::kClient),
    Of("", "/v1/agent/pprof/*", Need::kClient),
    Of("", "/v1/agent/join", Need::kClient),
    Of("", "/v1/agent/force-leave", Need::kClient),
    Of("", "/v1/agent/keyring/*", Need::kClient),
    Of("", "/v1/agent/host", Need::kClient),
    Of("", "/v1/agent/schedulers", Need::kClient),
    Of("", "/v1/agent/schedulers/config", Need::kClient),
    Of("", "/v1/agent/reload", Need::kClient),
    Of("", "/v1/agent/monitor/export", Need::kClient),
    Of("", "/v1/operator/keyring/key/*", Need::kClient),
    Of("", "/v1/operator/**", Need::kClient),
    Of("", "/v1/acl/**", Need::kClient),
    Of("", "/v1/volumes", Need::kClient),
    Of("", "/v1/volumes/**", Need::kClient),
    Of("", "/v1/volume/**", Need::kClient),
    Of("", "/v1/plugins", Need::kClient),
    Of("", "/v1/plugin/**", Need::kClient),
    Of("", "/v1/node/pools", Need::kClient),
    Of("", "/v1/node/pool/**", Need::kClient),
    Of("", "/v1/quotas", Need::kClient),
    Of("", "/v1/quota/**", Need::kClient),
    Of("", "/v1/sentinel/**", Need::kClient),
    Of("", "/v1/recommendations", Need::kClient),
    Of("", "/v1/recommendation/**", Need::kClient),
};

}  // namespace

std::span<const RouteAccess> RouteAccesses() { return kRouteAccesses; }

const RouteAccess* FindRouteAccess(std::string_view methods, std::string_view pattern) {
  const auto found = std::ranges::find_if(kRouteAccesses, [&](const RouteAccess& one) {
    return one.methods == methods && one.pattern == pattern;
  });
  return found == std::end(kRouteAccesses) ? nullptr : &*found;
}

bool Permits(const Acl& acl, const RouteAccess& access, std::string_view name_space,
             std::string_view alloc_id) {
  switch (access.need) {
    case Need::kNothing:
    case Need::kClient:
    case Need::kEachPart:
      return true;
    case Need::kCapability:
      if (acl.Allows(name_space, access.any_of)) return true;
      return access.where == kAlloc && access.any_of == kReading &&
             acl.AllowsReadOfAlloc(name_space, alloc_id);
    case Need::kNamespace:
      return acl.AllowsNamespace(name_space);
    case Need::kLevel:
      return acl.Allows(access.area, access.level);
    case Need::kServices:
      return acl.AllowsServices(name_space);
    case Need::kManagement:
      return acl.is_management();
  }
  return false;
}

}  // namespace drover
