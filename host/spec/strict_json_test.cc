// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/strict_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

using testing::HasSubstr;

std::string Fault(std::string_view text) {
  const auto parsed = ParseStrictJson(text);
  return parsed.ok() ? "" : parsed.error().message();
}

TEST(StrictJsonTest, ReadsWhatTheLibraryReads) {
  const std::string text =
      R"({"a":[1,-2,3.5,true,null,"x\u00e9",{"b":{}}],"c":18446744073709551615,"d":[]})";
  const auto parsed = ParseStrictJson(text);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message();
  EXPECT_EQ(*parsed, nlohmann::json::parse(text));
  EXPECT_EQ(*ParseStrictJson("7"), nlohmann::json(7));
}

TEST(StrictJsonTest, TellsWhereItIsNotJson) {
  EXPECT_THAT(Fault("{\n  \"a\": nope\n}"), HasSubstr("line 2, column 9"));
  EXPECT_THAT(Fault("{} {}"), HasSubstr("not JSON"));
  EXPECT_THAT(Fault("{"), HasSubstr("not JSON"));
  EXPECT_THAT(Fault("[1,]"), HasSubstr("not JSON"));
  EXPECT_THAT(Fault(""), HasSubstr("empty"));
  EXPECT_THAT(Fault(" \n"), HasSubstr("empty"));
}

TEST(StrictJsonTest, RefusesTextThatIsNotUtf8) {
  for (const std::string bad :
       {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    const std::string message = Fault("{\"a\":\"" + bad + "\"}");
    EXPECT_THAT(message, HasSubstr("not JSON"));
    for (const char c : message) EXPECT_GE(c, ' ');  // also no byte of the input
  }
  EXPECT_THAT(Fault(R"(["\ud800"])"), HasSubstr("not JSON"));
}

TEST(StrictJsonTest, RefusesDuplicateKeysAtAnyDepth) {
  EXPECT_EQ(Fault(R"({"a":[{},{"b":1,"b":1}]})"), "/a/1: the key \"b\" occurs twice in one object");
  EXPECT_EQ(Fault(R"({"a":[{"b":1},{"b":1}],"c":{"a":1}})"), "");
}

TEST(StrictJsonTest, RefusesNulCharactersAndNumbersThatDoNotFit) {
  EXPECT_THAT(Fault(R"({"a":"x\u0000y"})"), HasSubstr("/a: the text holds the character U+0000"));
  EXPECT_THAT(Fault(R"({"\u0000":1})"), HasSubstr("U+0000"));
  EXPECT_THAT(Fault("[18446744073709551616]"), HasSubstr("/0: the number 18446744073709551616"));
  EXPECT_THAT(Fault("[1e999]"), HasSubstr("not JSON"));
  EXPECT_EQ(Fault("[1e99]"), "");
}

TEST(StrictJsonTest, DepthAndSizeAreLimited) {
  EXPECT_EQ(Fault(std::string(64, '[') + std::string(64, ']')), "");
  EXPECT_THAT(Fault(std::string(65, '[') + std::string(65, ']')), HasSubstr("nested"));
  EXPECT_THAT(Fault(std::string(5'000'000, '[')), HasSubstr("nested"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(Fault(objects), HasSubstr("nested"));
  EXPECT_THAT(Fault("\"" + std::string(9u << 20, 'x') + "\""), HasSubstr("bytes"));
}

TEST(StrictJsonTest, EveryPrefixAndMutationIsAnErrorOrAValue) {
  const std::string text = R"({"a":[1,-2.5e3,"x\n\u00e9",{"b":{},"c":[null,true]}],"d":"\\"})";
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_NE(Fault(text.substr(0, i)), "") << i;
    for (int byte = 0; byte < 256; byte += 7) {
      std::string mutated = text;
      mutated[i] = static_cast<char>(byte);
      (void)Fault(mutated);
    }
  }
}

TEST(StrictJsonTest, PointersAndQuotes) {
  EXPECT_EQ(JsonPointer("/a", "b/c~d"), "/a/b~1c~0d");
  EXPECT_EQ(JsonPointer("", "x\ny"), "/x?y");
  EXPECT_EQ(JsonPointer("/a", std::size_t{3}), "/a/3");
  EXPECT_EQ(Quoted("a\"b\n"), "\"a\\\"b\\x0a\"");
  EXPECT_EQ(Quoted(std::string(100, 'x')), "\"" + std::string(80, 'x') + "...\"");
}

}  // namespace
}  // namespace drover
