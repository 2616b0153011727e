// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drover/drover_prepare.h"
#include "host/abi/abi_fields.h"
#include "host/base/result.h"
#include "host/driver/prepared_item.h"

// The lists of abi_fields.h for the structs of drover_prepare.h, and the readers of their results.
namespace drover {

template <typename V>
void Fields(V& v, drover_prepare_key_args& s) {
  v(s.reserved), v.Pointer(s.config);
}
template <typename V>
void Fields(V& v, drover_prepare_key_result& s) {
  v(s.reserved), v(s.key);
}
template <typename V>
void Fields(V& v, drover_prepare_args& s) {
  v(s.reserved), v.Pointer(s.config), v(s.key);
}
template <typename V>
void Fields(V& v, drover_prepare_result& s) {
  v(s.reserved), v(s.size);
}
template <typename V>
void Fields(V& v, drover_prepared_list_args& s) {
  v(s.reserved);
}
template <typename V>
void Fields(V& v, drover_prepared_item& s) {
  v(s.reserved), v(s.key), v(s.size), v(s.last_used);
}
template <typename V>
void Fields(V& v, drover_prepared_list& s) {
  v(s.reserved), v.template Array<drover_prepared_item>(s.items);
}
template <typename V>
void Fields(V& v, drover_prepared_remove_args& s) {
  v(s.reserved), v(s.key);
}

// These copy and check the answers of a driver, which is not trusted. A key is never cut or mended,
// since it would be another one. [any thread]
Result<std::string> ReadPrepareKey(const drover_prepare_key_result* from);
Result<std::uint64_t> ReadPrepared(const drover_prepare_result* from);
Result<std::vector<PreparedItem>> ReadPreparedList(const drover_prepared_list* from);

}  // namespace drover
