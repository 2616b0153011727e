// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Asks every route with every kind of token, and compares what the router decides with the table.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/api/acl_api_fixture.h"

namespace drover {
namespace {

using nlohmann::json;

// A client, and what this test says about it, in words of its own.
struct Client {
  std::string name;
  std::string token;
  bool refused = false;  // whether its token is refused wherever one is looked at
  bool management = false;
  std::optional<Capability> capability = {};  // in the namespace default
  std::optional<std::pair<AclArea, AclLevel>> level = {};
  std::string own_alloc = {};  // of a task
};

class EveryRouteTest : public AclApiFixture {
 protected:
  EveryRouteTest() {
    RegisterNode();
    const std::string management = MakeManagement().secret;
    for (const char* id : {"web", "other"}) {
      EXPECT_EQ(StatusAs(management, "PUT", "/v1/jobs", JobBody(id)), 200);
    }
    store.Write(cause::kEvaluation, [](Tables* tables, std::uint64_t index) {
      Deployment deployment;
      deployment.id = "a-deployment";
      deployment.job_namespace = "default";
      deployment.job_id = "web";
      deployment.create_index = deployment.modify_index = index;
      tables->Put(std::make_shared<const Deployment>(std::move(deployment)));
      return MaskOf(Table::kDeployments);
    });
    store.Read([this](const Tables& tables) {
      for (const auto& [id, record] : tables.allocs) {
        (record->alloc->job->id == "web" ? alloc_ : other_alloc_) = id;
      }
      eval_ = tables.evals.begin()->first;
    });
    MakeClients(management);
  }

  static Co<Result<std::shared_ptr<const VolumeRecord>>> KeepVolume(VolumeRecord draft) {
    co_return std::make_shared<const VolumeRecord>(std::move(draft));
  }
  static Co<Status> DropVolume() { co_return Status(); }
  // Returns what makes a volume, or registers the one at PATH.
  static json VolumeBody(const std::string& path = "") {
    json volume = {{"Name", "data"}};
    volume["RequestedCapabilities"] =
        json::array({{{"AccessMode", "single-node-writer"}, {"AttachmentMode", "file-system"}}});
    if (!path.empty()) volume["HostPath"] = path;
    json body = json::object();
    body["Volume"] = std::move(volume);
    return body;
  }

  // Makes a volume in the namespace default, with a claim.
  VolumeRecord MakeVolume() {
    agent_.put_volume = [](Context, VolumeRecord draft, VolumeRequestKind) {
      return KeepVolume(std::move(draft));
    };
    agent_.delete_volume = [](Context, const std::string&) { return DropVolume(); };
    auto volume = std::make_shared<VolumeRecord>();
    volume->id = RandomUuid();
    volume->claims.resize(1);
    volume->claims[0].id = RandomUuid();
    volume->claims[0].job_namespace = "default";
    store.Write(cause::kVolumePut, [&](Tables* tables, std::uint64_t) {
      tables->Put(std::shared_ptr<const VolumeRecord>(volume));
      return MaskOf(Table::kVolumes);
    });
    return *volume;
  }

  // Registers a job that may be scaled, and returns the id of its policy.
  std::string MakeScalingPolicy(const std::string& management) {
    json body = JobBody("scaled");
    body["Job"]["TaskGroups"][0]["Scaling"] = {{"Max", 3}};
    EXPECT_EQ(StatusAs(management, "PUT", "/v1/jobs", body), 200);
    std::string policy;
    store.Read([&](const Tables& tables) { policy = tables.scaling_policies.begin()->first; });
    return policy;
  }

  void MakeClients(const std::string& management) {
    clients_.push_back({.name = "none", .token = ""});
    clients_.push_back({.name = "wrong", .token = "guess", .refused = true});
    clients_.push_back({.name = "without policy", .token = MakeToken({}).secret});
    clients_.push_back({.name = "management", .token = management, .management = true});
    clients_.push_back(
        {.name = "expired", .token = MakeToken({"p"}, 1min).secret, .refused = true});
    loop.Advance(1min);
    MakePolicy("of-a-role", CapabilityRules("read-job"));
    clients_.push_back({.name = "by a role",
                        .token = MakeRole("readers", {"of-a-role"}).secret,
                        .capability = Capability::kReadJob});
    clients_.push_back({.name = "removed", .token = MakeRemovedToken(), .refused = true});
    for (const RightName<Capability>& one : RightNames<Capability>()) {
      Client client{.name = one.name, .token = TokenWith(CapabilityRules(one.name))};
      if (one.right != Capability::kDeny) client.capability = one.right;
      clients_.push_back(client);
    }
    for (int i = 0; i < kAclAreas; ++i) {
      const auto area = static_cast<AclArea>(i);
      for (const char* word : {"deny", "list", "read", "write"}) {
        const std::optional<AclLevel> level = LevelWord(area, word);
        if (!level) continue;
        const std::string rules =
            std::string("{\"") + NameOf(area) + R"(": {"policy": ")" + word + "\"}}";
        Client client{.name = NameOf(area) + std::string(" ") + word, .token = TokenWith(rules)};
        if (*level != AclLevel::kDeny) client.level = {area, *level};
        clients_.push_back(client);
      }
    }
    tasks_["task.own.x"] = {"default", "web", "g", "t", alloc_};
    tasks_["task.other.x"] = {"default", "other", "g", "t", other_alloc_};
    tasks_["task.ended.x"] = {"default", "web", "g", "t", "gone"};
    ended_.insert("gone");
    clients_.push_back({.name = "task", .token = "task.own.x", .own_alloc = alloc_});
    clients_.push_back({.name = "other task", .token = "task.other.x", .own_alloc = other_alloc_});
    clients_.push_back({.name = "ended task", .token = "task.ended.x", .refused = true});
    clients_.push_back({.name = "forged task", .token = "task.forged.x", .refused = true});
  }

  // Makes a role with POLICIES, and returns a token that has it.
  TokenWrite MakeRole(const std::string& name, const std::vector<std::string>& policies) {
    RoleRequest role;
    role.name = name;
    role.policies = policies;
    EXPECT_TRUE(state_
                    .Write([&](const AclTables& tables, std::uint64_t index) -> Result<AclWrite> {
                      DROVER_ASSIGN(const RoleWrite made,
                                    PutRole(tables, role, AclLimits(), {loop.Wall(), index}));
                      return made.write;
                    })
                    .ok());
    TokenRequest request;
    request.type = "client";
    request.roles = {{"", name}};
    TokenWrite token;
    EXPECT_TRUE(state_
                    .Write([&](const AclTables& tables, std::uint64_t index) -> Result<AclWrite> {
                      DROVER_ASSIGN(token,
                                    PutToken(tables, request, AclLimits(), {loop.Wall(), index}));
                      return token.write;
                    })
                    .ok());
    return token;
  }
  std::string MakeRemovedToken() {
    const TokenWrite token = MakeManagement();
    EXPECT_TRUE(state_
                    .Write([&](const AclTables& tables, std::uint64_t) {
                      return DeleteTokens(tables, {token.token->accessor_id});
                    })
                    .ok());
    return token.secret;
  }

  // What this test expects of a client that is not refused.
  bool MayUseIt(const Client& client, const RouteAccess& access) const {
    if (client.management) return true;
    switch (access.need) {
      case Need::kNothing:
      case Need::kClient:
      case Need::kEachPart:
        return true;
      case Need::kManagement:
        return false;
      case Need::kLevel:
        return client.level && client.level->first == access.area &&
               client.level->second >= access.level;
      case Need::kNamespace:
        return client.capability.has_value() || !client.own_alloc.empty();
      case Need::kServices:
        return client.capability == Capability::kReadJob || !client.own_alloc.empty();
      case Need::kCapability:
        if (client.capability && access.any_of.Has(*client.capability)) return true;
        return access.where == Where::kAlloc && client.own_alloc == alloc_ &&
               access.any_of == RightSet<Capability>{Capability::kReadJob};
    }
    return false;
  }

  std::vector<std::string> StarsOf(const Route& route, const RouteAccess& access) const {
    std::vector<std::string> stars;
    for (std::size_t at = 0; (at = route.pattern.find('*', at)) != std::string_view::npos; ++at) {
      if (route.pattern.substr(at).starts_with("**")) ++at;
      stars.emplace_back("default");
    }
    if (access.where == Where::kAlloc) stars.at(0) = alloc_;
    if (access.where == Where::kEval) stars.at(0) = eval_;
    if (access.where == Where::kDeployment) stars.at(0) = "a-deployment";
    return stars;
  }

  std::string Decision(const Client& client, Entrance entrance, const Route& route,
                       const RouteAccess& access) {
    HttpRequest http;
    http.client = "allocation " + client.name;
    http.remote = "127.0.0.1:1";
    if (!client.token.empty()) http.headers.emplace_back("X-Nomad-Token", client.token);
    const Admission admission =
        Admit(agent_, entrance, http, &access, StarsOf(route, access), &loop);
    return admission.refusal ? std::to_string(admission.refusal->reply.status) : "yes";
  }

  // Returns a path that matches the pattern of ROUTE and no pattern before it.
  std::string PathOf(const Route& route, const RouteAccess& access) const {
    const std::vector<std::string> stars = StarsOf(route, access);
    std::string path;
    std::size_t star = 0;
    for (std::size_t i = 0; i < route.pattern.size(); ++i) {
      if (route.pattern[i] != '*') {
        path += route.pattern[i];
        continue;
      }
      path += stars.at(star++);
      if (!route.pattern.substr(i).starts_with("**")) continue;
      path += "/x";
      ++i;
    }
    return path;
  }
  static std::string MethodOf(const Route& route) {
    const std::string methods(route.methods.empty() ? "PUT" : route.methods);
    return methods.substr(0, methods.find(' '));
  }
  static std::string NameOfRoute(const Route& route) {
    return std::string(route.methods) + " " + std::string(route.pattern);
  }

  std::vector<Client> clients_;
  std::string alloc_, other_alloc_, eval_;
};

TEST_F(EveryRouteTest, OnTheAddressOfTheAgent) {
  for (const Route& route : AllRoutes()) {
    const RouteAccess* const access = FindRouteAccess(route.methods, route.pattern);
    ASSERT_NE(access, nullptr) << route.pattern;
    const bool is_open = access->need == Need::kNothing || access->after_websocket;
    for (const Client& client : clients_) {
      const bool may = is_open || (!client.refused && MayUseIt(client, *access));
      EXPECT_EQ(Decision(client, Entrance::kAgent, route, *access), may ? "yes" : "403")
          << client.name << " asks " << route.methods << " " << route.pattern;
    }
  }
}

TEST_F(EveryRouteTest, OnTheSocketOfATask) {
  for (const Route& route : AllRoutes()) {
    const RouteAccess* const access = FindRouteAccess(route.methods, route.pattern);
    ASSERT_NE(access, nullptr) << route.pattern;
    for (const Client& client : clients_) {
      std::string expected = MayUseIt(client, *access) ? "yes" : "403";
      if (client.refused) expected = "403";
      if (client.token.empty()) expected = "401";
      EXPECT_EQ(Decision(client, Entrance::kTask, route, *access), expected)
          << client.name << " asks " << route.methods << " " << route.pattern;
    }
  }
}

TEST_F(EveryRouteTest, AnAnonymousPolicyOpensWhatItSays) {
  MakePolicy("anonymous", CapabilityRules("read-job"));
  Client client{.name = "none", .token = "", .capability = Capability::kReadJob};
  for (const Route& route : AllRoutes()) {
    const RouteAccess* const access = FindRouteAccess(route.methods, route.pattern);
    ASSERT_NE(access, nullptr) << route.pattern;
    const bool may = access->after_websocket || MayUseIt(client, *access);
    EXPECT_EQ(Decision(client, Entrance::kAgent, route, *access), may ? "yes" : "403")
        << route.pattern;
  }
}

TEST_F(EveryRouteTest, WithTheTokenOfTheAgentAlone) {
  Enable(false, "0123456789abcdef");
  const Client right{.name = "right", .token = "0123456789abcdef", .management = true};
  const Client none{.name = "none", .token = ""}, wrong{.name = "wrong", .token = "guess"};
  for (const Route& route : AllRoutes()) {
    const RouteAccess* const access = FindRouteAccess(route.methods, route.pattern);
    ASSERT_NE(access, nullptr) << route.pattern;
    const bool is_open = access->need == Need::kNothing || access->after_websocket;
    EXPECT_EQ(Decision(right, Entrance::kAgent, route, *access), "yes") << route.pattern;
    for (const Client& client : {none, wrong}) {
      EXPECT_EQ(Decision(client, Entrance::kAgent, route, *access), is_open ? "yes" : "403")
          << route.pattern;
    }
  }
}

TEST_F(EveryRouteTest, WithoutAnyTokenEverybodyMayUseEveryRoute) {
  Enable(false);
  for (const Route& route : AllRoutes()) {
    const RouteAccess* const access = FindRouteAccess(route.methods, route.pattern);
    ASSERT_NE(access, nullptr) << route.pattern;
    EXPECT_EQ(Decision({.name = "none", .token = ""}, Entrance::kAgent, route, *access), "yes");
    EXPECT_EQ(Decision({.name = "any", .token = "any"}, Entrance::kAgent, route, *access), "yes");
  }
}

// What Admit decides is what a client gets: no handler runs for a client that may not use it.
TEST_F(EveryRouteTest, ARefusedClientReachesNoHandler) {
  const std::string nobody = MakeToken({}).secret;
  std::set<std::string> answered;
  for (const Route& route : AllRoutes()) {
    const RouteAccess* const access = FindRouteAccess(route.methods, route.pattern);
    ASSERT_NE(access, nullptr) << route.pattern;
    if (access->after_websocket || MayUseIt({.name = "", .token = ""}, *access)) continue;
    const std::string path = PathOf(route, *access), method = MethodOf(route);
    EXPECT_EQ(AskAs(nobody, method, path).body, "Permission denied") << method << " " << path;
    answered.insert(NameOfRoute(route));
  }
  EXPECT_GT(answered.size(), 50u);
}

// What any client may ask tells that there is nothing, or that something is missing.
TEST_F(EveryRouteTest, WhatAnyClientMayAskTellsNothing) {
  // The first token is made without one. The others show what is the client's own.
  const std::set<std::string> own = {"PUT POST /v1/acl/bootstrap", "GET /v1/acl/policy/self",
                                     "GET /v1/acl/token/self"};
  const std::string nobody = MakeToken({}).secret;
  std::set<std::string> asked;
  for (const Route& route : AllRoutes()) {
    const RouteAccess* const access = FindRouteAccess(route.methods, route.pattern);
    ASSERT_NE(access, nullptr) << route.pattern;
    if (access->need != Need::kClient) continue;
    asked.insert(NameOfRoute(route));
    if (own.contains(NameOfRoute(route))) continue;
    const HttpReply reply = AskAs(nobody, MethodOf(route), PathOf(route, *access));
    const bool tells_nothing = reply.status == 400 || reply.status == 404 || reply.status == 501;
    EXPECT_TRUE(tells_nothing) << NameOfRoute(route) << ": " << reply.status << " " << reply.body;
  }
  for (const std::string& route : own) EXPECT_TRUE(asked.contains(route)) << route;
}

// A request for a route whose handler asks the policies, because only it knows for what.
struct Judged {
  std::string target;
  json body = nullptr;
  // What the answer must not have; empty: the answer must be REFUSAL.
  std::string unseen = {};
  int refusal = 403;
};

TEST_F(EveryRouteTest, WhatAHandlerMustAskIsAskedThere) {
  const std::string management = MakeManagement().secret;
  const TokenWrite other = MakeRole("hidden", {"of-a-role"});
  const std::string role = other.token->roles.at(0);
  const json items = {{"Items", {{"key", "value"}}}};
  const json prefix = {{"Prefix", ""}, {"Context", "jobs"}};
  const json text = {{"Text", "web"}, {"Context", "jobs"}};
  ASSERT_EQ(StatusAs(management, "PUT", "/v1/var/app/db", items), 200);
  const VolumeRecord volume = MakeVolume();
  const std::string policy = MakeScalingPolicy(management);
  const std::map<std::string, Judged> judged = {
      {"PUT POST /v1/jobs", {"/v1/jobs", JobBody("new")}},
      {"PUT POST /v1/validate/job", {"/v1/validate/job", JobBody("new")}},
      {"PUT POST /v1/job/**/plan", {"/v1/job/web/plan", JobBody("web")}},
      {"PUT POST /v1/job/**", {"/v1/job/web", JobBody("web")}},
      {"GET /v1/namespaces", {"/v1/namespaces", nullptr, "default"}},
      {"PUT POST /v1/search", {"/v1/search", prefix}},
      {"PUT POST /v1/search/fuzzy", {"/v1/search/fuzzy", text}},
      {"GET /v1/event/stream", {"/v1/event/stream?topic=Job"}},
      {"GET /v1/vars", {"/v1/vars"}},
      {"GET /v1/var/**", {"/v1/var/app/db"}},
      {"PUT POST /v1/var/**", {"/v1/var/app/db", items}},
      {"DELETE /v1/var/**", {"/v1/var/app/db"}},
      {"PUT POST /v1/volume/host/create", {"/v1/volume/host/create", VolumeBody()}},
      {"PUT POST /v1/volume/host/register", {"/v1/volume/host/register", VolumeBody("/srv")}},
      // Who may not see a volume does not learn whether it is there.
      {"GET /v1/volume/host/*", {"/v1/volume/host/" + volume.id, nullptr, "", 404}},
      {"DELETE /v1/volume/host/*/delete",
       {"/v1/volume/host/" + volume.id + "/delete", nullptr, "", 404}},
      {"DELETE /v1/volumes/claim/*",
       {"/v1/volumes/claim/" + volume.claims[0].id, nullptr, "", 404}},
      {"GET /v1/scaling/policies", {"/v1/scaling/policies"}},
      {"GET /v1/scaling/policy/*", {"/v1/scaling/policy/" + policy}},
      {"GET /v1/acl/policies", {"/v1/acl/policies", nullptr, "of-a-role"}},
      {"GET /v1/acl/policy/*", {"/v1/acl/policy/of-a-role"}},
      {"GET /v1/acl/token/*", {"/v1/acl/token/" + other.token->accessor_id}},
      {"GET /v1/acl/roles", {"/v1/acl/roles", nullptr, "hidden"}},
      {"GET /v1/acl/role/name/*", {"/v1/acl/role/name/hidden"}},
      {"GET /v1/acl/role/*", {"/v1/acl/role/" + role}},
  };
  // One client may do nothing, the other one everything in another namespace.
  const std::string outsider = TokenWith(R"({"namespace": {"team": {"policy": "write",
      "variables": {"path": {"*": {"capabilities": ["read", "write", "destroy"]}}}}}})");
  const std::map<std::string, std::string> clients = {{"nobody", MakeToken({}).secret},
                                                      {"an outsider", outsider}};
  std::set<std::string> asked;
  for (const Route& route : AllRoutes()) {
    const RouteAccess* const access = FindRouteAccess(route.methods, route.pattern);
    ASSERT_NE(access, nullptr) << route.pattern;
    if (access->need != Need::kEachPart && access->where != Where::kBody) continue;
    const auto found = judged.find(NameOfRoute(route));
    ASSERT_NE(found, judged.end()) << NameOfRoute(route) << ": say here what its handler refuses";
    asked.insert(found->first);
    const Judged& request = found->second;
    for (const auto& [name, token] : clients) {
      const HttpReply reply = AskAs(token, MethodOf(route), request.target, request.body);
      if (request.unseen.empty()) {
        EXPECT_EQ(reply.status, request.refusal)
            << name << " asks " << found->first << ": " << reply.body;
      } else {
        EXPECT_EQ(reply.status, 200) << name << " asks " << found->first;
        EXPECT_EQ(reply.body.find(request.unseen), std::string::npos)
            << name << " asks " << found->first << ": " << reply.body;
      }
    }
    if (found->first == "GET /v1/event/stream" || found->first == "DELETE /v1/var/**") continue;
    const int status = StatusAs(management, MethodOf(route), request.target, request.body);
    EXPECT_EQ(status, 200) << found->first << " is refused to everybody";
  }
  EXPECT_EQ(asked.size(), judged.size()) << "this list has a route that is none any more";
  EXPECT_EQ(GetAs(management, "/v1/var/app/db")["Items"]["key"], "value");
}

}  // namespace
}  // namespace drover
