// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/optional_part.h"

#include <gtest/gtest.h>

#include "drover/drover_capabilities.h"
#include "drover/drover_device.h"
#include "drover/drover_news.h"
#include "drover/drover_pause.h"
#include "drover/drover_prepare.h"
#include "drover/drover_task_hooks.h"
#include "host/abi/abi_write.h"

namespace drover {
namespace {

template <typename T>
std::string FaultOf(const char* id, const T& table) {
  const Result<const void*> checked = CheckPart(id, &table);
  return checked.ok() ? (*checked == &table ? "whole" : "absent") : checked.error().message();
}

template <typename T>
std::string FaultOfEmpty(const char* id) {
  return FaultOf(id, NewStruct<T>());
}

TEST(OptionalPartTest, ATableWithoutAFunctionIsBroken) {
  EXPECT_EQ(FaultOfEmpty<drover_task_stats>(DROVER_TASK_STATS_ID),
            "its drover_task_stats has no function \"stats\"");
  EXPECT_EQ(FaultOfEmpty<drover_task_exec>(DROVER_TASK_EXEC_ID),
            "its drover_task_exec has no function \"exec\"");
  EXPECT_EQ(FaultOfEmpty<drover_device_plugin>(DROVER_DEVICE_ID),
            "its drover_device_plugin has no function \"devices\"");
  EXPECT_EQ(FaultOfEmpty<drover_task_hooks>(DROVER_TASK_HOOKS_ID),
            "its drover_task_hooks has no function \"hook\"");
  EXPECT_EQ(FaultOfEmpty<drover_capable>(DROVER_CAPABILITIES_ID),
            "its drover_capable has no function \"capabilities\"");
  EXPECT_EQ(FaultOfEmpty<drover_task_pause>(DROVER_TASK_PAUSE_ID),
            "its drover_task_pause has no function \"pause\"");
  EXPECT_EQ(FaultOfEmpty<drover_task_prepare>(DROVER_TASK_PREPARE_ID),
            "its drover_task_prepare has no function \"key\"");
  EXPECT_EQ(FaultOfEmpty<drover_news_source>(DROVER_TASK_NEWS_ID),
            "its drover_news_source has no function \"news\"");
  auto exec = NewStruct<drover_task_exec>();
  exec.exec = [](drover_instance*, const drover_call*, const drover_exec_args*, drover_error*) {
    return std::int32_t{DROVER_OK};
  };
  EXPECT_EQ(FaultOf(DROVER_TASK_EXEC_ID, exec), "its drover_task_exec has no function \"resize\"");
}

TEST(OptionalPartTest, ATableThatIsTooSmallIsAbsentAndAnUnknownOneIsLeftAlone) {
  auto stats = NewStruct<drover_task_stats>();
  stats.stats = [](drover_instance*, std::uint64_t, const drover_run_id*, const drover_stats_args*,
                   drover_error*) { return std::int32_t{DROVER_OK}; };
  EXPECT_EQ(FaultOf(DROVER_TASK_STATS_ID, stats), "whole");
  EXPECT_EQ(FaultOf("drover.nothing/1", NewStruct<drover_task_stats>()), "whole");
  stats.struct_size -= 1;
  EXPECT_EQ(FaultOf(DROVER_TASK_STATS_ID, stats), "absent");
  EXPECT_EQ(CheckPart(DROVER_TASK_STATS_ID, nullptr).value(), nullptr);
}

}  // namespace
}  // namespace drover
