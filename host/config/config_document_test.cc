// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/config_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What HCL says as NAME { KEY = VALUE }, and so on, without the program that reads HCL.
ConfigNode Value(json value, int line) {
  ConfigNode node;
  node.kind = ConfigNode::Kind::kValue;
  node.value = std::move(value);
  node.line = line;
  return node;
}

ConfigNode Object(std::vector<ConfigEntry> entries) {
  ConfigNode node;
  node.entries = std::move(entries);
  return node;
}

class ConfigShapeTest : public ::testing::Test {
 protected:
  json Shape(const ConfigNode& root, bool loose = true) {
    document_ = ShapeConfig(root, {"a.hcl", "/etc/drover", loose}, &mistakes_);
    return document_.value;
  }
  json ShapeText(const std::string& text) { return Shape(ReadJsonConfig(text).value(), false); }

  std::vector<std::string> Mistakes() const {
    std::vector<std::string> all;
    for (const ConfigFinding& mistake : mistakes_) all.push_back(FindingText(mistake));
    return all;
  }

  ConfigDocument document_;
  ConfigFindings mistakes_;
};

TEST_F(ConfigShapeTest, BlocksWithLabelsBecomeObjectsByName) {
  const json shaped =
      Shape(Object({{{"plugin", "raw_exec"},
                     2,
                     Object({{{"config"}, 3, Object({{{"enabled"}, 4, Value(true, 4)}})}})},
                    {{"plugin"}, 6, Object({{{"exec"}, 7, Object({})}})}}));
  EXPECT_EQ(Mistakes(), std::vector<std::string>());
  EXPECT_EQ(shaped,
            json::parse(R"({"plugin": {"raw_exec": {"config": {"enabled": true}}, "exec": {}}})"));
  EXPECT_EQ(document_.Place("/plugin/raw_exec/config/enabled"), (ConfigPlace{"a.hcl", 4}));
  EXPECT_EQ(document_.Place("/plugin/exec"), (ConfigPlace{"a.hcl", 7}));
  EXPECT_EQ(document_.Place("/plugin/raw_exec/config/other"), (ConfigPlace{"a.hcl", 3}));
}

TEST_F(ConfigShapeTest, ANumberThatIsMeantAsATextStaysAsItIsWritten) {
  ConfigNode zip = Value(668, 1);
  zip.written = "01234";
  EXPECT_EQ(Shape(Object({{{"client"}, 1, Object({{{"meta"}, 1, Object({{{"zip"}, 1, zip}})}})},
                          {{"name"}, 2, zip}})),
            json::parse(R"({"client": {"meta": {"zip": "01234"}}, "name": "01234"})"));
  EXPECT_EQ(Mistakes(), std::vector<std::string>());
}

TEST_F(ConfigShapeTest, HclMayMixTextsNumbersAndBooleans) {
  const json shaped = Shape(Object(
      {{{"name"}, 1, Value(7, 1)},
       {{"ports"}, 2, Object({{{"http"}, 2, Value("4646", 2)}})},
       {{"client"},
        3,
        Object(
            {{{"enabled"}, 3, Value("true", 3)},
             {{"meta"}, 4, Object({{{"rack"}, 4, Value(7, 4)}, {{"ssd"}, 4, Value(true, 4)}})}})},
       {{"log_json"}, 5, Value(0, 5)}}));
  EXPECT_EQ(Mistakes(), std::vector<std::string>());
  EXPECT_EQ(shaped, json::parse(R"({"name": "7", "ports": {"http": 4646}, "log_json": false,
      "client": {"enabled": true, "meta": {"rack": "7", "ssd": "true"}}})"));
}

TEST_F(ConfigShapeTest, JsonMayNotMixThem) {
  ShapeText("{\"name\": 7,\n \"ports\": {\"http\": \"4646\"},\n \"log_json\": \"true\"}");
  EXPECT_THAT(Mistakes(),
              ElementsAre("a.hcl:1: /name: must be a text",
                          HasSubstr("a.hcl:2: /ports/http: must be a whole number from"),
                          "a.hcl:3: /log_json: must be true or false"));
}

TEST_F(ConfigShapeTest, JsonMayWriteBlocksAsListsOfObjects) {
  const json shaped = ShapeText(R"({"plugin": [{"raw_exec": [{"config": [{"enabled": true}]}]},
      {"exec": {}}], "client": [{"meta": [{"a": "b"}, {"c": "d"}]}]})");
  EXPECT_EQ(Mistakes(), std::vector<std::string>());
  EXPECT_EQ(shaped,
            json::parse(R"({"plugin": {"raw_exec": {"config": {"enabled": true}}, "exec": {}},
      "client": {"meta": {"a": "b", "c": "d"}}})"));
}

TEST_F(ConfigShapeTest, AKeyThatIsThereTwiceIsAMistake) {
  ShapeText(
      "{\"name\": \"a\",\n \"name\": \"b\",\n \"client\": {}, \"client\": {},\n"
      "\"plugin\": [{\"x\": {}}, {\"x\": {}}], \"server\": [{}, {}],\n"
      "\"client\": {\"meta\": {\"a\": \"1\", \"a\": \"2\"}}}");
  EXPECT_THAT(
      Mistakes(),
      ElementsAre("a.hcl:1: /name: is there twice, in the lines 1 and 2: keep one",
                  HasSubstr("/client: is there twice"), HasSubstr("/plugin/x: is there twice"),
                  "a.hcl:4: /server: must be an object"));
}

TEST_F(ConfigShapeTest, InJsonSoIsOneOfAnyContent) {
  ShapeText(R"({"plugins": {"a": {"config": {"x": 1, "x": 2}}},
      "client": {"meta": {"a": "1"}, "meta": {"b": "2"}}, "plugins": {}, "ui": {}, "ui": {}})");
  EXPECT_THAT(Mistakes(), ElementsAre(HasSubstr("/plugins: is there twice"),
                                      HasSubstr("/client/meta: is there twice"),
                                      HasSubstr("/ui: is there twice")));
  mistakes_.clear();
  ShapeText(R"({"plugins": {"a": {"config": {"x": 1, "x": 2}}}})");
  EXPECT_THAT(Mistakes(), ElementsAre(HasSubstr("/plugins/a/config/x: is there twice")));
}

TEST_F(ConfigShapeTest, ANameIsShortAndHasNoControlCharacters) {
  for (const std::string& name : {std::string(257, 'a'), std::string("a\\u0001b")}) {
    mistakes_.clear();
    ShapeText("{\"plugins\":\n{\"" + name + "\": {\"config\": {\"x\": 1}}}}");
    EXPECT_THAT(Mistakes(), ElementsAre(HasSubstr("a.hcl: line 2: a name is longer than 256")));
  }
  mistakes_.clear();
  ShapeText("{\"plugins\": {\"" + std::string(256, 'a') + "\": {}}}");
  EXPECT_THAT(Mistakes(), ElementsAre());
}

TEST_F(ConfigShapeTest, AHugeNumberIsNotTakenForANegativeOne) {
  ShapeText(R"({"log_rotate_max_files": 18446744073709551615})");
  EXPECT_THAT(Mistakes(), ElementsAre(HasSubstr("must be a whole number from -1 to 1000000")));
}

TEST_F(ConfigShapeTest, AnUnknownKeyHasAnAdvice) {
  ShapeText(R"({"client": {"options": {"docker.caps.whitelist": "ALL"}}, "acl": {"ttl": "1s"}})");
  EXPECT_THAT(
      Mistakes(),
      ElementsAre(HasSubstr("/client/options/docker.caps.whitelist: is not supported by "
                            "this version: remove it, or write plugin \"NAME\""),
                  HasSubstr("/acl/ttl: is not supported by this version; known here: enabled, ")));
}

TEST_F(ConfigShapeTest, ABlockOfOneKindHasNoName) {
  Shape(Object({{{"client", "a"}, 1, Object({})}, {{"name", "b"}, 2, Object({})}}));
  EXPECT_THAT(Mistakes(), ElementsAre("a.hcl:1: /client: has no name: write client { ... }",
                                      HasSubstr("a.hcl:2: /name: has no name")));
}

TEST_F(ConfigShapeTest, ABlockOfADriverHasOneName) {
  Shape(Object({{{"plugin", "a", "b"}, 1, Object({})}}));
  EXPECT_THAT(Mistakes(),
              ElementsAre("a.hcl:1: /plugin/a: has one name: write plugin \"NAME\" { ... }"));
}

TEST_F(ConfigShapeTest, ContentWithoutAFormStaysAsItIs) {
  const json shaped =
      Shape(Object({{{"plugin", "d"},
                     1,
                     Object({{{"config"},
                              2,
                              Object({{{"auth"}, 3, Object({{{"helper"}, 3, Value("x", 3)}})},
                                      {{"mount", "a"}, 4, Object({})},
                                      {{"mount", "b"}, 5, Object({})}})}})}}));
  EXPECT_EQ(shaped.at("plugin").at("d").at("config"),
            json::parse(R"({"auth": {"helper": "x"}, "mount": [{"a": {}}, {"b": {}}]})"));
}

TEST_F(ConfigShapeTest, PathsStartAtTheDirectoryOfTheFile) {
  EXPECT_EQ(
      ShapeText(R"({"data_dir": "../data", "log_file": "logs/", "plugin_dir": "/opt/p"})"),
      json::parse(
          R"({"data_dir": "/etc/data", "log_file": "/etc/drover/logs/", "plugin_dir": "/opt/p"})"));
}

TEST_F(ConfigShapeTest, AFileOfManyWrongKeysIsReadInAMoment) {
  std::string text = "{\"client\": {\"meta\": {\"k\": \"v\"";
  for (int i = 0; i < 50'000; ++i) text += ",\"m" + std::to_string(i) + "\": 1";
  text += "}}";
  for (int i = 0; i < 50'000; ++i) text += ",\n\"k" + std::to_string(i) + "\": 1";
  ShapeText(text + "}");
  ASSERT_EQ(mistakes_.size(), 101u);
  EXPECT_EQ(mistakes_.back().message, "there is more like this: correct these first");
}

TEST_F(ConfigShapeTest, TooMuchDepthIsAMistake) {
  std::string deep = "{}";
  for (int i = 0; i < 100; ++i) deep = "{\"a\":\n" + deep + "}";
  EXPECT_THAT(ReadJsonConfig(deep).error().message(), HasSubstr("line 65: "));
}

TEST(ConfigJsonTest, ToldFromHclByContent) {
  for (const char* text :
       {"{}", " \n{", "// a\n{", "/* a\n { */ // b\r\n [", "{ bad", "\xEF\xBB\xBF{}"}) {
    EXPECT_TRUE(IsJsonConfig(text)) << text;
  }
  for (const char* text : {"", "name = \"x\"", "# {\n{", "// {", "/* {", "client {"}) {
    EXPECT_FALSE(IsJsonConfig(text)) << text;
  }
}

TEST(ConfigJsonTest, AByteOrderMarkIsSkipped) {
  const Result<ConfigNode> root = ReadJsonConfig("\xEF\xBB\xBF{\"name\": \"a\"}");
  ASSERT_TRUE(root.ok()) << root.error().message();
  EXPECT_EQ(root->entries.size(), 1u);
}

TEST(ConfigMergeTest, BlocksByKeyAndOtherValuesByTheLast) {
  ConfigFindings mistakes;
  const auto shape = [&mistakes](const char* file, const char* text) {
    return ShapeConfig(ReadJsonConfig(text).value(), {file, "/", false}, &mistakes);
  };
  ConfigDocument all;
  MergeConfig(&all,
              shape("a", R"({"name": "a", "region": "r", "client": {"meta": {"a": "1", "b": "1"},
      "enabled": true}, "plugin_dirs": ["/a"], "plugin": {"x": {"config": {"p": 1, "q": [1]}}}})"));
  MergeConfig(
      &all, shape("b", R"({"name": "b", "client": {"meta": {"b": "2", "c": "2"}, "enabled": false},
      "plugin_dirs": ["/b"], "plugin": {"x": {"isolation": "process"}, "y": {}}})"));
  EXPECT_TRUE(mistakes.empty());
  EXPECT_EQ(all.value, json::parse(R"({"name": "b", "region": "r",
      "client": {"meta": {"a": "1", "b": "2", "c": "2"}, "enabled": false}, "plugin_dirs": ["/b"],
      "plugin": {"x": {"config": {"p": 1, "q": [1]}, "isolation": "process"}, "y": {}}})"));
  EXPECT_EQ(all.Place("/client/meta/a").file, "a");
  EXPECT_EQ(all.Place("/client/meta/b").file, "b");
  EXPECT_EQ(all.Place("/region").file, "a");
}

TEST(ConfigMergeTest, TheConfigurationOfADriverIsReplacedAsAWhole) {
  ConfigFindings mistakes;
  const auto merged = [&mistakes](const char* over) {
    ConfigDocument all;
    const char* const base =
        R"({"plugin": {"x": {"config": {"p": 1, "q": 2}}, "y": {"config": {"p": 1}}}})";
    for (const char* text : {base, over}) {
      MergeConfig(&all, ShapeConfig(ReadJsonConfig(text).value(), {text, "/", false}, &mistakes));
    }
    return all.value.at("plugin");
  };
  EXPECT_EQ(merged(R"({"plugin": {"x": {"config": {"q": 3}}}})"),
            json::parse(R"({"x": {"config": {"q": 3}}, "y": {"config": {"p": 1}}})"));
  EXPECT_EQ(merged(R"({"plugin": {"x": {"config": {}}, "z": {"config": {"q": 3}}}})"),
            json::parse(R"({"x": {"config": {"p": 1, "q": 2}}, "y": {"config": {"p": 1}},
                            "z": {"config": {"q": 3}}})"));
  EXPECT_TRUE(mistakes.empty());
}

class ConfigStatesTest : public ::testing::Test {
 protected:
  void Check(const char* text) {
    ConfigFindings none;
    CheckConfigStates(ShapeConfig(ReadJsonConfig(text).value(), {"f", "/", false}, &none),
                      &refused_, &warned_);
    EXPECT_TRUE(none.empty());
  }
  ConfigFindings refused_, warned_;
};

TEST_F(ConfigStatesTest, WhatHasNoEffectIsNotNamed) {
  Check(
      R"({"vault": {"enabled": false, "address": "x"}, "consul": {"client_auto_join": false}, "acl": {"enabled": false},
      "leave_on_interrupt": false, "ports": {"http": 1, "rpc": 4647, "serf": 4648}, "ui": {"enabled": false},
      "client": {"options": {"driver.raw_exec.enable": "0"}, "servers": [], "no_host_uuid": true},
      "tls": {"rpc": false, "tls_min_version": "tls12"}, "telemetry": {"publish_node_metrics": true}})");
  EXPECT_TRUE(refused_.empty()) << FindingText(refused_[0]);
  EXPECT_TRUE(warned_.empty()) << FindingText(warned_[0]);
}

TEST_F(ConfigStatesTest, AFalseWithAnEffectIsNamed) {
  Check(R"({"disable_update_check": false, "telemetry": {"filter_default": false},
      "server": {"enable_event_broker": false,
                 "default_scheduler_config": {"memory_oversubscription_enabled": false}},
      "client": {"no_host_uuid": false, "nomad_service_discovery": false}})");
  EXPECT_TRUE(refused_.empty()) << FindingText(refused_[0]);
  std::vector<std::string> keys;
  for (const ConfigFinding& warning : warned_) keys.push_back(warning.pointer);
  EXPECT_THAT(keys, ElementsAre("/client/no_host_uuid", "/client/nomad_service_discovery",
                                "/server/default_scheduler_config/memory_oversubscription_enabled",
                                "/server/enable_event_broker", "/telemetry/filter_default",
                                "/disable_update_check"));
}

TEST_F(ConfigStatesTest, AnEmptyBlockCanHaveAnEffect) {
  Check(R"({"client": {"drain_on_shutdown": {}, "server_join": {}}})");
  ASSERT_EQ(refused_.size(), 1u);
  EXPECT_EQ(refused_[0].pointer, "/client/drain_on_shutdown");
}

TEST_F(ConfigStatesTest, AWarningSaysWhy) {
  Check(R"({"ui": {"enabled": true}})");
  EXPECT_TRUE(refused_.empty());
  ASSERT_EQ(warned_.size(), 1u);
  EXPECT_EQ(FindingText(warned_[0]),
            "f:1: /ui: is not carried out by this version: there is no web interface");
}

TEST_F(ConfigStatesTest, ARefusalSaysWhatToDo) {
  Check(R"({"client": {"options": {"driver.raw_exec.enable": "1"}}})");
  EXPECT_TRUE(warned_.empty());
  ASSERT_EQ(refused_.size(), 1u);
  EXPECT_EQ(FindingText(refused_[0]),
            "f:1: /client/options/driver.raw_exec.enable: is not supported by this version: write "
            "plugin \"raw_exec\" { config { enabled = true } }");
}

}  // namespace
}  // namespace drover
