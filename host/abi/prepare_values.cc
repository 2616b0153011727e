// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/prepare_values.h"

#include <algorithm>
#include <utility>

#include "host/abi/abi_read.h"
#include "host/abi/abi_text.h"

namespace drover {
namespace {

Result<std::string> ReadOneKey(drover_str from) {
  DROVER_ASSIGN(std::string key, ReadBytes(from, DROVER_PREPARE_KEY_MAX));
  if (!IsPlainText(key)) {
    return Error(Code::kInternal,
                 "the key \"" + SafeText(OneLine(key), 100) + "\" is no text in UTF-8 on one line");
  }
  return key;
}

}  // namespace

Result<std::string> ReadPrepareKey(const drover_prepare_key_result* from) {
  DROVER_ASSIGN(const drover_prepare_key_result raw, CopyStruct(from));
  return ReadOneKey(raw.key);
}

Result<std::uint64_t> ReadPrepared(const drover_prepare_result* from) {
  // A driver that does not know the size may complete its call without a result.
  if (from == nullptr) return std::uint64_t{0};
  DROVER_ASSIGN(const drover_prepare_result raw, CopyStruct(from));
  return raw.size;
}

Result<std::vector<PreparedItem>> ReadPreparedList(const drover_prepared_list* from) {
  DROVER_ASSIGN(const drover_prepared_list raw, CopyStruct(from));
  if (raw.items.count > DROVER_PREPARED_MAX) {
    return Error(Code::kInternal, std::to_string(raw.items.count) + " prepared things: at most " +
                                      std::to_string(DROVER_PREPARED_MAX) + " are allowed");
  }
  std::vector<PreparedItem> items;
  DROVER_TRY(ReadArray<drover_prepared_item>(
      raw.items, offsetof(drover_prepared_item, key) + sizeof(drover_str),
      [&](const drover_prepared_item* at) -> Status {
        DROVER_ASSIGN(const drover_prepared_item one, CopyStruct(at));
        DROVER_ASSIGN(std::string key, ReadOneKey(one.key));
        if (key.empty()) return Error(Code::kInternal, "a prepared thing has an empty key");
        items.push_back({std::move(key), one.size, std::max<WallTime>(0, one.last_used)});
        return {};
      }));
  return items;
}

}  // namespace drover
