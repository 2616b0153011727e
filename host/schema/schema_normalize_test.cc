// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/schema/schema.h"

namespace drover {
namespace {

std::string Normalized(std::string_view schema, std::string_view value, bool final = true) {
  const auto parsed = Schema::Parse(schema);
  EXPECT_TRUE(parsed.ok()) << parsed.error().message();
  const auto result = parsed->Normalize(value, final);
  if (!result.ok()) return "error: " + result.error().message();
  EXPECT_EQ(*parsed->Normalize(*result, final), *result) << "not stable";
  if (final) EXPECT_TRUE(parsed->Validate(*result).ok()) << *result;
  return *result;
}

std::string Scalar(std::string_view type, std::string_view value, bool final = true) {
  return Normalized(R"({"type": ")" + std::string(type) + "\"}", value, final);
}

constexpr char kDefaults[] = R"({"type": "object", "properties": {
  "a": {"type": "integer", "default": 1},
  "b": {"type": "string"},
  "c": {"type": "object", "default": {}, "properties": {
    "d": {"type": "array", "default": ["x"], "items": {"type": "string"}}}},
  "e": {"type": "object", "properties": {"f": {"type": "boolean", "default": false}}},
  "n": {"type": "null"}, "any": {}}})";

TEST(SchemaNormalizeTest, FillsDefaultsIn) {
  EXPECT_EQ(Normalized(kDefaults, "{}"), R"({"a":1,"c":{"d":["x"]}})");
  EXPECT_EQ(Normalized(kDefaults, R"({"a": 2, "c": {"d": []}, "e": {}})"),
            R"({"a":2,"c":{"d":[]},"e":{"f":false}})");
}

TEST(SchemaNormalizeTest, NullIsTheSameAsAbsent) {
  EXPECT_EQ(Normalized(kDefaults, R"({"a": null, "b": null, "e": null})"),
            R"({"a":1,"c":{"d":["x"]}})");
  EXPECT_EQ(Normalized(kDefaults, R"({"n": null, "any": null})"),
            R"({"a":1,"any":null,"c":{"d":["x"]},"n":null})");
  EXPECT_EQ(Normalized(R"({"type": "object", "required": ["a"],
                           "properties": {"a": {"type": "string"}}})",
                       R"({"a": null})"),
            "error: /a: is missing");
  EXPECT_EQ(Normalized(R"({"type": "array", "items": {"type": "string"}})", "[null]"),
            "error: /0: must be a text, but is null");
}

TEST(SchemaNormalizeTest, BlocksBecomeObjects) {
  constexpr char kSchema[] = R"({"type": "object", "properties": {
    "block": {"type": "object", "properties": {"x": {"type": "integer", "default": 3}}},
    "blocks": {"type": "array", "items": {"type": "object", "properties": {"y": {}}}},
    "map": {"type": "object", "additionalProperties": {"type": "string"}}}})";
  EXPECT_EQ(Normalized(kSchema, R"({"block": [{"x": 1}]})"), R"({"block":{"x":1}})");
  EXPECT_EQ(Normalized(kSchema, R"({"block": [{}]})"), R"({"block":{"x":3}})");
  EXPECT_EQ(Normalized(kSchema, R"({"block": [{}, {}]})"),
            "error: /block: must be an object, but is a list of 2");
  EXPECT_EQ(Normalized(kSchema, R"({"block": []})"),
            "error: /block: must be an object, but is a list of 0");
  EXPECT_EQ(Normalized(kSchema, R"({"block": ["x"]})"),
            "error: /block: must be an object, but is a list of 1");
  EXPECT_EQ(Normalized(kSchema, R"({"blocks": [{"y": 1}, {"y": 2}]})"),
            R"({"blocks":[{"y":1},{"y":2}]})");
  EXPECT_EQ(Normalized(kSchema, R"({"map": [{"a": "1", "b": "2"}, {"c": "3"}]})"),
            R"({"map":{"a":"1","b":"2","c":"3"}})");
  EXPECT_EQ(Normalized(kSchema, R"({"map": []})"), R"({"map":{}})");
  EXPECT_EQ(Normalized(kSchema, R"({"map": [{"a": "1"}, {"a": "1"}]})"),
            "error: /map/1/a: the key occurs in two blocks");
  EXPECT_EQ(Normalized(kSchema, R"([{"block": [{"x": "7"}]}])"), R"({"block":{"x":7}})");
}

TEST(SchemaNormalizeTest, TextsBecomeNumbersAndBooleans) {
  EXPECT_EQ(Scalar("boolean", "\"true\""), "true");
  EXPECT_EQ(Scalar("boolean", "\"false\""), "false");
  for (const char* bad : {"\"True\"", "\"1\"", "\"\"", "1", "\" true\""}) {
    EXPECT_THAT(Scalar("boolean", bad), testing::StartsWith("error: ")) << bad;
  }
  EXPECT_EQ(Scalar("integer", "\"-12\""), "-12");
  EXPECT_EQ(Scalar("integer", "\"0\""), "0");
  EXPECT_EQ(Scalar("integer", "\"9223372036854775807\""), "9223372036854775807");
  EXPECT_EQ(Scalar("integer", "3.0"), "3");
  for (const char* bad : {"\"\"", "\"+1\"", "\"01\"", "\"1.0\"", "\"0x10\"", "\" 1\"", "\"1 \"",
                          "\"9223372036854775808\"", "\"-\"", "\"1e3\"", "true", "1.5",
                          "9223372036854775808", "1e300"}) {
    EXPECT_THAT(Scalar("integer", bad), testing::StartsWith("error: ")) << bad;
  }
  EXPECT_EQ(Scalar("number", "\"1.5\""), "1.5");
  EXPECT_EQ(Scalar("number", "\"7\""), "7");
  EXPECT_EQ(Scalar("number", "\"-2.5e-1\""), "-0.25");
  for (const char* bad : {"\".5\"", "\"1.\"", "\"1.e3\"", "\"1e\"", "\"nan\"", "\"inf\"", "\"--1\"",
                          "\"1e999\"", "\"00.5\"", "\"1.5x\""}) {
    EXPECT_THAT(Scalar("number", bad), testing::StartsWith("error: ")) << bad;
  }
}

TEST(SchemaNormalizeTest, WholeNumbersAndBooleansBecomeTexts) {
  EXPECT_EQ(Scalar("string", "80"), "\"80\"");
  EXPECT_EQ(Scalar("string", "-3"), "\"-3\"");
  EXPECT_EQ(Scalar("string", "true"), "\"true\"");
  EXPECT_EQ(Scalar("string", "1.0"), "error: the configuration: must be a text, but is 1.0");
  EXPECT_EQ(Scalar("string", "null"), "error: the configuration: must be a text, but is null");
}

TEST(SchemaNormalizeTest, ConversionComesBeforeTheLimits) {
  EXPECT_EQ(Normalized(R"({"type": "integer", "enum": [1, 2]})", "\"2\""), "2");
  EXPECT_EQ(Normalized(R"({"type": "integer", "maximum": 5})", "\"9\""),
            "error: the configuration: must be at most 5, but is 9");
}

TEST(SchemaNormalizeTest, ReferencesSatisfyAnyScalarUntilTheEnd) {
  for (const char* type : {"string", "integer", "number", "boolean"}) {
    EXPECT_EQ(Scalar(type, R"("${NOMAD_PORT_http}")", false), R"("${NOMAD_PORT_http}")");
  }
  EXPECT_EQ(Normalized(R"({"type": "string", "enum": ["a"], "minLength": 90})", "\"x${y}\"", false),
            "\"x${y}\"");
  EXPECT_EQ(Scalar("integer", R"("${x}")"),
            "error: the configuration: must be a whole number, but is the text \"${x}\"");
  EXPECT_THAT(Scalar("object", R"("${x}")", false), testing::StartsWith("error: "));
  EXPECT_THAT(Scalar("array", R"("${x}")", false), testing::StartsWith("error: "));
  EXPECT_THAT(Scalar("integer", R"("$x")", false), testing::StartsWith("error: "));
  EXPECT_EQ(Scalar("string", R"("${x}")"), R"("${x}")");  // a text like any other
}

TEST(SchemaNormalizeTest, AllFaultsAreTold) {
  EXPECT_EQ(Normalized(kDefaults, R"({"a": "x", "b": [], "q": 1})"),
            "error: /a: must be a whole number, but is the text \"x\"; "
            "/b: must be a text, but is a list of 0; /q: there is no such field");
}

}  // namespace
}  // namespace drover
