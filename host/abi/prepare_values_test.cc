// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/prepare_values.h"

#include <gtest/gtest.h>

#include "host/abi/abi_write.h"

namespace drover {
namespace {

TEST(PrepareValuesTest, AKeyIsTakenAsItIsOrNotAtAll) {
  auto result = NewStruct<drover_prepare_key_result>();
  EXPECT_EQ(ReadPrepareKey(&result).value(), "");
  result.key = ToStr("docker.io/library/redis:7");
  EXPECT_EQ(ReadPrepareKey(&result).value(), "docker.io/library/redis:7");
  const std::string longest(DROVER_PREPARE_KEY_MAX, 'k');
  result.key = ToStr(longest);
  EXPECT_EQ(ReadPrepareKey(&result).value(), longest);
  const std::string longer = longest + "k";
  result.key = ToStr(longer);
  EXPECT_FALSE(ReadPrepareKey(&result).ok());
  for (const char* bad : {"a\nb", "a\xff", "\x1b[31m", "a\xc2\x9b", "a\u202eb"}) {
    result.key = ToStr(bad);
    EXPECT_FALSE(ReadPrepareKey(&result).ok()) << bad;
  }
  EXPECT_FALSE(ReadPrepareKey(nullptr).ok());
}

TEST(PrepareValuesTest, ASizeMayBeMissing) {
  auto result = NewStruct<drover_prepare_result>();
  result.size = 7;
  EXPECT_EQ(ReadPrepared(&result).value(), 7u);
  EXPECT_EQ(ReadPrepared(nullptr).value(), 0u);
}

TEST(PrepareValuesTest, AListIsBounded) {
  std::vector<drover_prepared_item> items(2, NewStruct<drover_prepared_item>());
  items[0].key = ToStr("a");
  items[0].size = 3;
  items[0].last_used = 5;
  items[1].key = ToStr("b");
  items[1].last_used = -5;
  auto list = NewStruct<drover_prepared_list>();
  list.items = ToArray(items);
  EXPECT_EQ(ReadPreparedList(&list).value(), (std::vector<PreparedItem>{{"a", 3, 5}, {"b", 0, 0}}));
  items[1].key = ToStr("\n");
  EXPECT_FALSE(ReadPreparedList(&list).ok());
  items[1].key = ToStr("");
  EXPECT_FALSE(ReadPreparedList(&list).ok());
  list.items.count = DROVER_PREPARED_MAX + 1;
  EXPECT_FALSE(ReadPreparedList(&list).ok());
}

}  // namespace
}  // namespace drover
