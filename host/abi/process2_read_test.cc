// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/process2_read.h"

#include <gtest/gtest.h>

#include "host/abi/abi_write.h"

namespace drover {
namespace {

TEST(Process2ReadTest, AnUnknownOwnershipIsNamedWithItsMember) {
  auto start = NewStruct<drover_process2_start_args>();
  EXPECT_TRUE(CheckOwnerships(&start).ok());
  start.input = {0, DROVER_FD_BORROWED};
  std::vector<drover_process2_descriptor> more(2, NewStruct<drover_process2_descriptor>());
  more[0].fd = {0, DROVER_FD_GIVEN};
  start.descriptors = ToArray(more);
  EXPECT_TRUE(CheckOwnerships(&start).ok());
  more[1].fd = {-1, -1};
  EXPECT_EQ(CheckOwnerships(&start).error(),
            Error(Code::kInvalidArgument,
                  "a named process: one of its descriptors has the unknown ownership -1"));
  start.error = {0, 7};
  EXPECT_EQ(CheckOwnerships(&start).error().message(),
            "a named process: its error has the unknown ownership 7");

  auto command = NewStruct<drover_exec_args>();
  auto exec = NewStruct<drover_process2_exec_args>();
  EXPECT_TRUE(CheckOwnerships(&exec).ok());
  exec.command = &command;
  EXPECT_TRUE(CheckOwnerships(&exec).ok());
  command.output = {1, 3};
  EXPECT_EQ(CheckOwnerships(&exec).error().message(),
            "a named process: its output has the unknown ownership 3");
}

}  // namespace
}  // namespace drover
