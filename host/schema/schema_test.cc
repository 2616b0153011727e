// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using testing::HasSubstr;

std::string ParseError(std::string_view schema) {
  const auto parsed = Schema::Parse(schema);
  return parsed.ok() ? "" : parsed.error().message();
}

std::string Fault(std::string_view schema, std::string_view value) {
  const auto parsed = Schema::Parse(schema);
  EXPECT_TRUE(parsed.ok()) << parsed.error().message();
  const Status status = parsed->Validate(value);
  return status.ok() ? "" : status.error().message();
}

TEST(SchemaTest, RefusesSchemasThatItCannotCheck) {
  EXPECT_EQ(ParseError(R"({"type": "object"})"), "");
  EXPECT_EQ(ParseError(R"({"title": "t", "description": "d", "$schema": "s", "examples": [1]})"),
            "");
  EXPECT_EQ(ParseError(R"({"properties": {}})"),
            "/properties: needs \"type\": \"object\" beside it");
  EXPECT_EQ(ParseError(R"({"type": "object", "items": {}})"),
            "/items: needs \"type\": \"array\" beside it");
  EXPECT_EQ(ParseError(R"({"type": "text"})"),
            "/type: must be one of object, array, string, integer, number, boolean, null");
  EXPECT_EQ(ParseError(R"({"type": ["string"]})").substr(0, 6), "/type:");
  EXPECT_EQ(ParseError(R"({"type": "object", "properties": {"a/b": {"pattern": "x"}}})"),
            "/properties/a~1b/pattern: is not a keyword that this host knows; docs/schema.md "
            "lists them");
  EXPECT_EQ(ParseError(R"({"type": "object", "required": ["a"]})"),
            "/required: \"a\" is not among the properties");
  EXPECT_EQ(ParseError(R"({"type": "array", "items": {"type": "string", "default": 1}})"),
            "/items/default: is not valid: the configuration: must be a text, but is 1");
  for (const char* bad :
       {"", "[]", "1", "{", R"({"enum": []})", R"({"enum": 1})", R"({"minimum": "1"})",
        R"({"minLength": -1})", R"({"maxItems": 1.5})", R"({"title": 1})",
        R"({"type": "object", "properties": []})", R"({"type": "object", "properties": {"a": 1}})",
        R"({"type": "object", "additionalProperties": 1})", R"({"type": "array", "items": []})",
        R"({"type": "object", "required": "a"})", R"({"type": "object", "required": [1]})",
        R"({"type": "object", "properties": {"a": {}}, "required": ["a", "a"]})"}) {
    EXPECT_NE(ParseError(bad), "") << bad;
  }
}

TEST(SchemaTest, ChecksTypes) {
  const std::pair<const char*, const char*> kValues[] = {
      {"object", "{}"},  {"array", "[]"},     {"string", "\"\""}, {"integer", "1"},
      {"number", "1.5"}, {"boolean", "true"}, {"null", "null"}};
  for (const auto& [declared, unused] : kValues) {
    for (const auto& [type, value] : kValues) {
      const std::string schema = std::string(R"({"type": ")") + declared + "\"}";
      const bool valid =
          declared == type || (declared == std::string("number") && type == std::string("integer"));
      EXPECT_EQ(Fault(schema, value).empty(), valid) << declared << " " << value;
    }
  }
  EXPECT_EQ(Fault(R"({"type": "integer"})", "2.0"), "");
  EXPECT_EQ(Fault(R"({"type": "integer"})", "2.5"),
            "the configuration: must be a whole number, but is 2.5");
  EXPECT_EQ(Fault("{}", "[1, {\"a\": null}]"), "");
}

TEST(SchemaTest, ChecksLimits) {
  EXPECT_EQ(Fault(R"({"minimum": 1, "maximum": 2.5})", "2"), "");
  EXPECT_EQ(Fault(R"({"minimum": 1})", "0.5"), "the configuration: must be at least 1, but is 0.5");
  EXPECT_EQ(Fault(R"({"maximum": 2.5})", "3"), "the configuration: must be at most 2.5, but is 3");
  EXPECT_EQ(Fault(R"({"minLength": 1})", "\"\""), "the configuration: must not be empty");
  EXPECT_EQ(
      Fault(R"({"minLength": 3, "maxLength": 3})", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""), "");
  EXPECT_EQ(Fault(R"({"maxLength": 1})", "\"ab\""),
            "the configuration: must have at most 1 characters, but has 2");
  EXPECT_EQ(Fault(R"({"minItems": 2})", "[1]"),
            "the configuration: must have at least 2 elements, but has 1");
  EXPECT_EQ(Fault(R"({"maxItems": 0})", "[1]"),
            "the configuration: must have at most 0 elements, but has 1");
  EXPECT_EQ(Fault(R"({"enum": ["a", 1, null]})", "1.0"), "");
  EXPECT_EQ(Fault(R"({"enum": ["a", 1, null]})", "true"),
            "the configuration: must be one of \"a\", 1, null, but is true");
  EXPECT_EQ(Fault(R"({"const": {"a": [1]}})", R"({"a": [1]})"), "");
  EXPECT_EQ(Fault(R"({"const": "x"})", "\"y\""), "the configuration: must be \"x\", but is \"y\"");
}

constexpr char kTask[] = R"({
  "type": "object", "required": ["command"],
  "properties": {
    "command": {"type": "string", "minLength": 1},
    "args": {"type": "array", "items": {"type": "string"}},
    "limits": {"type": "object", "properties": {"cpu": {"type": "integer", "minimum": 0}}},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}}}})";

TEST(SchemaTest, ChecksObjectsAndListsByPointer) {
  EXPECT_EQ(Fault(kTask, R"({"command": "x", "args": ["a"], "limits": {"cpu": 1},
                             "labels": {"k": "v"}})"),
            "");
  EXPECT_EQ(Fault(kTask, "{}"), "/command: is missing");
  EXPECT_EQ(Fault(kTask, R"({"comand": "x"})"),
            "/command: is missing; /comand: there is no such field; did you mean \"command\"?");
  EXPECT_EQ(Fault(kTask, R"({"command": "x", "zzz": 1})"), "/zzz: there is no such field");
  EXPECT_EQ(Fault(kTask, R"({"command": "x", "args": ["a", 1]})"),
            "/args/1: must be a text, but is 1");
  EXPECT_EQ(Fault(kTask, R"({"command": "x", "limits": {"cpu": -1, "ram": 2}})"),
            "/limits/cpu: must be at least 0, but is -1; /limits/ram: there is no such field");
  EXPECT_EQ(Fault(kTask, R"({"command": "x", "labels": {"a/b": []}})"),
            "/labels/a~1b: must be a text, but is a list of 0");
  EXPECT_EQ(Fault(R"({"type": "object", "additionalProperties": true})", R"({"a": [1]})"), "");
}

TEST(SchemaTest, BadAndHugeInputIsAnError) {
  const auto schema = Schema::Parse(R"({"type": "object"})");
  EXPECT_FALSE(schema->Validate("").ok());
  EXPECT_FALSE(schema->Validate("{").ok());
  EXPECT_FALSE(schema->Normalize(R"({"a": 1, "a": 1})", true).ok());
  EXPECT_FALSE(schema->Normalize(std::string(100'000, '['), true).ok());
  EXPECT_FALSE(Schema::Parse(std::string(100'000, '[')).ok());
  std::string many = "{";
  for (int i = 0; i < 20'000; ++i) many += "\"x" + std::to_string(i) + "\":1,";
  many.back() = '}';
  const std::string message = Fault(kTask, many);
  EXPECT_THAT(message, HasSubstr("; and 19981 more"));
  EXPECT_LT(message.size(), 10'000u);
}

}  // namespace
}  // namespace drover
