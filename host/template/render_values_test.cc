// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "host/template/fake_values_for_test.h"

// The functions that ask for values from outside.
namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RenderedTemplate RenderAll(const std::string& text, FakeValues* values) {
  TemplateSpec spec;
  spec.text = text;
  const Result<RenderedTemplate> done = RenderTemplate(spec, values);
  EXPECT_TRUE(done.ok()) << done.error().message();
  return done.ok() ? *done : RenderedTemplate();
}

json WebInstances() {
  return json::parse(R"([
    {"ID": "1", "Name": "web", "Address": "10.0.0.1", "Port": 80, "Tags": ["a", "b"], "JobID": "j"},
    {"ID": "2", "Name": "web", "Address": "10.0.0.2", "Port": 81, "Tags": ["b"], "JobID": "j"}])");
}

json SecretVariable() {
  return json::parse(R"({"Namespace": "default", "Path": "nomad/jobs/j", "CreateIndex": 3,
    "ModifyIndex": 4, "CreateTime": 1000000000, "ModifyTime": 2000000000,
    "Items": {"user": "me", "password": "<pw>"}})");
}

TEST(RenderValuesTest, WhatIsNotKnownYetIsMissing) {
  FakeValues values;
  values.Set("key", {"there"}, "x");
  const RenderedTemplate done = RenderAll(
      R"({{key "there"}}{{key "a"}}{{range nomadService "web"}}y{{end}}{{key "a"}}{{keyExists "e"}})",
      &values);
  EXPECT_EQ(done.text, "xfalse");
  EXPECT_FALSE(done.complete());
  EXPECT_THAT(done.missing,
              ElementsAre(ValueRequest{"key", {"a"}}, ValueRequest{"keyExists", {"e"}},
                          ValueRequest{"nomadService", {"web"}}));
  EXPECT_EQ(done.used.size(), 4u);
}

TEST(RenderValuesTest, AnErrorEndsTheRendering) {
  FakeValues values;
  EXPECT_THAT(Rendered("a\n{{key \"forbidden\"}}", &values),
              HasSubstr("template:2:3: key: the task may not read it"));
}

TEST(RenderValuesTest, KeysOfConsul) {
  FakeValues values;
  values.Set("keyExists", {"a"}, true);
  values.Set("keyOrDefault", {"a"}, nullptr);
  values.Set("keyOrDefault", {"b"}, "1");
  const json pairs = json::parse(R"([{"Path": "p/a", "Key": "a", "Value": "1"},
    {"Path": "p/b/c", "Key": "b/c", "Value": "2"}, {"Path": "p/d/", "Key": "d/", "Value": ""}])");
  for (const char* function : {"ls", "safeLs", "tree", "safeTree"})
    values.Set(function, {"p"}, pairs);
  EXPECT_EQ(
      Rendered(R"({{keyExists "a"}} {{keyOrDefault "a" "d"}} {{keyOrDefault "b" "d"}})", &values),
      "true d 1");
  EXPECT_EQ(Rendered(R"({{range ls "p"}}{{.Key}}={{.Value}};{{end}})", &values), "a=1;");
  EXPECT_EQ(Rendered(R"({{range tree "p"}}{{.Key}}={{.Value}};{{end}})", &values), "a=1;b/c=2;");
  EXPECT_EQ(Rendered(R"({{tree "p" | explode | toJSON}})", &values), R"({"a":"1","b":{"c":"2"}})");
  EXPECT_EQ(
      Rendered(
          R"({{range $k, $p := tree "p" | byKey}}{{$k}}:{{range $n, $v := $p}}{{$n}}={{$v.Value}}{{end}}{{end}})",
          &values),
      "b:c=2");
}

TEST(RenderValuesTest, ASafeFunctionWaitsForTheFirstKey) {
  FakeValues values;
  values.Set("ls", {"p"}, json::array());
  values.Set("safeLs", {"p"}, json::array());
  values.Set("nomadVarListSafe", {}, json::array());
  EXPECT_THAT(RenderAll("{{ls \"p\"}}", &values).missing, IsEmpty());
  EXPECT_THAT(RenderAll("{{safeLs \"p\"}}", &values).missing,
              ElementsAre(ValueRequest{"safeLs", {"p"}}));
  EXPECT_EQ(RenderAll("{{nomadVarListSafe}}", &values).missing.size(), 1u);
}

TEST(RenderValuesTest, ServicesOfNomad) {
  FakeValues values;
  values.Set("nomadService", {"web"}, WebInstances());
  values.Set("nomadService", {"1", "me", "web"}, json::array({WebInstances()[1]}));
  values.Set("nomadServices", {}, json::parse(R"([{"Name": "web", "Tags": ["a"]}])"));
  EXPECT_EQ(Rendered(R"({{range nomadService "web"}}{{.Address}}:{{.Port}} {{end}})", &values),
            "10.0.0.1:80 10.0.0.2:81 ");
  EXPECT_EQ(Rendered(R"({{range nomadService 1 "me" "web"}}{{.ID}}{{end}})", &values), "2");
  EXPECT_EQ(Rendered(R"({{range nomadServices}}{{.Name}} {{.Tags | join ","}}{{end}})", &values),
            "web a");
  EXPECT_EQ(Rendered(R"({{range $t, $s := nomadService "web" | byTag}}{{$t}}={{len $s}} {{end}})",
                     &values),
            "a=1 b=2 ");
  EXPECT_EQ(Rendered(R"({{range $p, $s := nomadService "web" | byPort}}{{$p}} {{end}})", &values),
            "80 81 ");
  EXPECT_THAT(Rendered(R"({{nomadService "1" "me" "web"}})", &values),
              HasSubstr("expected integer"));
  EXPECT_EQ(Rendered(R"({{with index (nomadService "web") 0}}{{toJSON .}}{{end}})", &values),
            R"({"ID":"1","Name":"web","Node":"","Address":"10.0.0.1","Port":80,"Datacenter":"",)"
            R"("Tags":["a","b"],"JobID":"j","AllocID":""})");
}

TEST(RenderValuesTest, VariablesOfNomad) {
  FakeValues values;
  values.Set("nomadVar", {"nomad/jobs/j"}, SecretVariable());
  values.Set("nomadVarExists", {"nomad/jobs/j"}, true);
  values.Set("nomadVarList", {"nomad/"}, json::array({SecretVariable()}));
  EXPECT_EQ(
      Rendered(
          R"({{with nomadVar "nomad/jobs/j"}}{{.user}}:{{.password}} {{.password.Value}} {{.Keys}} {{.Values}}{{end}})",
          &values),
      "me:<pw> <pw> [password user] [<pw> me]");
  EXPECT_EQ(
      Rendered(R"({{range $k, $v := nomadVar "nomad/jobs/j"}}{{$k}}={{$v}} {{end}})", &values),
      "password=<pw> user=me ");
  EXPECT_EQ(Rendered(R"({{range (nomadVar "nomad/jobs/j").Tuples}}{{.K}}={{.V}};{{end}})", &values),
            "password=<pw>;user=me;");
  EXPECT_EQ(
      Rendered(
          R"({{(nomadVar "nomad/jobs/j").Metadata.Path}} {{(nomadVar "nomad/jobs/j").nothing}}.)",
          &values),
      "nomad/jobs/j .");
  EXPECT_EQ(
      Rendered(
          R"({{nomadVarExists "nomad/jobs/j"}} {{range nomadVarList "nomad/"}}{{.}} {{.ModifyIndex}} {{.CreateTime}}{{end}})",
          &values),
      "true nomad/jobs/j 4 1970-01-01 00:00:01 +0000 UTC");
  EXPECT_EQ(Rendered(R"({{with nomadVar "nomad/jobs/other"}}x{{else}}waits{{end}})", &values),
            "waits");
}

TEST(RenderValuesTest, ServicesOfConsul) {
  FakeValues values;
  values.Set("service", {"web", "any"},
             json::parse(R"([{"Name": "web", "Address": "10.0.0.1", "Port": 1,
    "Tags": ["x"], "ServiceMeta": {"v": "7"}, "NodeMeta": {}, "Status": "passing", "Checks": [{"Name": "c"}]}])"));
  values.Set("services", {"@dc1"}, json::parse(R"([{"Name": "web", "Tags": []}])"));
  values.Set("nodes", {},
             json::parse(R"([{"ID": "1", "Node": "n", "Address": "10.0.0.9", "CreateIndex": 5}])"));
  values.Set(
      "node", {"n"},
      json::parse(R"({"Node": {"Node": "n"}, "Services": [{"Service": "web", "Port": 80}]})"));
  values.Set("datacenters", {}, json::parse(R"(["dc1", "dc2"])"));
  EXPECT_EQ(
      Rendered(R"({{range service "web" "any"}}{{.Address}} {{.ServiceMeta.v}} {{.Tags.x}}{{end}})",
               &values)
          .substr(0, 6),
      "error:");
  EXPECT_EQ(
      Rendered(
          R"({{range service "web" "any"}}{{.Address}} {{.ServiceMeta.v}}{{.ServiceMeta.w}} {{.Status}}{{end}})",
          &values),
      "10.0.0.1 7 passing");
  EXPECT_EQ(Rendered(R"({{range $k, $s := service "web" "any" | byMeta "v|int,w"}}{{$k}}{{end}})",
                     &values),
            "00007__no_w_");
  EXPECT_EQ(
      Rendered(R"({{range services "@dc1"}}{{.Name}}{{end}} {{range nodes}}{{.Address}}{{end}})",
               &values),
      "web 10.0.0.9");
  EXPECT_EQ(
      Rendered(
          R"({{with node "n"}}{{.Node.Node}}{{range .Services}} {{.Service}}:{{.Port}}{{end}}{{end}} {{datacenters}})",
          &values),
      "n web:80 [dc1 dc2]");
}

TEST(RenderValuesTest, EnvironmentAndFiles) {
  FakeValues values;
  values.env = {{"A", "1"}, {"EMPTY", ""}};
  values.files = {{"local/x", "content"}};
  EXPECT_EQ(
      Rendered(
          R"({{env "A"}} {{env "B"}}. {{envOrDefault "B" "d"}} {{envOrDefault "EMPTY" "d"}}. {{mustEnv "A"}})",
          &values),
      "1 . d . 1");
  EXPECT_THAT(Rendered(R"({{mustEnv "EMPTY"}})", &values), HasSubstr("EMPTY is empty"));
  EXPECT_EQ(Rendered(R"({{file "local/x" | toUpper}})", &values), "CONTENT");
  EXPECT_THAT(Rendered(R"({{file "/etc/passwd"}})", &values), HasSubstr("there is no such file"));
}

TEST(RenderValuesTest, AnAnswerOfAnotherFormIsAnError) {
  FakeValues values;
  values.Set("nomadService", {"web"}, "text");
  values.Set("nomadVar", {"a"}, json::object());
  EXPECT_THAT(Rendered(R"({{nomadService "web"}})", &values),
              HasSubstr("the answer is string instead of"));
  EXPECT_THAT(Rendered(R"({{nomadVar "a"}})", &values),
              HasSubstr("the answer is object instead of"));
}

// A function of an empty value may fail. So an error counts only with all values.
TEST(RenderValuesTest, ATemplateThatFailsForAMissingValueWaitsForIt) {
  FakeValues values;
  TemplateSpec spec;
  spec.text = R"({{(index (service "web") 0).Address}})";
  Result<RenderedTemplate> done = RenderTemplate(spec, &values);
  ASSERT_TRUE(done.ok()) << done.error().message();
  EXPECT_EQ(done->missing.size(), 1u);
  EXPECT_NE(done->stopped_by.find("index out of range"), std::string::npos) << done->stopped_by;
  values.Set("service", {"web"}, nlohmann::json::array());
  done = RenderTemplate(spec, &values);
  EXPECT_EQ(done.code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace drover
