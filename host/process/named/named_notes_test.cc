// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/named/named_notes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

class NamedNotesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/drover-named-notes-XXXXXX";
    ASSERT_TRUE(mkdtemp(pattern.data()));
    path_ = pattern;
    directory_.Reset(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  NamedNotes::Names Names() const {
    const Result<NamedNotes::Names> names = NamedNotes(directory_.get()).Read(run_);
    EXPECT_TRUE(names.ok());
    return names.ok() ? *names : NamedNotes::Names();
  }

  std::string path_;
  UniqueFd directory_;
  const RunId run_ = RunId::Random();
};

TEST_F(NamedNotesTest, KeepsNamesUntilTheyAreRemoved) {
  const NamedNotes notes(directory_.get());
  EXPECT_FALSE(notes.Any(run_));
  const Result<RunId> tpm = notes.Add(run_, "tpm"), log = notes.Add(run_, "log");
  ASSERT_TRUE(tpm.ok() && log.ok());
  EXPECT_NE(*tpm, *log);
  EXPECT_TRUE(notes.Any(run_));
  EXPECT_FALSE(notes.Any(RunId::Random()));
  EXPECT_EQ(Names(), (NamedNotes::Names{{"tpm", *tpm}, {"log", *log}}));
  EXPECT_EQ(notes.Add(run_, "tpm").code(), Code::kFailedPrecondition);

  EXPECT_TRUE(notes.Remove(run_, "tpm").ok());
  EXPECT_EQ(Names(), (NamedNotes::Names{{"log", *log}}));
  EXPECT_TRUE(notes.Remove(run_, "tpm").ok());
  EXPECT_TRUE(notes.Remove(run_, "log").ok());
  EXPECT_TRUE(std::filesystem::is_empty(path_));
  EXPECT_TRUE(notes.RemoveAll(run_).ok());
}

TEST_F(NamedNotesTest, RefusesOddNamesAndTooMany) {
  const NamedNotes notes(directory_.get());
  for (const char* name : {"", "a b", "../x", "a.b", "a\n", "012345678901234567890123456789012"})
    EXPECT_EQ(notes.Add(run_, name).code(), Code::kInvalidArgument) << name;
  for (std::size_t i = 0; i < NamedNotes::kMaxNames; ++i)
    EXPECT_TRUE(notes.Add(run_, "p" + std::to_string(i)).ok());
  EXPECT_EQ(notes.Add(run_, "more").code(), Code::kResourceExhausted);
  EXPECT_EQ(Names().size(), NamedNotes::kMaxNames);
}

// An agent that was killed in the middle of a write may leave a line twice, or a part of one.
TEST_F(NamedNotesTest, ReadsWhatAKilledAgentLeaves) {
  const NamedNotes notes(directory_.get());
  const Result<RunId> tpm = notes.Add(run_, "tpm");
  ASSERT_TRUE(tpm.ok());
  const std::string file = path_ + "/" + run_.Short() + ".named";
  std::string line;
  std::getline(std::ifstream(file), line);
  std::ofstream(file, std::ios::app) << line << "\n" << line.substr(0, 20);
  EXPECT_EQ(Names(), (NamedNotes::Names{{"tpm", *tpm}}));
  const Result<RunId> log = notes.Add(run_, "log");
  ASSERT_TRUE(log.ok());
  EXPECT_EQ(Names(), (NamedNotes::Names{{"tpm", *tpm}, {"log", *log}}));
  EXPECT_TRUE(notes.Remove(run_, "tpm").ok());
  EXPECT_EQ(Names(), (NamedNotes::Names{{"log", *log}}));
}

}  // namespace
}  // namespace drover
