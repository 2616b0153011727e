// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/log_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

namespace drover {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class LogMonitorTest : public ::testing::Test {
 protected:
  LogMonitorTest() {
    logger_->set_level(spdlog::level::warn);
    monitor_.emplace(logger_);
  }

  static Co<void> TakeNext(LogWatch* watch, Context context, Result<std::string>* out) {
    *out = co_await watch->Next(context);
  }
  // The lines that have arrived; an error if there are none.
  Result<std::string> Next(LogWatch* watch) {
    Result<std::string> out = Error(Code::kInternal, "still waiting");
    Context limit = Context(&loop_).WithTimeout(1s);
    loop_.Spawn(TakeNext(watch, limit, &out));
    loop_.Advance(1s);
    return out;
  }
  static LogWatchOptions At(spdlog::level::level_enum level) { return {.level = level}; }

  SimLoop loop_;
  std::ostringstream own_;
  std::shared_ptr<spdlog::logger> logger_ = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(own_));
  std::optional<LogMonitor> monitor_;
};

TEST_F(LogMonitorTest, EachSeesItsLevelAndTheLogKeepsItsOwn) {
  std::optional<LogWatch> debug, error;
  debug.emplace(&*monitor_, &loop_, At(spdlog::level::debug));
  error.emplace(&*monitor_, &loop_, At(spdlog::level::err));
  logger_->trace("one");
  logger_->debug("two");
  logger_->warn("three");
  logger_->error("four");
  const std::string lines = Next(&*debug).value();
  EXPECT_THAT(lines, Not(HasSubstr("one")));
  EXPECT_THAT(lines, HasSubstr(" [debug] two\n"));
  EXPECT_THAT(lines, EndsWith(" [error] four\n"));
  EXPECT_THAT(Next(&*error).value(), EndsWith("[error] four\n"));
  EXPECT_EQ(Next(&*error).code(), Code::kTimeout) << "nothing comes twice";
  EXPECT_THAT(own_.str(), Not(HasSubstr("two")));
  EXPECT_THAT(own_.str(), HasSubstr("three"));
  debug.reset();
  EXPECT_EQ(logger_->level(), spdlog::level::warn) << "nobody wants more any longer";
  monitor_->SetLevel(spdlog::level::info);
  logger_->info("five");
  EXPECT_THAT(own_.str(), HasSubstr("five"));
  EXPECT_EQ(Next(&*error).code(), Code::kTimeout);
}

TEST_F(LogMonitorTest, WhoIsTooSlowLosesWholeLinesAndIsTold) {
  LogWatchOptions options = At(spdlog::level::info);
  options.most_bytes = 300;
  LogWatch watch(&*monitor_, &loop_, options);
  for (int i = 0; i < 1000; ++i) logger_->info("a line of some length {}", i);
  const std::string lines = Next(&watch).value();
  EXPECT_LT(lines.size(), 450u);
  EXPECT_THAT(lines, HasSubstr("a line of some length 0\n"));
  const auto kept = std::count(lines.begin(), lines.end(), '\n') - 1;
  EXPECT_THAT(lines, EndsWith(std::to_string(1000 - kept) + " lines were dropped\n"));
  logger_->info("again");
  EXPECT_THAT(Next(&watch).value(), EndsWith("[info] again\n"));
  logger_->info(std::string(400, 'x'));
  EXPECT_THAT(Next(&watch).value(), EndsWith("too slow: 1 lines were dropped\n"));
}

TEST_F(LogMonitorTest, AsJson) {
  LogWatchOptions options = At(spdlog::level::info);
  options.json = true;
  LogWatch watch(&*monitor_, &loop_, options);
  logger_->info("a \"quoted\" \x01 text");
  const auto line = nlohmann::json::parse(Next(&watch).value());
  EXPECT_EQ(line["@message"], "a \"quoted\" \x01 text");
  EXPECT_EQ(line["@level"], "info");
  EXPECT_EQ(line["@timestamp"].get<std::string>().size(), 23u);
  logger_->warn("text");
  EXPECT_EQ(nlohmann::json::parse(Next(&watch).value())["@level"], "warn");
}

TEST_F(LogMonitorTest, LinesOfOtherThreadsArriveInTheirOrder) {
  RealLoop loop;
  LogWatchOptions options = At(spdlog::level::info);
  options.most_bytes = 1 << 20;
  LogWatch watch(&*monitor_, &loop, options);
  constexpr int kLines = 2000;
  std::thread writer([this] {
    for (int i = 0; i < kLines; ++i) logger_->info("line {}", i);
  });
  const auto read = [](LogWatch* from, Context context, std::string* all) -> Co<void> {
    while (!all->ends_with("line " + std::to_string(kLines - 1) + "\n")) {
      Result<std::string> lines = co_await from->Next(context);
      if (!lines.ok()) co_return;
      *all += *lines;
    }
  };
  std::string all;
  EXPECT_TRUE(loop.RunToEnd(read(&watch, Context(&loop), &all), 30s));
  writer.join();
  std::istringstream lines(all);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    ASSERT_THAT(line, EndsWith("] line " + std::to_string(count)));
  }
  EXPECT_EQ(count, kLines);
}

TEST(ParseLogLevelTest, InAnyCase) {
  EXPECT_EQ(ParseLogLevel("WARN"), spdlog::level::warn);
  EXPECT_EQ(ParseLogLevel("error"), spdlog::level::err);
  EXPECT_EQ(ParseLogLevel("loud"), std::nullopt);
  EXPECT_EQ(ParseLogLevel(""), std::nullopt);
}

}  // namespace
}  // namespace drover
