// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "host/api/api_fixture.h"
#include "host/base/ids.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class VariableRouteTest : public ApiFixture {
 protected:
  static json Body(const std::string& value, const std::string& name_space = "") {
    json body = {{"Items", {{"password", value}}}};
    if (!name_space.empty()) body["Namespace"] = name_space;
    return body;
  }
  json Put(const std::string& target, const json& body = Body("hunter2")) {
    return Must("PUT", "/v1/var/" + target, body);
  }
  std::vector<std::string> Paths(const std::string& query = "") {
    std::vector<std::string> paths;
    for (const json& one : Get("/v1/vars" + query)) {
      paths.push_back(one["Namespace"].get<std::string>() + "/" + one["Path"].get<std::string>());
      EXPECT_FALSE(one.contains("Items")) << "a list has no items";
    }
    return paths;
  }
};

TEST_F(VariableRouteTest, AVariableIsMadeReadChangedAndDeleted) {
  const json made = Put("a/b");
  EXPECT_EQ(made["Items"], json({{"password", "hunter2"}}));
  EXPECT_EQ(made["Namespace"], "default");
  EXPECT_EQ(made["Path"], "a/b");
  EXPECT_EQ(made["CreateIndex"], made["ModifyIndex"]);
  EXPECT_EQ(made["CreateTime"], loop.Wall());
  EXPECT_EQ(Get("/v1/var/a/b"), made);
  loop.Advance(1s);
  const json changed = Put("a/b", Body("new"));
  EXPECT_EQ(changed["CreateIndex"], made["CreateIndex"]);
  EXPECT_GT(changed["ModifyIndex"], made["ModifyIndex"]);
  const HttpReply read = Ask("GET", "/v1/var/a/b");
  EXPECT_EQ(json::parse(read.body), changed);
  EXPECT_EQ(HeaderOf(read, "X-Nomad-Index"), changed["ModifyIndex"].dump());
  EXPECT_EQ(HeaderOf(read, "Cache-Control"), "no-store");
  const HttpReply deleted = Ask("DELETE", "/v1/var/a/b");
  EXPECT_EQ(std::pair(deleted.status, deleted.body), std::pair(204, std::string()));
  EXPECT_EQ(Refusal("GET", "/v1/var/a/b"), "404 variable not found");
  EXPECT_EQ(Ask("DELETE", "/v1/var/a/b").status, 204) << "what is gone stays gone";
}

TEST_F(VariableRouteTest, TheStateNeverHasItemsInTheClear) {
  Put("a");
  store.Read([](const Tables& tables) {
    EXPECT_THAT(tables.variables.at({"default", "a"})->sealed_items, Not(HasSubstr("hunter2")));
  });
}

TEST_F(VariableRouteTest, WhoChecksTheIndexGetsTheConflictingVariable) {
  const HttpReply absent = Ask("PUT", "/v1/var/a?cas=7", Body("x"));
  EXPECT_EQ(absent.status, 409);
  EXPECT_EQ(json::parse(absent.body), json({{"Namespace", "default"},
                                            {"Path", "a"},
                                            {"CreateIndex", 0},
                                            {"ModifyIndex", 0},
                                            {"CreateTime", 0},
                                            {"ModifyTime", 0},
                                            {"Items", nullptr}}));
  const json made = Put("a?cas=0");
  const HttpReply conflict = Ask("PUT", "/v1/var/a?cas=0", Body("x"));
  EXPECT_EQ(conflict.status, 409);
  EXPECT_EQ(json::parse(conflict.body), made);
  EXPECT_EQ(Ask("DELETE", "/v1/var/a?cas=1000").status, 409);
  const std::string index = made["ModifyIndex"].dump();
  const json changed = Put("a?cas=" + index, Body("y"));
  EXPECT_EQ(Ask("DELETE", "/v1/var/a?cas=" + index).status, 409);
  EXPECT_EQ(Ask("DELETE", "/v1/var/a?cas=" + changed["ModifyIndex"].dump()).status, 204);
  for (const char* cas : {"x", "-1", "", "1.5"}) {
    for (const char* method : {"PUT", "DELETE"}) {
      EXPECT_THAT(Refusal(method, std::string("/v1/var/a?cas=") + cas, Body("x")),
                  HasSubstr("400 Failed to parse value of \"cas\""))
          << method << " " << cas;
    }
  }
  EXPECT_THAT(Paths(), ElementsAre());
}

TEST_F(VariableRouteTest, WrongVariablesAreRefused) {
  const auto refusal = [this](const std::string& path, const json& body) {
    return Refusal("PUT", "/v1/var/" + path, body);
  };
  EXPECT_THAT(refusal("a.b", Body("x")), HasSubstr("400 invalid path \"a.b\""));
  EXPECT_THAT(refusal("a//b", Body("x")), HasSubstr("400 invalid path"));
  EXPECT_THAT(refusal("nomad/x", Body("x")), HasSubstr("is reserved"));
  EXPECT_THAT(refusal("a?namespace=*", Body("x")), HasSubstr("400 invalid namespace \"*\""));
  EXPECT_THAT(refusal("a", Body("x", "b/c")), HasSubstr("400 invalid namespace"));
  EXPECT_THAT(refusal("a", {{"Path", "b"}, {"Items", {{"k", "v"}}}}),
              HasSubstr("400 the path in the body, \"b\", is not that of the request, \"a\""));
  EXPECT_THAT(refusal("a", {{"namespace", "team"}, {"Items", {{"k", "v"}}}}),
              HasSubstr("400 the field \"namespace\" is not known: write it as \"Namespace\""));
  EXPECT_THAT(refusal("a", {{"Path", "a"}}), HasSubstr("400 the variable has no Items"));
  EXPECT_THAT(refusal("a", {{"Items", {{"k", 1}}}}), HasSubstr("\"k\" must be a text"));
  EXPECT_THAT(refusal("a", {{"Items", 1}}), HasSubstr("must be an object of texts"));
  EXPECT_THAT(refusal("a", Body(std::string(65'536, 'x'))), HasSubstr("400 the items have"));
  EXPECT_THAT(refusal("a", nullptr), HasSubstr("400 Request body is empty"));
  EXPECT_THAT(refusal("a", {{"Path", 1}, {"Items", {{"k", "v"}}}}),
              HasSubstr("400 Failed to decode body: Path must be a text"));
  EXPECT_EQ(Refusal("PUT", "/v1/vars", Body("x")), "405 Invalid method");
  EXPECT_THAT(Refusal("DELETE", "/v1/var/a.b"), HasSubstr("400 invalid path"));
  EXPECT_THAT(Refusal("DELETE", "/v1/var/a?namespace=*"), HasSubstr("400 invalid namespace"));
  EXPECT_EQ(Refusal("GET", "/v1/var/a.b"), "404 variable not found");
  EXPECT_THAT(Paths("?namespace=*"), ElementsAre());
}

TEST_F(VariableRouteTest, ABodyThatIsNoVariableIsNotQuoted) {
  for (const char* body :
       {R"({"Items":{"password":hunter2}})", R"({"Items":{"password":"hunter2)",
        R"({"Items":{"password":"hunter2","password":"hunter2"}})", R"(["hunter2"])", "hunter2",
        R"({"Items":{"pin":1234567890123456789012345678901234567890}})"}) {
    const HttpReply reply = AskText("PUT", "/v1/var/a", body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_THAT(reply.body, HasSubstr("the body is not the JSON of a variable")) << body;
    EXPECT_THAT(reply.body, Not(HasSubstr("hunter2"))) << body;
    EXPECT_THAT(reply.body, Not(HasSubstr("1234"))) << body;
  }
  EXPECT_THAT(Refusal("PUT", "/v1/var/a", {{"Items", {{"k", {"hunter2"}}}}}),
              Not(HasSubstr("hunter2")));
}

TEST_F(VariableRouteTest, LocksAreRefusedByName) {
  for (const char* operation : {"lock-acquire", "lock-release", "lock-renew"}) {
    EXPECT_THAT(Refusal("PUT", std::string("/v1/var/a?") + operation, Body("x")),
                HasSubstr(std::string("501 ") + operation + ": locks of variables are not"));
  }
  json body = Body("x");
  body["Lock"] = {{"TTL", "15s"}};
  EXPECT_THAT(Refusal("PUT", "/v1/var/a", body), HasSubstr("501 Lock: locks"));
  body["Lock"] = nullptr;
  Put("a", body);
}

TEST_F(VariableRouteTest, AListHasNamespacesPrefixesFiltersAndPages) {
  for (const char* path : {"b", "a/1", "a/2"}) Put(path);
  Put("a/1?namespace=team", Body("x"));
  Put("z", Body("x", "team"));  // the namespace of the body counts
  EXPECT_THAT(Paths(), ElementsAre("default/a/1", "default/a/2", "default/b"));
  EXPECT_THAT(Paths("?prefix=a/"), ElementsAre("default/a/1", "default/a/2"));
  EXPECT_THAT(Paths("?namespace=team"), ElementsAre("team/a/1", "team/z"));
  EXPECT_THAT(Paths("?namespace=*&prefix=a/1"), ElementsAre("default/a/1", "team/a/1"));
  EXPECT_THAT(Paths("?filter=Path == b"), ElementsAre("default/b"));
  const HttpReply page = Ask("GET", "/v1/vars?per_page=2");
  EXPECT_EQ(json::parse(page.body).size(), 2u);
  EXPECT_EQ(HeaderOf(page, "X-Nomad-NextToken"), "default.b");
  EXPECT_THAT(Paths("?per_page=2&next_token=default.b"), ElementsAre("default/b"));
  EXPECT_EQ(Get("/v1/namespace/team")["Name"], "team");
  EXPECT_EQ(Ask("DELETE", "/v1/var/z?namespace=team").status, 204);
  EXPECT_EQ(Refusal("GET", "/v1/var/z"), "404 variable not found");
}

TEST_F(VariableRouteTest, BlockingQueriesWaitForVariablesOnly) {
  const std::uint64_t index = Put("a")["ModifyIndex"].get<std::uint64_t>();
  RegisterNode();
  const auto route = [](const char* pattern) {
    for (const Route& one : AllRoutes()) {
      if (one.pattern == pattern) return one;
    }
    ADD_FAILURE() << pattern;
    return Route();
  };
  const std::string query = "index=" + std::to_string(index) + "&wait=60s";
  FakeRequest waiting(&loop, &agent_, route("/v1/vars"), query);
  loop.Advance(1s);
  RegisterNode();
  loop.RunReady();
  EXPECT_FALSE(waiting.answer.has_value());
  Put("b");
  loop.RunReady();
  ASSERT_TRUE(waiting.answer.has_value());
  EXPECT_EQ(json::parse(waiting.answer->reply.body).size(), 2u);
  EXPECT_GT(waiting.answer->index.value(), index);
}

TEST_F(VariableRouteTest, AnotherSealKeyOpensNothingAndTellsNothing) {
  Put("a");
  SecretBytes other(kAesKeyBytes);
  RandomBytes(other.data(), other.size());
  agent_.seal_key = std::make_shared<const SealKey>(std::move(other));
  EXPECT_THAT(Refusal("GET", "/v1/var/a"),
              HasSubstr("500 the items of the variable \"a\" cannot be opened"));
  EXPECT_THAT(Paths(), ElementsAre("default/a"));
  EXPECT_THAT(Refusal("PUT", "/v1/var/a?cas=0", Body("x")), HasSubstr("cannot be opened"));
  EXPECT_EQ(Put("a", Body("x"))["Items"]["password"], "x") << "what is lost can be put again";
}

}  // namespace
}  // namespace drover
