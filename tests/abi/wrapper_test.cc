// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The parts of the wrapper and of raw_exec that are functions of their input.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "drover/gate.hpp"
#include "drover/json.hpp"
#include "drover/pool.hpp"
#include "drover/signals.hpp"
#include "env_filter.h"
#include "fake_host.h"
#include "id_ranges.h"

namespace drover_test {
namespace {

using drover::Json;

std::string Fault(const std::string& text) {
  try {
    Json::Parse(text);
    return "";
  } catch (const drover::Error& error) {
    EXPECT_EQ(error.code(), drover::Code::kInvalidArgument);
    return error.message();
  }
}

TEST(JsonTest, ReadsEverything) {
  Json json = Json::Parse(
      " {\"b\": [true, false, null], \"i\": -9223372036854775808, \"d\": 1.5e2, \"s\": "
      "\"a\\u00e9\\ud83d\\ude00\\n\\\"\\/\", \"o\": {}, \"big\": 9223372036854775808} ");
  EXPECT_TRUE(json["b"].AsArray()[0].AsBool());
  EXPECT_TRUE(json["b"].AsArray()[2].is_null());
  EXPECT_EQ(json["i"].AsInt(), std::numeric_limits<std::int64_t>::min());
  EXPECT_DOUBLE_EQ(json["d"].AsDouble(), 150);
  EXPECT_EQ(json["s"].AsString(), "a\u00e9\U0001F600\n\"/");
  EXPECT_TRUE(json["o"].AsObject().empty());
  EXPECT_DOUBLE_EQ(json["big"].AsDouble(), 9223372036854775808.0);
  EXPECT_TRUE(json["absent"].is_null());
  EXPECT_EQ(json.Int("absent", 5), 5);
}

TEST(JsonTest, WhatItWritesReadsBack) {
  const char* text = R"({"a":[1,-2,0.5],"k":"q\"\\\u0001é","n":null,"t":true})";
  Json json = Json::Parse(text);
  EXPECT_EQ(json.Text(), text);
  EXPECT_EQ(Json::Parse(json.Text()).Text(), text);
}

TEST(JsonTest, RefusesWhatIsNoJson) {
  const std::string kBad[] = {"",
                              " ",
                              "{",
                              "[",
                              "[1,]",
                              "{\"a\":1,}",
                              "{a:1}",
                              "{\"a\" 1}",
                              "[1 2]",
                              "01",
                              "-",
                              "1.",
                              "1e",
                              "+1",
                              ".5",
                              "0x1",
                              "nul",
                              "truefalse",
                              "\"",
                              "\"\\x\"",
                              "\"\\u12g4\"",
                              "\"\\ud800\"",
                              "\"\\ud800\\u0041\"",
                              "\"\\udc00\"",
                              "\"\n\"",
                              "\"\xff\"",
                              "\"\xc0\x80\"",
                              "\"\xed\xa0\x80\"",
                              "\"\xf4\x90\x80\x80\"",
                              "\"\xe2\x82\"",
                              "{\"a\":1,\"a\":2}",
                              "1 1",
                              "1e999",
                              "[1]x",
                              std::string("\"\0\"", 3),
                              std::string("1\0", 2),
                              "NaN",
                              "'a'",
                              "// c\n1"};
  for (const std::string& bad : kBad) EXPECT_NE(Fault(bad), "") << bad;
}

TEST(JsonTest, IsBounded) {
  EXPECT_EQ(Fault(std::string(60, '[') + std::string(60, ']')), "");
  EXPECT_NE(Fault(std::string(100000, '[')).find("too deep"), std::string::npos);
  std::string many = "[0";
  for (int i = 0; i < Json::kMaxValues; ++i) many += ",0";
  EXPECT_NE(Fault(many + "]").find("too many values"), std::string::npos);
  EXPECT_NE(Fault(std::string(Json::kMaxBytes + 1, ' ')).find("too large"), std::string::npos);
}

TEST(JsonTest, NamesTheKeyOfAWrongType) {
  Json json = Json::Parse(R"({"n":"x","l":[1],"s":3})");
  auto message = [](auto&& read) {
    try {
      read();
      return std::string();
    } catch (const drover::Error& error) {
      return error.message();
    }
  };
  EXPECT_EQ(message([&] { json.Int("n"); }), "/n: expected an integer");
  EXPECT_EQ(message([&] { json.Strings("l"); }), "/l: expected a text");
  EXPECT_EQ(message([&] { json.String("s"); }), "/s: expected a text");
  EXPECT_EQ(message([&] { json.Bool("s"); }), "/s: expected true or false");
  EXPECT_EQ(message([&] { Json(1)["x"]; }), "expected an object");
}

TEST(EnvFilterTest, Globs) {
  EXPECT_TRUE(command::Matches("*", ""));
  EXPECT_TRUE(command::Matches("AWS_*", "AWS_KEY"));
  EXPECT_TRUE(command::Matches("*_KEY", "A_KEY_KEY"));
  EXPECT_TRUE(command::Matches("A*B*C", "AxBxBxC"));
  EXPECT_TRUE(command::Matches("PATH", "PATH"));
  EXPECT_FALSE(command::Matches("PATH", "PATHS"));
  EXPECT_FALSE(command::Matches("A*B*C", "AxCxB"));
  EXPECT_FALSE(command::Matches("", "A"));
  EXPECT_FALSE(command::Matches("a?", "ab"));
  std::string stars, text(5000, 'a');
  for (int i = 0; i < 2000; ++i) stars += "*a";
  EXPECT_FALSE(command::Matches(stars + "b", text)) << "and it ends soon";
}

TEST(IdRangesTest, Contains) {
  auto ids = command::IdRanges::Parse(" 1, 10-20 ,4294967294", "x");
  EXPECT_TRUE(ids.Contains(1) && ids.Contains(10) && ids.Contains(20) && ids.Contains(4294967294u));
  EXPECT_FALSE(ids.Contains(0) || ids.Contains(9) || ids.Contains(21));
  EXPECT_FALSE(command::IdRanges::Parse("", "x").Contains(0));
}

TEST(SignalsTest, Names) {
  EXPECT_EQ(drover::SignalNumber("SIGTERM"), SIGTERM);
  EXPECT_EQ(drover::SignalNumber("HUP"), SIGHUP);
  EXPECT_FALSE(drover::SignalNumber("").has_value());
  EXPECT_FALSE(drover::SignalNumber("SIG").has_value());
  EXPECT_FALSE(drover::SignalNumber("15").has_value());
}

TEST(GateTest, CloseWaitsForThoseInsideAndWakesThem) {
  drover::Gate gate;
  std::atomic<bool> woken{false}, left{false};
  std::optional<drover::Gate::Pass> pass(gate.Enter());
  gate.OnClose([&] { woken = true; });
  std::thread inside([&] {
    while (!woken) std::this_thread::sleep_for(1ms);
    left = true;
    pass.reset();
  });
  gate.Close();
  EXPECT_TRUE(left);
  EXPECT_FALSE(gate.Enter());
  bool at_once = false;
  gate.OnClose([&] { at_once = true; });
  EXPECT_TRUE(at_once);
  inside.join();
}

TEST(PoolTest, RunsEverythingOnAFewThreads) {
  std::atomic<int> ran{0}, most{0}, now{0};
  drover::Pool pool(3);
  for (int i = 0; i < 200; ++i) {
    pool.Post([&] {
      int inside = ++now;
      int seen = most;
      while (inside > seen && !most.compare_exchange_weak(seen, inside)) {
      }
      std::this_thread::yield();
      --now;
      ++ran;
    });
  }
  while (ran < 200) std::this_thread::sleep_for(1ms);
  EXPECT_LE(most, 3);
  pool.Stop();
  pool.Post([&] { ++ran; });
  EXPECT_EQ(ran, 200) << "nothing runs after the stop";
}

TEST(PoolTest, IdleThreadsGoAndComeAgain) {
  drover::Pool pool(3, 1ms);
  std::atomic<int> ran{0};
  for (int round = 1; round <= 3; ++round) {
    pool.Post([&] { ++ran; });
    while (ran < round || pool.threads() > 0) std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(ran, 3);
}

TEST(ErrorTest, ALongMessageIsCutBetweenCharacters) {
  drover_error out = drover::abi::EmptyError();
  std::string text = std::string(DROVER_ERROR_MESSAGE_MAX - 1, 'a') + "é and more";
  drover::abi::FillError(&out, drover::Error(drover::Code::kInternal, text));
  EXPECT_EQ(out.message_size, DROVER_ERROR_MESSAGE_MAX - 1u);
}

}  // namespace
}  // namespace drover_test
