// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/hcl/job_schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace drover {
namespace {

using nlohmann::json;

const json& Body(const std::string& name) { return JobHclSchema().at("Bodies").at(name); }
const json& Block(const std::string& body, const std::string& name) {
  return Body(body).at("Blocks").at(name);
}
const json& Attribute(const std::string& body, const std::string& name) {
  return Body(body).at("Attributes").at(name);
}

TEST(JobSchemaTest, EveryBodyIsThereAndIsReached) {
  const json& bodies = JobHclSchema().at("Bodies");
  std::set<std::string> reached = {JobHclSchema().at("Root").get<std::string>()};
  for (const auto& [name, body] : bodies.items()) {
    for (const auto& [block_name, block] : body.at("Blocks").items()) {
      const std::string inner = block.value("Body", "");
      EXPECT_NE(inner.empty(), block.value("Open", "").empty()) << name << " " << block_name;
      if (inner.empty()) continue;
      EXPECT_TRUE(bodies.contains(inner)) << inner;
      reached.insert(inner);
    }
  }
  EXPECT_EQ(reached.size(), bodies.size());
  EXPECT_GT(bodies.size(), 50u);
}

TEST(JobSchemaTest, NamesKindsAndLabelsAreThoseOfTheTable) {
  EXPECT_EQ(Block("file", "job").at("Labels"), json({"Label"}));
  EXPECT_EQ(Attribute("job", "id").at("Field"), "ID");
  EXPECT_EQ(Attribute("job", "datacenters").at("Type"), "list(string)");
  EXPECT_EQ(Attribute("job", "priority").at("Type"), "integer");
  EXPECT_EQ(Block("job", "group").at("Field"), "TaskGroups");
  EXPECT_EQ(Block("job", "group").at("Labels"), json({"Name"}));
  EXPECT_EQ(Block("job", "group").at("Many"), true);
  EXPECT_EQ(Block("job", "meta").at("Open"), "map");
  EXPECT_EQ(Attribute("task", "kill_timeout"),
            json({{"Field", "KillTimeout"}, {"Type", "duration"}}));
  EXPECT_EQ(Block("task", "config").at("Open"), "any");
  EXPECT_EQ(Block("task", "logs").at("Field"), "LogConfig");
  EXPECT_EQ(Block("task", "logs").at("Many"), false);
  EXPECT_EQ(Block("network", "port").at("Field"), "DynamicPorts");
  EXPECT_EQ(Block("network", "port").at("Labels"), json({"Label"}));
  EXPECT_EQ(Attribute("port", "static").at("Field"), "Value");
  EXPECT_EQ(Block("check", "header").at("Open"), "lists");
  EXPECT_EQ(Block("group", "volume").at("Labels"), json({"Name"}));
}

TEST(JobSchemaTest, WhatHasNoFormInHclIsNotThere) {
  for (const char* name : {"status", "version", "stop", "payload", "parent_id", ""}) {
    EXPECT_FALSE(Body("job").at("Attributes").contains(name)) << name;
  }
  EXPECT_FALSE(Body("group").at("Attributes").contains("name")) << "it is the label";
}

TEST(JobSchemaTest, BlocksMayStandFurtherOutside) {
  EXPECT_EQ(Block("job", "task"), Block("group", "task"));
  for (const char* name : {"vault", "secret"}) {
    EXPECT_EQ(Block("job", name), Block("task", name));
    EXPECT_EQ(Block("group", name), Block("task", name));
  }
}

TEST(JobSchemaTest, OperatorsMayBeAttributes) {
  EXPECT_EQ(Attribute("constraint", "distinct_hosts").at("Type"), "bool");
  EXPECT_EQ(Attribute("constraint", "regexp").at("Type"), "string");
  EXPECT_EQ(Attribute("affinity", "version").at("Type"), "string");
  EXPECT_FALSE(Body("affinity").at("Attributes").contains("distinct_hosts"));
}

}  // namespace
}  // namespace drover
