// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/write_whole.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

TEST(WriteWholeTest, WritesMoreThanThePipeTakesAtOnce) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const std::string bytes = std::string(1 << 20, 'a') + '\0' + "b";
  std::string got;
  std::thread reader([&] {
    char part[1000];
    for (ssize_t n; (n = read(read_end.get(), part, sizeof part)) > 0;) {
      got.append(part, static_cast<std::size_t>(n));
    }
  });
  const Status written = WriteWhole(write_end.get(), bytes);
  write_end.Reset();
  reader.join();
  EXPECT_TRUE(written.ok()) << written.error().message();
  EXPECT_TRUE(got == bytes) << got.size();
}

TEST(WriteWholeTest, ReturnsTheErrorOfTheFile) {
  const UniqueFd full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full);
  EXPECT_TRUE(WriteWhole(full.get(), "").ok()) << "nothing is written";
  const Status status = WriteWhole(full.get(), "a");
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_EQ(status.error().message(), "write: No space left on device");
}

}  // namespace
}  // namespace drover
