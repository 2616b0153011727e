// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/logs/log_follower.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/fake_engine_for_test.h"
#include "engine/logs/stamped_lines.h"

namespace drover_docker {
namespace {

using namespace std::chrono_literals;

// One message of the logs: its stream, its second since 2024 and its text.
struct LogMessage {
  int kind;
  int second;
  std::string text;
};

std::string FrameOf(const LogMessage& message) {
  char stamp[64];
  std::snprintf(stamp, sizeof stamp, "2024-05-01T10:%02d:%02d.000000001Z ",
                message.second / 60 % 60, message.second % 60);
  return FrameForTest(message.kind, stamp + message.text);
}

// The logs of one container, in an engine that can be stopped.
class FakeLogs {
 public:
  FakeLogs()
      : engine([this](const FakeEngine::Request& r, FakeEngine::Peer& p) { Answer(r, p); }) {}

  void Add(int kind, int second, const std::string& text) {
    std::lock_guard<std::mutex> lock(mutex_);
    messages_.push_back(LogMessage{kind, second, text});
  }
  void EndContainer() { ended_ = true; }
  std::atomic<bool> stop{false};
  std::atomic<int> asked{0};
  void Refuse(int status, const std::string& body) {
    std::lock_guard<std::mutex> lock(mutex_);
    refusal_ = body;
    refused_ = status;
  }
  std::atomic<int> cut{0};  // bytes after which the answer breaks off; 0: never

 private:
  void Answer(const FakeEngine::Request& request, FakeEngine::Peer& peer) {
    ++asked;
    if (const int status = refused_) {
      std::lock_guard<std::mutex> lock(mutex_);
      peer.Answer(status, refusal_);
      return;
    }
    const bool follow = request.target.find("follow=1") != std::string::npos;
    EXPECT_NE(request.target.find("timestamps=1"), std::string::npos);
    bool more = peer.BeginChunks();
    std::size_t next = 0;
    while (more && !stop) {
      const bool ended = ended_ || !follow;
      std::string frames;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        for (; next < messages_.size(); ++next) frames += FrameOf(messages_[next]);
      }
      const int most = cut;
      if (most > 0 && frames.size() > static_cast<std::size_t>(most)) {
        cut = 0;
        peer.Chunk(frames.substr(0, static_cast<std::size_t>(most)));
        peer.Close();
        return;
      }
      if (!frames.empty()) more = peer.Chunk(frames);
      if (frames.empty() && ended) {
        peer.EndChunks();
        return;
      }
      std::this_thread::sleep_for(2ms);
    }
    peer.Close();
  }

  std::mutex mutex_;
  std::vector<LogMessage> messages_;
  std::atomic<bool> ended_{false};
  std::atomic<int> refused_{0};
  std::string refusal_;

 public:
  FakeEngine engine;
};

// Reads a pipe on a thread until its end.
class PipeReader {
 public:
  PipeReader() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    read_ = drover::Fd(ends[0]);
    write_ = drover::Fd(ends[1]);
  }
  drover::Fd TakeWriter() { return std::move(write_); }
  void Begin() {
    thread_ = std::thread([this] {
      char buffer[4096];
      for (;;) {
        const ssize_t got = ::read(read_.get(), buffer, sizeof buffer);
        if (got <= 0) return;
        std::lock_guard<std::mutex> lock(mutex_);
        text_.append(buffer, static_cast<std::size_t>(got));
      }
    });
  }
  std::string text() {
    std::lock_guard<std::mutex> lock(mutex_);
    return text_;
  }
  void Join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  drover::Fd read_;
  drover::Fd write_;
  std::thread thread_;
  std::mutex mutex_;
  std::string text_;
};

class LogFollowerTest : public testing::Test {
 protected:
  LogFollowerTest() : engine_(logs_.engine.address()) {}
  ~LogFollowerTest() override {
    logs_.stop = true;
    follower_.reset();
    output_.Join();
    error_.Join();
  }

  void Follow(LogPosition from = {}) {
    output_.Begin();
    error_.Begin();
    LogFollower::Options options;
    options.from = from;
    options.retry = 5ms;
    options.end = [this](const LogPosition&, const std::optional<drover::Error>& error) {
      end_error_ = error ? static_cast<int>(error->code()) : 0;
      ended_ = true;
    };
    follower_ = std::make_unique<LogFollower>(&engine_, "a", output_.TakeWriter(),
                                              error_.TakeWriter(), std::move(options));
  }
  bool Ended() {
    return Eventually([this] { return ended_.load(); });
  }

  FakeLogs logs_;
  PipeReader output_;
  PipeReader error_;
  std::atomic<bool> ended_{false};
  std::atomic<int> end_error_{-1};
  Engine engine_;  // its thread calls the end of the follower
  std::unique_ptr<LogFollower> follower_;
};

TEST_F(LogFollowerTest, CopiesBothStreamsAndEndsWithTheContainer) {
  logs_.Add(1, 1, "one\n");
  logs_.Add(2, 1, "bad\n");
  Follow();
  EXPECT_TRUE(Eventually([&] { return output_.text() == "one\n" && error_.text() == "bad\n"; }));
  logs_.Add(1, 2, "last\n");
  logs_.EndContainer();
  follower_->Finish();
  EXPECT_TRUE(Ended());
  EXPECT_EQ(end_error_, 0);
  output_.Join();
  EXPECT_EQ(output_.text(), "one\nlast\n");
  EXPECT_EQ(error_.text(), "bad\n");
}

TEST_F(LogFollowerTest, DoublesNothingWhenTheEngineRestarts) {
  logs_.Add(1, 1, "a\n");
  logs_.Add(1, 2, "b\n");
  logs_.Add(1, 2, "c\n");
  logs_.Add(2, 2, "x\n");
  Follow();
  EXPECT_TRUE(Eventually([&] { return output_.text() == "a\nb\nc\n" && error_.text() == "x\n"; }));
  for (int i = 0; i < 3; ++i) {
    logs_.stop = true;
    logs_.engine.Stop();
    logs_.Add(1, 2, "same" + std::to_string(i) + "\n");  // of the same time as the last one
    logs_.stop = false;
    logs_.engine.Start();
    const std::string last = "same" + std::to_string(i) + "\n";
    EXPECT_TRUE(Eventually([&] { return output_.text().find(last) != std::string::npos; }));
  }
  logs_.Add(1, 3, "end\n");
  logs_.EndContainer();
  follower_->Finish();
  EXPECT_TRUE(Ended());
  output_.Join();
  EXPECT_EQ(output_.text(), "a\nb\nc\nsame0\nsame1\nsame2\nend\n");
  EXPECT_EQ(error_.text(), "x\n");
}

TEST_F(LogFollowerTest, CompletesAMessageThatWasCutOff) {
  logs_.Add(1, 1, "first\n");
  logs_.Add(1, 2, "a rather long message\n");
  logs_.cut = 44 + 8 + 32 + 5;  // within the second message
  Follow();
  logs_.EndContainer();
  EXPECT_TRUE(Eventually([&] { return output_.text() == "first\na rather long message\n"; }))
      << output_.text();
  follower_->Finish();
  EXPECT_TRUE(Ended());
  output_.Join();
  EXPECT_EQ(output_.text(), "first\na rather long message\n");
}

TEST_F(LogFollowerTest, GoesOnWhereAnEarlierOneStood) {
  logs_.Add(1, 1, "a\n");
  logs_.Add(1, 1, "b\n");
  logs_.Add(1, 4, "c\n");
  LogPosition from;
  from.output.time = 1714557601000000001;  // 10:00:01
  from.output.count = 1;
  EXPECT_EQ(LogPosition::Parse(from.Text()), from);
  Follow(from);
  logs_.EndContainer();
  follower_->Finish();
  EXPECT_TRUE(Ended());
  output_.Join();
  EXPECT_EQ(output_.text(), "b\nc\n");
}

TEST_F(LogFollowerTest, ASlowReaderGetsEverything) {
  std::string all;
  for (int i = 0; i < 300; ++i) {
    logs_.Add(1, i / 10, std::string(1000, static_cast<char>('a' + i % 26)) + "\n");
    all += std::string(1000, static_cast<char>('a' + i % 26)) + "\n";
  }
  logs_.EndContainer();
  LogFollower::Options options;
  options.end = [this](const LogPosition&, const std::optional<drover::Error>&) { ended_ = true; };
  follower_ = std::make_unique<LogFollower>(&engine_, "a", output_.TakeWriter(),
                                            error_.TakeWriter(), std::move(options));
  follower_->Finish(60s);
  // Nobody reads, so the pipe is full and the follower waits.
  EXPECT_TRUE(Eventually([&] { return logs_.asked >= 1; }));
  std::this_thread::sleep_for(50ms);
  EXPECT_FALSE(ended_);
  output_.Begin();
  EXPECT_TRUE(Ended());
  output_.Join();
  EXPECT_EQ(output_.text().size(), all.size());
  EXPECT_EQ(output_.text(), all);
}

TEST_F(LogFollowerTest, EndsWhenDroppedAndWhenTheTimeIsOver) {
  Follow();
  EXPECT_TRUE(Eventually([&] { return logs_.asked >= 1; }));
  follower_->Finish(50ms);  // but the container's logs do not end
  EXPECT_TRUE(Ended());
  EXPECT_EQ(end_error_, static_cast<int>(drover::Code::kTimeout));
}

TEST_F(LogFollowerTest, GoesOnAfterARefusalThatIsNotOfTheContainer) {
  logs_.Add(1, 1, "one\n");
  for (const int status : {404, 400, 403, 409}) {
    logs_.Refuse(status, "page not found");
    const int before = logs_.asked;
    if (status == 404) Follow();
    EXPECT_TRUE(Eventually([&] { return logs_.asked >= before + 2; })) << status;
    EXPECT_FALSE(ended_) << status;
  }
  logs_.Refuse(0, "");
  EXPECT_TRUE(Eventually([&] { return output_.text() == "one\n"; }));
}

TEST_F(LogFollowerTest, EndsWithTheContainerThatIsGone) {
  logs_.Refuse(404, R"({"message":"No such container: a"})");
  Follow();
  EXPECT_TRUE(Ended());
  EXPECT_EQ(end_error_, static_cast<int>(drover::Code::kNotFound));
}

TEST_F(LogFollowerTest, EndsIfTheLogDriverCannotBeRead) {
  logs_.Refuse(501, R"({"message":"configured logging driver does not support reading"})");
  Follow();
  EXPECT_TRUE(Ended());
  EXPECT_EQ(end_error_, static_cast<int>(drover::Code::kUnimplemented));
}

TEST_F(LogFollowerTest, DroppingItEndsIt) {
  Follow();
  EXPECT_TRUE(Eventually([&] { return logs_.asked >= 1; }));
  follower_.reset();
  EXPECT_TRUE(Ended());
  EXPECT_EQ(end_error_, static_cast<int>(drover::Code::kCancelled));
}

TEST(StampedLinesTest, TextWithoutATimeStampIsCopied) {
  StampedLines lines;
  std::string out;
  const auto write = [&](std::string_view text) { out += text; };
  lines.Put("no stamp\n", true, true, write);
  lines.Put(std::string(100, 'x'), true, false, write);
  lines.Put("yz\n", false, true, write);
  lines.Put("", true, true, write);
  EXPECT_EQ(out, "no stamp\n" + std::string(100, 'x') + "yz\n");
}

TEST(LogPositionTest, MalformedTextsAreTheBegin) {
  for (const char* text : {"", "1/2", "1/2/3", "1/2/3,", "a/b/c,d/e/f", "-1/0/0,0/0/0",
                           "1/2/3,4/5/6,", "99999999999999999999/0/0,0/0/0"}) {
    EXPECT_EQ(LogPosition::Parse(text), LogPosition()) << text;
  }
  LogPosition position{{9'000'000'000, 2, 3}, {7, 8, 9}};
  EXPECT_EQ(LogPosition::Parse(position.Text()), position);
  EXPECT_EQ(position.Since(), 4'000'000'000);
}

}  // namespace
}  // namespace drover_docker
