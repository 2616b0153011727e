// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/exec_pipe.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace drover {
namespace {

class ExecPipeTest : public ::testing::Test {
 protected:
  ExecPipeTest() { signal(SIGPIPE, SIG_IGN); }

  static Co<void> ReadAll(ExecPipe* pipe, std::string* all) {
    while (true) {
      const std::string some = co_await pipe->Read(1000);
      if (some.empty()) co_return;
      *all += some;
    }
  }
  static Co<void> Write(ExecPipe* pipe, std::string bytes, Status* status) {
    *status = co_await pipe->Write(std::move(bytes));
  }
  std::unique_ptr<ExecPipe> Reader() {
    auto pipe = ExecPipe::ToReadFrom(&loop_, &theirs_);
    return pipe.ok() ? std::move(*pipe) : nullptr;
  }
  std::unique_ptr<ExecPipe> Writer() {
    auto pipe = ExecPipe::ToWriteTo(&loop_, &theirs_);
    return pipe.ok() ? std::move(*pipe) : nullptr;
  }

  RealLoop loop_;
  UniqueFd theirs_;
};

TEST_F(ExecPipeTest, ReadsUntilTheOtherSideCloses) {
  const auto pipe = Reader();
  loop_.After(10ms, [this] { EXPECT_EQ(write(theirs_.get(), "late ", 5), 5); });
  loop_.After(20ms, [this] {
    EXPECT_EQ(write(theirs_.get(), "later", 5), 5);
    theirs_.Reset();
  });
  std::string all;
  ASSERT_TRUE(loop_.RunToEnd(ReadAll(pipe.get(), &all)));
  EXPECT_EQ(all, "late later");
}

TEST_F(ExecPipeTest, OnceFinishedItGivesWhatIsThereAndWaitsForNothing) {
  const auto pipe = Reader();
  EXPECT_EQ(write(theirs_.get(), "there", 5), 5);
  loop_.After(10ms, [&pipe] { pipe->Finish(); });
  std::string all;
  ASSERT_TRUE(loop_.RunToEnd(ReadAll(pipe.get(), &all))) << "somebody still has the other end";
  EXPECT_EQ(all, "there");
}

TEST_F(ExecPipeTest, OnceFinishedAWriterThatGoesOnIsNotReadForEver) {
  const auto pipe = Reader();
  pipe->Finish();
  std::size_t total = 0;
  const std::string block(50'000, 'x');
  while (true) {
    ASSERT_GT(write(theirs_.get(), block.data(), block.size()), 0);
    std::string all;
    ASSERT_TRUE(loop_.RunToEnd(ReadAll(pipe.get(), &all)));
    if (all.empty()) break;
    total += all.size();
    ASSERT_LE(total, std::size_t{1} << 20);
  }
  EXPECT_EQ(total, std::size_t{1} << 20);
}

TEST_F(ExecPipeTest, AWriteWaitsForItsReader) {
  const auto pipe = Writer();
  std::string got;
  std::function<void()> take = [&] {
    char block[7000];
    const ssize_t size = read(theirs_.get(), block, sizeof block);
    got.append(block, size > 0 ? static_cast<std::size_t>(size) : 0);
    if (got.size() < 200'000) loop_.After(1ms, take);
  };
  loop_.After(1ms, take);
  Status status = Error(Code::kInternal, "not yet");
  ASSERT_TRUE(loop_.RunToEnd(Write(pipe.get(), std::string(200'000, 'x'), &status)));
  EXPECT_TRUE(status.ok());
  EXPECT_GE(got.size(), 200'000u - (64u << 10)) << "no more than a pipe holds is under way";
}

TEST_F(ExecPipeTest, AWriteEndsWithItsReaderOrWhenItIsFinished) {
  auto pipe = Writer();
  loop_.After(10ms, [&pipe] { pipe->Finish(); });
  Status status;
  ASSERT_TRUE(loop_.RunToEnd(Write(pipe.get(), std::string(200'000, 'x'), &status)));
  EXPECT_EQ(status.code(), Code::kUnavailable);
  pipe = Writer();
  theirs_.Reset();
  ASSERT_TRUE(loop_.RunToEnd(Write(pipe.get(), "x", &status)));
  EXPECT_EQ(status.code(), Code::kUnavailable);
  pipe->Close();
  ASSERT_TRUE(loop_.RunToEnd(Write(pipe.get(), "x", &status)));
  EXPECT_EQ(status.code(), Code::kUnavailable);
}

}  // namespace
}  // namespace drover
