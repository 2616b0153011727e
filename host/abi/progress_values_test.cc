// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/progress_values.h"

#include <gtest/gtest.h>

#include "host/abi/abi_text.h"
#include "host/abi/abi_write.h"

namespace drover {
namespace {

TEST(ProgressValuesTest, AReportIsCopied) {
  auto report = NewStruct<drover_progress_report>();
  report.phase = ToStr("Pulling image");
  report.done = 12;
  report.total = 27;
  report.unit = ToStr("bytes");
  report.text = ToStr("layer 3");
  EXPECT_EQ(ReadProgress(&report).value(),
            (TaskProgress{"Pulling image", 12, 27, "bytes", "layer 3"}));
  report.done = 28;  // more than all
  EXPECT_EQ(ReadProgress(&report)->done, 27u);
  report.total = 0;  // unknown
  EXPECT_EQ(ReadProgress(&report)->done, 28u);
}

TEST(ProgressValuesTest, TextsAreCutAndMended) {
  const std::string large(1 << 20, 'x');
  const std::string broken = "a\xff\n" + std::string(300, '\xc3');
  auto report = NewStruct<drover_progress_report>();
  report.phase = ToStr(large);
  report.unit = ToStr(large);
  report.text = ToStr(broken);
  const TaskProgress progress = ReadProgress(&report).value();
  EXPECT_LE(progress.phase.size(), std::size_t{DROVER_PROGRESS_PHASE_MAX});
  EXPECT_LE(progress.unit.size(), std::size_t{DROVER_PROGRESS_UNIT_MAX});
  EXPECT_LE(progress.text.size(), std::size_t{DROVER_PROGRESS_TEXT_MAX});
  EXPECT_EQ(progress.text.substr(0, 5), "a\xEF\xBF\xBD ");
  EXPECT_TRUE(IsPlainText(progress.phase));
  EXPECT_TRUE(IsPlainText(progress.text));
}

TEST(ProgressValuesTest, AReportThatCannotBeReadIsAnError) {
  EXPECT_FALSE(ReadProgress(nullptr).ok());
  drover_progress_report report{};  // its struct_size was not set
  EXPECT_FALSE(ReadProgress(&report).ok());
  report.struct_size = 16;  // of a driver that only has the first members
  EXPECT_EQ(ReadProgress(&report).value(), TaskProgress());
}

}  // namespace
}  // namespace drover
