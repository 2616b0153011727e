// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/optional_part.h"

#include <initializer_list>
#include <string>

#include "drover/drover_capabilities.h"
#include "drover/drover_device.h"
#include "drover/drover_news.h"
#include "drover/drover_pause.h"
#include "drover/drover_prepare.h"
#include "drover/drover_task_hooks.h"

namespace drover {
namespace {

struct Function {
  const char* name;
  bool there;
};

Result<const void*> Complete(const void* table, const char* type,
                             std::initializer_list<Function> functions) {
  for (const Function& function : functions) {
    if (function.there) continue;
    return Error(Code::kFailedPrecondition,
                 std::string("its ") + type + " has no function \"" + function.name + "\"");
  }
  return table;
}

}  // namespace

#define DROVER_FUNCTION(name) {#name, of->name != nullptr}
#define DROVER_PART(part_id, type, ...)                                           \
  if (id == (part_id)) {                                                          \
    const auto* of = static_cast<const type*>(table);                             \
    if (of->struct_size < sizeof(type)) return static_cast<const void*>(nullptr); \
    return Complete(table, #type, {__VA_ARGS__});                                 \
  }
Result<const void*> CheckPart(std::string_view id, const void* table) {
  if (table == nullptr) return table;
  DROVER_PART(DROVER_TASK_STATS_ID, drover_task_stats, DROVER_FUNCTION(stats))
  DROVER_PART(DROVER_TASK_EXEC_ID, drover_task_exec, DROVER_FUNCTION(exec), DROVER_FUNCTION(resize))
  DROVER_PART(DROVER_DEVICE_ID, drover_device_plugin, DROVER_FUNCTION(devices),
              DROVER_FUNCTION(reserve), DROVER_FUNCTION(stats))
  DROVER_PART(DROVER_TASK_HOOKS_ID, drover_task_hooks, DROVER_FUNCTION(hook))
  DROVER_PART(DROVER_CAPABILITIES_ID, drover_capable, DROVER_FUNCTION(capabilities))
  DROVER_PART(DROVER_TASK_PAUSE_ID, drover_task_pause, DROVER_FUNCTION(pause))
  DROVER_PART(DROVER_TASK_PREPARE_ID, drover_task_prepare, DROVER_FUNCTION(key),
              DROVER_FUNCTION(prepare), DROVER_FUNCTION(list), DROVER_FUNCTION(remove))
  DROVER_PART(DROVER_TASK_NEWS_ID, drover_news_source, DROVER_FUNCTION(news))
  return table;
}
#undef DROVER_PART
#undef DROVER_FUNCTION

}  // namespace drover
