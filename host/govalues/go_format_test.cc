// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/govalues/go_format.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::templates {
namespace {

class FormatTest : public ::testing::Test {
 protected:
  std::string Formatted(const char* format, const List& values) {
    const Result<std::string> text = Sprintf(format, values, 1 << 20);
    return text.ok() ? *text : "error: " + text.error().message();
  }
  Value Text(const char* text) { return heap_.Text(text); }

  Heap heap_{1 << 20, 1000};
};

// The expectations are those of the documentation and the tests of Go's package fmt.
TEST_F(FormatTest, Integers) {
  const auto shown = [this](const char* format, std::int64_t value) {
    return Formatted(format, {Value::Int(value)});
  };
  EXPECT_EQ(shown("%d", -345), "-345");
  EXPECT_EQ(shown("%+d|%5d|", 7), "+7|%!d(MISSING)|");
  EXPECT_EQ(shown("%-5d|", 7), "7    |");
  EXPECT_EQ(shown("%05d", -42), "-0042");
  EXPECT_EQ(shown("% d", 7), " 7");
  EXPECT_EQ(shown("%.3d", 7), "007");
  EXPECT_EQ(shown("%x", -1234), "-4d2");
  EXPECT_EQ(shown("%#X", 255), "0XFF");
  EXPECT_EQ(shown("%#o", 8), "010");
  EXPECT_EQ(shown("%O", 8), "0o10");
  EXPECT_EQ(shown("%b", 5), "101");
  EXPECT_EQ(shown("%c", 0x4e16), "世");
  EXPECT_EQ(shown("%q", 'a'), "'a'");
  EXPECT_EQ(shown("%U", 0x263a), "U+263A");
  EXPECT_EQ(shown("%#U", 0x263a), "U+263A '☺'");
  EXPECT_EQ(shown("%T", 1), "int");
  EXPECT_EQ(shown("%s", 1), "%!s(int=1)");
}

TEST_F(FormatTest, Reals) {
  const auto shown = [this](const char* format, double value) {
    return Formatted(format, {Value::Float(value)});
  };
  EXPECT_EQ(shown("%v", 1.0), "1");
  EXPECT_EQ(shown("%v", 1e6), "1e+06");
  EXPECT_EQ(shown("%v", 123456.0), "123456");
  EXPECT_EQ(shown("%v", 0.0001), "0.0001");
  EXPECT_EQ(shown("%v", 0.00001), "1e-05");
  EXPECT_EQ(shown("%f", 3.5), "3.500000");
  EXPECT_EQ(shown("%8.2f|", 3.14159), "    3.14|");
  EXPECT_EQ(shown("%08.3f", -1.5), "-001.500");
  EXPECT_EQ(shown("%+.3e", 0.0), "+0.000e+00");
  EXPECT_EQ(shown("%g", 100000.0), "100000");
  EXPECT_EQ(shown("%.3g", 1234.5678), "1.23e+03");
  EXPECT_EQ(shown("%#g", 1.0), "1.00000");
  EXPECT_EQ(shown("%G", 1e-10), "1E-10");
  EXPECT_EQ(shown("%x", 1.0), "0x1p+00");
  EXPECT_EQ(shown("%d", 1.5), "%!d(float64=1.5)");
}

TEST_F(FormatTest, Texts) {
  const auto shown = [this](const char* format, const char* text) {
    return Formatted(format, {Text(text)});
  };
  EXPECT_EQ(shown("%s", "abc"), "abc");
  EXPECT_EQ(shown("%5s|%%", "é"), "    é|%");
  EXPECT_EQ(shown("%-5s|", "é"), "é    |");
  EXPECT_EQ(shown("%.2s", "日本語"), "日本");
  EXPECT_EQ(shown("%q", "a\"b\n"), R"("a\"b\n")");
  EXPECT_EQ(shown("%#q", "abc"), "`abc`");
  EXPECT_EQ(shown("%+q", "é"), R"("\u00e9")");
  EXPECT_EQ(shown("%x", "hello"), "68656c6c6f");
  EXPECT_EQ(shown("% X", "hi"), "68 69");
  EXPECT_EQ(shown("%#v", "a"), "\"a\"");
  EXPECT_EQ(shown("%d", "a"), "%!d(string=a)");
}

TEST_F(FormatTest, OddFormats) {
  const List two = {Value::Int(1), Value::Int(2)};
  EXPECT_EQ(Formatted("%[2]d %[1]d", two), "2 1");
  EXPECT_EQ(Formatted("%*d|", {Value::Int(4), Value::Int(7)}), "   7|");
  EXPECT_EQ(Formatted("%[3]d", two), "%!d(BADINDEX)");
  EXPECT_EQ(Formatted("%d", two), "1%!(EXTRA int=2)");
  EXPECT_EQ(Formatted("%", {}), "%!(NOVERB)");
  EXPECT_EQ(Formatted("%v %s", {Value::Nil(), Value::Nil()}), "<nil> %!s(<nil>)");
  EXPECT_EQ(Formatted("%t", {Value::Bool(true)}), "true");
}

TEST_F(FormatTest, ListsAndMaps) {
  const Value list = heap_.NewList({Value::Int(1), Text("a b"), Value::Nil()});
  EXPECT_EQ(Formatted("%v", {list}), "[1 a b <nil>]");
  EXPECT_EQ(Formatted("%q", {heap_.Strings({"a", "b"})}), R"(["a" "b"])");
  EXPECT_EQ(Formatted("%#v", {heap_.Strings({"a", "b"})}), R"([]string{"a", "b"})");
  EXPECT_EQ(Formatted("%03d", {heap_.NewList({Value::Int(1), Value::Int(2)}, &kIntList)}),
            "[001 002]");
  const Value map = heap_.NewMap();
  heap_.Put(map, "b", Value::Int(2));
  heap_.Put(map, "a", list);
  EXPECT_EQ(Formatted("%v", {map}), "map[a:[1 a b <nil>] b:2]");
}

TEST_F(FormatTest, IsBounded) {
  EXPECT_FALSE(Sprintf("%100d", {Value::Int(1)}, 10).ok());
  const Value map = heap_.NewMap();
  heap_.Put(map, "self", map);
  EXPECT_FALSE(Sprint({map}, 1 << 20).ok());
}

}  // namespace
}  // namespace drover::templates
