// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/container/frame_kinds.h"

#include <cstddef>
#include <type_traits>

#include "host/abi/abi_read.h"
#include "host/abi/abi_write.h"

namespace drover {
namespace {

// The assertions below fail if a table of the header has a function that DROVER_CALLED_FUNCTIONS
// lacks. FunctionsIn counts the functions of a table whose offset in the table is at least FIRST.
template <typename Table>
constexpr std::size_t FunctionsIn(std::size_t first) {
  return (sizeof(Table) - first) / sizeof(void (*)());
}
template <typename Table>
constexpr std::size_t CalledIn() {
#define DROVER_COUNT(kind, name, table) +std::is_same_v<table, Table>
  return 0 DROVER_CALLED_FUNCTIONS(DROVER_COUNT) DROVER_CALLED_DRAFT_FUNCTIONS(DROVER_COUNT);
#undef DROVER_COUNT
}
#define DROVER_COUNT(verb, tag) +1
constexpr std::size_t kVerbs = 0 DROVER_ASYNC_VERBS(DROVER_COUNT);
#undef DROVER_COUNT
constexpr std::size_t kInfo = 1;
static_assert(FunctionsIn<drover_driver>(offsetof(drover_driver, info)) ==
              kInfo + kVerbs + CalledIn<drover_driver>());
static_assert(FunctionsIn<drover_task_stats>(offsetof(drover_task_stats, stats)) ==
              CalledIn<drover_task_stats>());
static_assert(FunctionsIn<drover_task_exec>(offsetof(drover_task_exec, exec)) ==
              CalledIn<drover_task_exec>());
static_assert(FunctionsIn<drover_device_plugin>(offsetof(drover_device_plugin, devices)) ==
              CalledIn<drover_device_plugin>());
static_assert(FunctionsIn<drover_capable>(offsetof(drover_capable, capabilities)) ==
              CalledIn<drover_capable>());
static_assert(FunctionsIn<drover_task_pause>(offsetof(drover_task_pause, pause)) ==
              CalledIn<drover_task_pause>());
static_assert(FunctionsIn<drover_news_source>(offsetof(drover_news_source, news)) ==
              CalledIn<drover_news_source>());
static_assert(FunctionsIn<drover_task_hooks>(offsetof(drover_task_hooks, hook)) ==
              CalledIn<drover_task_hooks>());
static_assert(FunctionsIn<drover_task_prepare>(offsetof(drover_task_prepare, key)) ==
              CalledIn<drover_task_prepare>());

}  // namespace

const char* FrameFunction(std::uint16_t kind) {
  switch (kind) {
#define DROVER_CALLED_NAME(kind, name, table) \
  case frame_kind::kind:                      \
    return name;
    DROVER_CALLED_FUNCTIONS(DROVER_CALLED_NAME)
    DROVER_CALLED_DRAFT_FUNCTIONS(DROVER_CALLED_NAME)
#undef DROVER_CALLED_NAME
#define DROVER_FRAME_NAME(verb_name, tag) \
  case frame_kind::verb::verb_name:       \
    return #verb_name;
    DROVER_ASYNC_VERBS(DROVER_FRAME_NAME)
#undef DROVER_FRAME_NAME
    default:
      return "an unknown function";
  }
}

void PutError(WireWriter* to, const drover_error* error) {
  (*to)(static_cast<std::uint8_t>(error != nullptr));
  if (error == nullptr) return;
  const Error read = ReadError(DROVER_OK, error);
  (*to)(static_cast<std::int32_t>(read.code()));
  (*to)(static_cast<std::uint8_t>(read.recoverable()));
  (*to)(ToStr(read.message()));
}

std::optional<drover_error> GetError(WireReader* from) {
  if (from->Number<std::uint8_t>() == 0) return std::nullopt;
  const auto code = from->Number<std::int32_t>();
  const bool recoverable = from->Number<std::uint8_t>() != 0;
  drover_str text{};
  (*from)(text);
  auto error = NewStruct<drover_error>();
  error.code = code;
  error.flags = recoverable ? DROVER_ERROR_RECOVERABLE : 0;
  error.message_size =
      static_cast<std::uint32_t>(std::min<std::size_t>(text.size, sizeof error.message));
  if (text.size > 0) std::memcpy(error.message, text.data, error.message_size);
  return error;
}

}  // namespace drover
