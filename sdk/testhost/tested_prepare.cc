// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The calls of drivers that prepare tasks before they start.
#include "host/conformance/kit_task.h"
#include "host/plugin/loaded_driver.h"
#include "sdk/testhost/answers.h"
#include "sdk/testhost/tested_driver.h"

namespace drover {

void TestedDriver::PrintProgress(const std::string& task, const TaskProgress& progress) const {
  if (print_) print_({{"progress", ProgressJson(progress)}, {"task", task}});
}

// Prepares what a task needs that has not been started. The task keeps no name.
Co<Result<TestedDriver::Json>> TestedDriver::Prepare(Context context, Request* request) {
  const std::string name = request->Text("task");
  const Json given = request->Value("config");
  const bool prints = request->Flag("progress", false);
  DROVER_CO_TRY(request->status());
  if (name.empty() || name.find('/') != std::string::npos || name[0] == '.') {
    co_return Error(Code::kInvalidArgument, "/task: must be a name without \"/\"");
  }
  const std::string config = given.is_null() ? "{}" : given.dump();
  DROVER_CO_ASSIGN(std::string normal, driver_->NormalizeConfigAt("/config", config, true));
  const auto described = std::make_shared<TaskConfig>(MakeKitTask(options_.directory, name));
  described->driver_config_json = std::move(normal);
  LoadedDriver* const loaded = registries_.back()->FindLoaded(driver_->info().name);
  if (loaded == nullptr) co_return Error(Code::kUnavailable, "the driver is not there");
  if (!loaded->prepares()) co_return Error(Code::kUnimplemented, "the driver prepares no tasks");
  DROVER_CO_ASSIGN(const std::string key, co_await loaded->PrepareKey(context, described));
  if (key.empty()) co_return Json({{"key", ""}, {"size", 0}});
  HearProgress hear = [this, name, prints](const TaskProgress& progress) {
    if (prints) PrintProgress(name, progress);
  };
  DROVER_CO_ASSIGN(const std::uint64_t size,
                   co_await loaded->PrepareByKey(context, described, key, std::move(hear)));
  co_return Json({{"key", key}, {"size", size}});
}

Co<Result<TestedDriver::Json>> TestedDriver::ListPrepared(Context context, Request* request) {
  DROVER_CO_TRY(request->status());
  LoadedDriver* const loaded = registries_.back()->FindLoaded(driver_->info().name);
  if (loaded == nullptr) co_return Error(Code::kUnavailable, "the driver is not there");
  DROVER_CO_ASSIGN(const std::vector<PreparedItem> items, co_await loaded->ListPrepared(context));
  Json list = Json::array();
  for (const PreparedItem& item : items) {
    list.push_back({{"key", item.key}, {"size", item.size}, {"last_used", item.last_used}});
  }
  co_return Json({{"items", list}});
}

Co<Result<TestedDriver::Json>> TestedDriver::Unprepare(Context context, Request* request) {
  const std::string key = request->Text("key");
  DROVER_CO_TRY(request->status());
  LoadedDriver* const loaded = registries_.back()->FindLoaded(driver_->info().name);
  if (loaded == nullptr) co_return Error(Code::kUnavailable, "the driver is not there");
  DROVER_CO_TRY(co_await loaded->RemovePrepared(context, key));
  co_return Json::object();
}

}  // namespace drover
