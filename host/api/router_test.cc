// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "host/acl/acl_resolver.h"
#include "host/acl/acl_state.h"
#include "host/acl/secret_hash.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(MatchPathTest, AStarIsOnePartAndTwoAreOneOrMore) {
  EXPECT_THAT(MatchPath("/v1/jobs", "/v1/jobs"), Optional(ElementsAre()));
  EXPECT_EQ(MatchPath("/v1/jobs", "/v1/jobs/x"), std::nullopt);
  EXPECT_THAT(MatchPath("/v1/node/*", "/v1/node/n"), Optional(ElementsAre("n")));
  EXPECT_EQ(MatchPath("/v1/node/*", "/v1/node/n/allocations"), std::nullopt);
  EXPECT_EQ(MatchPath("/v1/node/*", "/v1/node/"), std::nullopt);
  EXPECT_THAT(MatchPath("/v1/job/**", "/v1/job/a/b"), Optional(ElementsAre("a/b")));
  EXPECT_THAT(MatchPath("/v1/job/**/plan", "/v1/job/a/b/plan"), Optional(ElementsAre("a/b")));
  EXPECT_EQ(MatchPath("/v1/job/**/plan", "/v1/job/a/b"), std::nullopt);
  EXPECT_EQ(MatchPath("/v1/job/**/plan", "/v1/job/plan"), std::nullopt);
  EXPECT_THAT(MatchPath("/v1/allocation/*/stop", "/v1/allocation/x/stop"),
              Optional(ElementsAre("x")));
}

TEST(RoutesTest, NoRouteHidesALaterOne) {
  // An example path for each pattern finds that pattern first.
  const std::vector<Route> routes = AllRoutes();
  ASSERT_GT(routes.size(), 40u);
  for (const Route& wanted : routes) {
    std::string path(wanted.pattern);
    for (std::size_t star = 0; (star = path.find('*')) != std::string::npos;) {
      const bool two = path.compare(star, 2, "**") == 0;
      path.replace(star, two ? 2 : 1, two ? "x/x" : "x");
    }
    for (const Route& route : routes) {
      if (route.fit == Fit::kNoOther && &route != &wanted) continue;
      const bool same_methods = route.methods.empty() || route.methods == wanted.methods;
      if (!same_methods || !MatchPath(route.pattern, path)) continue;
      EXPECT_EQ(route.pattern, wanted.pattern) << path;
      break;
    }
  }
}

TEST(RoutesTest, AGetThatChangesThingsIsKnown) {
  const auto allows = [](const Route& route, std::string_view method) {
    return route.methods.empty() || route.methods.find(method) != std::string_view::npos;
  };
  std::set<std::string> changing, refused;
  for (const Route& route : UnsupportedRoutes()) refused.emplace(route.pattern);
  for (const Route& route : AllRoutes()) {
    if (route.effect == Effect::kChanges) changing.emplace(route.pattern);
    // A route that has no other method only reads; one that stands for no resource does nothing.
    if (!allows(route, "GET") || !allows(route, "PUT") || route.fit == Fit::kNoOther) continue;
    EXPECT_TRUE(route.effect == Effect::kChanges || refused.contains(std::string(route.pattern)))
        << route.pattern;
  }
  EXPECT_EQ(changing, (std::set<std::string>{"/v1/client/gc", "/v1/client/allocation/*/restart",
                                             "/v1/client/allocation/*/gc"}));
}

TEST(RoutesTest, ThePageForClientsListsThem) {
  std::ifstream file(DROVER_SOURCE_DIR "/docs/compatibility.md");
  ASSERT_TRUE(file.is_open());
  std::set<std::string> listed;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `/")) continue;
    const std::string pattern = line.substr(3, line.find('`', 3) - 3);
    EXPECT_TRUE(listed.insert(pattern).second) << pattern << " stands there twice";
  }
  std::set<std::string> served;
  for (const Route& route : AllRoutes()) served.emplace(route.pattern);
  EXPECT_EQ(listed, served);
}

TEST(RouterTest, BodiesAreKeptOfThoseWhoMayForRoutesThatReadThem) {
  ApiAgent agent;
  StateStore store;
  AclState state;
  AclResolver resolver(&state, {.at_once = 1000, .each = 1s, .sources = 10});
  resolver.SetSettings({.enabled = false, .agent_token_hash = SecretHash("secret")});
  agent.store = &store;
  agent.resolver = &resolver;
  SimLoop loop;
  const auto check = MakeBodyCheck(&agent);
  const auto keeps = [&](const char* method, const char* path, const char* token) {
    HttpRequest request;
    request.method = method;
    request.path = path;
    if (*token != '\0') request.headers.emplace_back("X-Nomad-Token", token);
    const Result<bool> wants = check(request, &loop);
    return wants.ok() ? (*wants ? "kept" : "read over") : wants.error().message();
  };
  EXPECT_EQ(keeps("PUT", "/v1/jobs", "secret"), "kept");
  EXPECT_EQ(keeps("PUT", "/v1/jobs", "guess"), "ACL token not found");
  EXPECT_EQ(keeps("PUT", "/v1/jobs", ""), "Permission denied");
  EXPECT_EQ(keeps("GET", "/v1/client/allocation/a/restart", "secret"), "kept") << "it reads one";
  for (const char* path : {"/v1/jobs", "/v1/event/stream", "/v1/client/fs/logs/a"}) {
    EXPECT_EQ(keeps("GET", path, "secret"), "read over") << path;
    EXPECT_EQ(keeps("HEAD", path, "secret"), "read over") << path;
    EXPECT_EQ(keeps("GET", path, ""), "Permission denied") << path;
  }
  EXPECT_EQ(keeps("PUT", "/v1/none", "secret"), "read over");
  // Routes that are open discard bodies with any token.
  for (const Route& route : AllRoutes()) {
    if (route.access != Access::kOpen) continue;
    std::string path(route.pattern);
    while (path.find('*') != std::string::npos) path.replace(path.find('*'), 1, "x");
    for (const char* token : {"", "secret"})
      EXPECT_EQ(keeps("GET", path.c_str(), token), "read over") << path;
  }
}

// An exchange that is only used for its request.
class QueryExchange : public HttpExchange {
 public:
  explicit QueryExchange(HttpFields query) { request_.query = std::move(query); }
  const HttpRequest& request() const override { return request_; }
  Loop* loop() override { return nullptr; }
  const Context& context() const override { std::abort(); }
  Co<Status> Reply(HttpReply) override { std::abort(); }
  Co<Status> StartStream(HttpReply) override { std::abort(); }
  Co<Status> Write(std::string) override { std::abort(); }
  Co<Result<WebSocketChannel*>> AcceptWebSocket() override { std::abort(); }

 private:
  HttpRequest request_;
};

std::vector<ListItem> Letters() {
  std::vector<ListItem> items;
  for (const char* letter : {"a", "b", "c", "d", "e"}) {
    items.push_back({letter, [letter] { return nlohmann::json(letter); }});
  }
  return items;
}

Answer Page(HttpFields query) {
  QueryExchange exchange(std::move(query));
  const ApiAgent agent;
  ApiRequest request(&exchange, &agent, {});
  std::optional<Answer> answer;
  const auto list = [](ApiRequest* of, std::optional<Answer>* to) -> Co<void> {
    to->emplace(co_await ListAnswer(of, Letters()));
  };
  SimLoop loop;
  EXPECT_TRUE(loop.RunToEnd(list(&request, &answer)));
  return *answer;
}

TEST(ListAnswerTest, PagesAreCutAndGoOn) {
  EXPECT_EQ(Page({}).reply.body, R"(["a","b","c","d","e"])");
  const Answer first = Page({{"per_page", "2"}});
  EXPECT_EQ(first.reply.body, R"(["a","b"])");
  EXPECT_EQ(first.next_token, "c");
  const Answer second = Page({{"per_page", "2"}, {"next_token", "c"}});
  EXPECT_EQ(second.reply.body, R"(["c","d"])");
  const Answer last = Page({{"per_page", "2"}, {"next_token", "e"}});
  EXPECT_EQ(last.reply.body, R"(["e"])");
  EXPECT_EQ(last.next_token, "");
  EXPECT_EQ(Page({{"next_token", "bb"}}).reply.body, R"(["c","d","e"])") << "it has gone";
  EXPECT_EQ(Page({{"reverse", "True"}, {"per_page", "2"}}).reply.body, R"(["e","d"])");
  EXPECT_EQ(Page({{"reverse", "true"}, {"next_token", "bb"}}).reply.body, R"(["b","a"])");
  EXPECT_EQ(Page({{"per_page", "x"}}).reply.status, 400);
  EXPECT_EQ(Page({{"per_page", "-1"}}).reply.status, 400);
}

}  // namespace
}  // namespace drover
