// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "drover/drover.h"
#include "drover/drover_news.h"
#include "host/abi/plugin_info.h"
#include "host/driver/driver.h"

// Copies data of a driver into the host's own types. A driver is not trusted to be correct: sizes
// are checked, counts are bounded and text is made valid. The functions keep no pointer into the
// driver's memory. Any thread.
namespace drover {

inline constexpr std::size_t kMaxText = 64u << 10;      // maximum size of one text in bytes
inline constexpr std::size_t kMaxState = 1u << 20;      // maximum size of a task handle in bytes
inline constexpr std::size_t kMaxSchema = 1u << 20;     // maximum size of a schema in bytes
inline constexpr std::size_t kMaxElements = 64u << 10;  // maximum number of elements of one array
inline constexpr std::uint32_t kMaxStruct = 64u << 10;

// Returns a copy of *FROM, a struct whose author may use another version of the ABI. Members that
// only this host knows become zero, and members that only the other version has are omitted.
// FROM->struct_size must be at least the size of struct_size itself.
template <typename T>
Result<T> CopyStruct(const T* from) {
  if (from == nullptr) return Error(Code::kInternal, "a struct is missing where one must be");
  std::uint32_t size = 0;
  std::memcpy(&size, from, sizeof size);
  if (size < sizeof size || size > kMaxStruct) {
    return Error(Code::kInternal, "a struct says that it has " + std::to_string(size) +
                                      " bytes: its struct_size was not set");
  }
  T copy;
  std::memset(&copy, 0, sizeof copy);
  std::memcpy(&copy, from, std::min<std::size_t>(size, sizeof copy));
  copy.struct_size = static_cast<std::uint32_t>(sizeof copy);
  return copy;
}

// Reads a text that people will read. Makes the text valid UTF-8 and cuts it at kMaxText bytes.
Result<std::string> ReadText(drover_str text);
// Copies BYTES without a change. More than LIMIT bytes are an error.
Result<std::string> ReadBytes(drover_str bytes, std::size_t limit);
Result<StringMap> ReadPairs(drover_array pairs);

// Calls VISIT with a pointer to each element of ARRAY, until VISIT returns an error. The author of
// ARRAY may use another version of the ABI, so the element size in ARRAY may differ from the size
// of T. An element size below LEAST is an error, so VISIT can read at least LEAST bytes of each
// element.
template <typename T, typename Visit>
Status ReadArray(const drover_array& array, std::size_t least, Visit visit) {
  if (array.count == 0) return {};
  if (array.data == nullptr || array.count > kMaxElements || array.element_size < least ||
      array.element_size > kMaxStruct || array.element_size % alignof(T) != 0) {
    return Error(Code::kInternal, "an array of " + std::to_string(array.count) + " elements with " +
                                      std::to_string(array.element_size) +
                                      " bytes each cannot be read");
  }
  const auto* at = static_cast<const char*>(array.data);
  for (std::size_t i = 0; i < array.count; ++i, at += array.element_size) {
    DROVER_TRY(visit(reinterpret_cast<const T*>(at)));
  }
  return {};
}

// Converts the failure of a driver's function to an Error. The code is STATUS, or the code in ERROR
// if STATUS is DROVER_OK. Returns an error even if neither contains a valid error code.
Error ReadError(std::int32_t status, const drover_error* error);

Result<PluginInfo> ReadInfo(const drover_info* from);
Result<ExitResult> ReadExitResult(const drover_exit_result* from);
Result<StartedTask> ReadStarted(const drover_start_result* from);
Result<RecoveredTask> ReadRecovered(const drover_recover_result* from);
Result<TaskStatus> ReadStatus(const drover_task_status* from);
Result<Fingerprint> ReadFingerprint(const drover_fingerprint* from);
Result<DriverEvent> ReadEvent(const drover_event* from);
Result<TaskUsage> ReadStats(const drover_stats* from);
Result<TaskNews> ReadNews(const drover_task_news* from);

RunId ReadRunId(const drover_run_id& from);

}  // namespace drover
