// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/seal_key_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

using testing::HasSubstr;

class SealKeyFileTest : public testing::Test {
 protected:
  SealKeyFileTest() { unsetenv("CREDENTIALS_DIRECTORY"); }
  ~SealKeyFileTest() override { unsetenv("CREDENTIALS_DIRECTORY"); }

  static void WriteFile(const std::string& path, const std::string& bytes, mode_t mode) {
    std::filesystem::remove(path);
    std::ofstream(path) << bytes;
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
  }
  std::string Mistake() const {
    const auto key = LoadOrMakeSealKey(keys_);
    return key.ok() ? "" : key.error().message();
  }
  static std::string MistakeOfCredential(const std::string& name) {
    const auto key = SealKeyFromCredential(name);
    return key.ok() ? "" : key.error().message();
  }

  const DirectoryForTest directory_{std::filesystem::canonical(testing::TempDir()).string()};
  const std::string keys_ = directory_.path() + "/keys";
  const std::string file_ = keys_ + "/seal.key";
};

TEST_F(SealKeyFileTest, IsMadeOnce) {
  const auto first = LoadOrMakeSealKey(keys_);
  ASSERT_TRUE(first.ok()) << first.error().message();
  struct stat info{};
  ASSERT_EQ(stat(file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0400u);
  EXPECT_EQ(info.st_size, 32);
  ASSERT_EQ(stat(keys_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700u);
  const auto second = LoadOrMakeSealKey(keys_);
  ASSERT_TRUE(second.ok()) << second.error().message();
  const auto opened = second->Open("a", "b", *first->Seal("a", "b", "text"));
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->view(), "text");
}

TEST_F(SealKeyFileTest, AnAgentThatDiedBeforeTheFileWasWholeDoesNoHarm) {
  std::filesystem::create_directory(keys_);
  WriteFile(keys_ + "/seal.key.new", "half", 0400);
  EXPECT_EQ(Mistake(), "");
  EXPECT_FALSE(std::filesystem::exists(keys_ + "/seal.key.new"));
  EXPECT_EQ(std::filesystem::file_size(file_), 32u);
}

TEST_F(SealKeyFileTest, AFileThatIsNoKeyIsRefused) {
  std::filesystem::create_directory(keys_);
  WriteFile(file_, std::string(31, 'k'), 0400);
  EXPECT_THAT(Mistake(), HasSubstr(file_ + " has 31 bytes, a seal key has 32"));
  WriteFile(file_, "", 0400);
  EXPECT_THAT(Mistake(), HasSubstr("has 0 bytes"));
  std::filesystem::remove(file_);
  std::filesystem::create_directory(file_);
  EXPECT_THAT(Mistake(), HasSubstr("is not a regular file"));
  std::filesystem::remove(file_);
  ASSERT_EQ(mkfifo(file_.c_str(), 0400), 0);
  EXPECT_THAT(Mistake(), HasSubstr("is not a regular file"));
}

TEST_F(SealKeyFileTest, AFileThatOthersCouldReadOrChangeIsRefused) {
  std::filesystem::create_directory(keys_);
  for (const mode_t mode : {0600, 0440, 0404, 0644, 04400}) {
    WriteFile(file_, std::string(32, 'k'), mode);
    EXPECT_THAT(Mistake(), HasSubstr("run chmod 0400 " + file_)) << mode;
  }
  WriteFile(file_, std::string(32, 'k'), 0400);
  EXPECT_EQ(Mistake(), "");
  std::filesystem::create_hard_link(file_, keys_ + "/other");
  EXPECT_THAT(Mistake(), HasSubstr("has a second name"));
  std::filesystem::remove(keys_ + "/other");
  chmod(keys_.c_str(), 0777);
  EXPECT_THAT(Mistake(), HasSubstr("others could replace the seal key"));
}

TEST_F(SealKeyFileTest, AFileOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  std::filesystem::create_directory(keys_);
  WriteFile(file_, std::string(32, 'k'), 0400);
  ASSERT_EQ(chown(file_.c_str(), 65534, 65534), 0);
  EXPECT_THAT(Mistake(), HasSubstr("belongs to user 65534"));
}

TEST_F(SealKeyFileTest, ALinkIsRefused) {
  std::filesystem::create_directory(keys_);
  WriteFile(directory_.path() + "/real", std::string(32, 'k'), 0400);
  std::filesystem::create_symlink(directory_.path() + "/real", file_);
  EXPECT_THAT(Mistake(), HasSubstr(file_ + " is a link"));
}

TEST_F(SealKeyFileTest, TheDirectoryMustBeAnAbsolutePath) {
  EXPECT_EQ(LoadOrMakeSealKey("keys").code(), Code::kInvalidArgument);
  EXPECT_EQ(LoadOrMakeSealKey("").code(), Code::kInvalidArgument);
  EXPECT_EQ(LoadOrMakeSealKey(directory_.path() + "/none/keys").code(), Code::kNotFound);
}

TEST_F(SealKeyFileTest, ACredentialIsRead) {
  EXPECT_THAT(MistakeOfCredential("drover.key"), HasSubstr("$CREDENTIALS_DIRECTORY is not set"));
  std::filesystem::create_directory(keys_);
  ASSERT_EQ(setenv("CREDENTIALS_DIRECTORY", keys_.c_str(), 1), 0);
  EXPECT_EQ(SealKeyFromCredential("drover.key").code(), Code::kNotFound);
  for (const mode_t mode : {0400, 0440}) {  // systemd gives it by an access control list
    WriteFile(keys_ + "/drover.key", std::string(32, 'k'), mode);
    EXPECT_EQ(MistakeOfCredential("drover.key"), "") << mode;
  }
  for (const mode_t mode : {0600, 0460, 0444}) {
    WriteFile(keys_ + "/drover.key", std::string(32, 'k'), mode);
    EXPECT_THAT(MistakeOfCredential("drover.key"), HasSubstr("has mode")) << mode;
  }
  for (const char* name : {"", ".", "..", "a/b", "/etc/passwd"}) {
    EXPECT_EQ(SealKeyFromCredential(name).code(), Code::kInvalidArgument) << name;
  }
}

}  // namespace
}  // namespace drover
