// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/msgpack_reader.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace drover {
namespace {

using nlohmann::json;
using namespace std::string_literals;

// Returns the message of the error that reading BYTES gives; empty if there is none.
std::string MsgpackFaultOf(const std::string& bytes, MsgpackLimits limits = {}) {
  const auto read = ReadMsgpack(bytes, limits);
  return read.ok() ? "" : read.error().message();
}

TEST(Msgpack, ReadsEachKindOfValue) {
  EXPECT_EQ(*ReadMsgpack("\xc0"s), json());
  EXPECT_EQ(*ReadMsgpack("\xc3"s), json(true));
  EXPECT_EQ(*ReadMsgpack("\x2a"s), json(42));
  EXPECT_EQ(*ReadMsgpack("\xff"s), json(-1));
  EXPECT_EQ(*ReadMsgpack("\xd1\x75\xdd"s), json(30173)) << "a port, as Go writes it";
  EXPECT_EQ(*ReadMsgpack("\xd2\x00\x01\x00\x00"s), json(65536));
  EXPECT_EQ(*ReadMsgpack("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"s), json(0xffffffffffffffffu));
  EXPECT_EQ(*ReadMsgpack("\xcb\x40\x08\x00\x00\x00\x00\x00\x00"s), json(3.0));
  EXPECT_EQ(*ReadMsgpack("\xca\x3f\x80\x00\x00"s), json(1.0));
  EXPECT_EQ(*ReadMsgpack("\xa2hi"s), json("hi"));
  EXPECT_EQ(*ReadMsgpack("\xd9\x02hi"s), json("hi"));
  EXPECT_EQ(*ReadMsgpack("\xda\x00\x02hi"s), json("hi"));
  EXPECT_EQ(*ReadMsgpack("\xdb\x00\x00\x00\x02hi"s), json("hi"));
  EXPECT_EQ(*ReadMsgpack("\x92\x01\xc2"s), json::parse("[1,false]"));
  EXPECT_EQ(*ReadMsgpack("\xdc\x00\x01\x07"s), json::parse("[7]"));
  EXPECT_EQ(*ReadMsgpack("\x82\xa1x\x01\xa1y\x80"s), json::parse(R"({"x":1,"y":{}})"));
  EXPECT_EQ(*ReadMsgpack("\xde\x00\x01\xa1x\x01"s), json::parse(R"({"x":1})"));
}

TEST(Msgpack, MakesTextsOfByteStrings) {
  EXPECT_EQ(*ReadMsgpack("\xc4\x02hi"s), json("hi"));
  EXPECT_EQ(*ReadMsgpack("\x91\xc5\x00\x02hi"s), json::parse(R"(["hi"])"));
  const auto raw = ReadMsgpack("\xa2\xff\x00"s);
  ASSERT_TRUE(raw.ok()) << "a text need not be UTF-8";
  EXPECT_EQ(raw->get<std::string>(), "\xff\x00"s);
}

TEST(Msgpack, ReadsWhatItWrites) {
  const json value = {{"a", {1, -1, 2.5, nullptr, true}},
                      {"b", std::string(300, 'x')},
                      {"c", {{"d", json::object()}}},
                      {"e", std::string("\x01\xff\xfe\x00", 4)}};
  EXPECT_EQ(*ReadMsgpack(WriteMsgpack(value)), value);
}

TEST(Msgpack, RefusesWhatIsNoValue) {
  EXPECT_NE(MsgpackFaultOf("").find("before it is complete"), std::string::npos);
  EXPECT_NE(MsgpackFaultOf("\xc1").find("0xc1"), std::string::npos);
  EXPECT_NE(MsgpackFaultOf("\x01\x02").find("1 bytes after"), std::string::npos);
  EXPECT_NE(MsgpackFaultOf("\xa5hi").find("before it is complete"), std::string::npos);
  EXPECT_NE(MsgpackFaultOf("\x92\x01").find("before it is complete"), std::string::npos);
  EXPECT_NE(MsgpackFaultOf("\x81\x01\x01").find("key"), std::string::npos) << "a number as key";
  EXPECT_NE(MsgpackFaultOf("\x81\x80\x01").find("key"), std::string::npos) << "a map as key";
  for (const std::string& extension :
       {"\xd4\x00\x00"s, "\xd8"s + std::string(17, 'x'), "\xc7\x01\x00x"s, "\xc9\x00\x00"s}) {
    EXPECT_NE(MsgpackFaultOf(extension).find("applications"), std::string::npos);
  }
}

TEST(Msgpack, RefusesSizesBeforeTheirBytesArrive) {
  MsgpackScanner text;
  EXPECT_EQ(text.Scan("\xdb\x40\x00\x00\x00"s).code(), Code::kResourceExhausted) << "1 GiB";
  MsgpackScanner list;
  EXPECT_EQ(list.Scan("\xdd\xff\xff\xff\xff"s).code(), Code::kResourceExhausted);
  MsgpackScanner map;
  EXPECT_EQ(map.Scan("\xdf\xff\xff\xff\xff"s).code(), Code::kResourceExhausted);
}

TEST(Msgpack, LimitsDepthAndParts) {
  const MsgpackLimits limits{1000, 5, 10};
  EXPECT_EQ(MsgpackFaultOf("\x91\x91\x91\x91\x91\x01", limits), "");
  EXPECT_NE(MsgpackFaultOf("\x91\x91\x91\x91\x91\x91\x01", limits).find("5 levels"),
            std::string::npos);
  EXPECT_EQ(MsgpackFaultOf("\x99"s + std::string(9, '\x01'), limits), "");
  EXPECT_NE(MsgpackFaultOf("\x9a"s + std::string(10, '\x01'), limits).find("10 parts"),
            std::string::npos);
  // Each list is small, but all together are not.
  EXPECT_NE(
      MsgpackFaultOf("\x93\x93\x01\x01\x01\x93\x01\x01\x01\x93\x01\x01\x01", limits).find("parts"),
      std::string::npos);
  EXPECT_NE(MsgpackFaultOf(std::string(1 << 20, '\x91')).find("levels"), std::string::npos);
}

TEST(Msgpack, ScansBytesThatArriveOneByOne) {
  const std::string bytes = "\x83\xa1x\x92\x01\xcd\x01\x00\xda\x00\x01y\xc0\xa1z\xa3"s + "abc";
  MsgpackScanner scanner;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto end = scanner.Scan(std::string_view(bytes).substr(0, size));
    ASSERT_TRUE(end.ok()) << end.error().message();
    ASSERT_FALSE(*end) << size;
  }
  const auto end = scanner.Scan(bytes);
  ASSERT_TRUE(end.ok() && *end);
  EXPECT_EQ(**end, bytes.size());
  MsgpackScanner more;
  const auto first = more.Scan(bytes + "\xc0");
  ASSERT_TRUE(first.ok() && *first);
  EXPECT_EQ(**first, bytes.size()) << "what follows is another value";
}

// Whatever a server sends, reading ends with a value or an error.
TEST(Msgpack, SurvivesAnyBytes) {
  std::mt19937 random(1);
  const std::string right = WriteMsgpack(
      {{"Allocs", {{{"ID", "x"}, {"Ports", {1, 2, 3}}}}}, {"Index", 7}, {"Text", "some text"}});
  int values = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = right;
    for (int change = 0; change < 3; ++change) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (round % 3 == 0) bytes.resize(random() % bytes.size());
    values += ReadMsgpack(bytes).ok() ? 1 : 0;
  }
  EXPECT_GT(values, 0);
}

}  // namespace
}  // namespace drover
