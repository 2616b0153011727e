// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/text_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"
#include "host/cli/read_to_end.h"

namespace drover {
namespace {

TEST(TextFileTest, ReadsFilesOfABoundedLength) {
  const DirectoryForTest directory;
  const std::string path = directory.path() + "/a";
  constexpr std::size_t kMost = std::size_t{8} << 20;
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, kMost}) {
    std::ofstream(path) << std::string(size, 'x');
    const Result<std::string> text = ReadTextFile("job file", path);
    ASSERT_TRUE(text.ok()) << text.error().message();
    EXPECT_EQ(text->size(), size);
  }
  std::ofstream(path) << std::string(kMost + 1, 'x');
  const Result<std::string> large = ReadTextFile("job file", path);
  EXPECT_EQ(large.code(), Code::kInvalidArgument);
  EXPECT_EQ(large.error().message(), "job file " + path + ": larger than 8 MiB");
}

TEST(TextFileTest, SaysWhyAFileCannotBeRead) {
  const DirectoryForTest directory;
  const Result<std::string> none = ReadTextFile("job file", directory.path() + "/none");
  EXPECT_EQ(none.code(), Code::kNotFound);
  EXPECT_EQ(none.error().message(), "job file " + directory.path() + "/none: no such file");
  EXPECT_EQ(ReadTextFile("job file", directory.path()).code(), Code::kPermissionDenied);
  const std::string long_name(300, 'x');
  EXPECT_EQ(ReadTextFile("job file", long_name).code(), Code::kPermissionDenied);
}

TEST(ReadToEndTest, WaitsForASocketThatDoesNotBlock) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
  const UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  std::thread writer([&theirs] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(write(theirs.get(), "text", 4), 4);
    theirs.Reset();
  });
  const Result<std::string> text = ReadToEnd(ours.get(), "standard input", 100);
  writer.join();
  ASSERT_TRUE(text.ok()) << text.error().message();
  EXPECT_EQ(*text, "text");
}

TEST(ReadToEndTest, StopsWhenThereIsTooMuch) {
  const UniqueFd zeros(open("/dev/zero", O_RDONLY | O_CLOEXEC));
  const Result<std::string> text = ReadToEnd(zeros.get(), "zeros", 1000);
  ASSERT_TRUE(text.ok()) << text.error().message();
  EXPECT_GT(text->size(), 1000u);
  EXPECT_EQ(ReadToEnd(-1, "nothing", 10).error().message(), "nothing: Bad file descriptor");
}

}  // namespace
}  // namespace drover
