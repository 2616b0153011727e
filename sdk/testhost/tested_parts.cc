// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The calls of optional parts of drivers that are drafts.
#include "sdk/testhost/tested_driver.h"

namespace drover {

Co<Result<TestedDriver::Json>> TestedDriver::Capabilities(Context, Request* request) {
  DROVER_CO_TRY(request->status());
  const std::shared_ptr<const DriverCapabilities> of = driver_->info().capabilities;
  if (!of) co_return Error(Code::kUnimplemented, "it says nothing about what it can do");
  Json said = Json::object();
  const std::pair<const char*, const DriverCapabilities::Names*> lists[] = {
      {"network_modes", &of->network_modes},
      {"mount_kinds", &of->mount_kinds},
      {"propagations", &of->propagations},
      {"signals", &of->signals}};
  for (const auto& [name, list] : lists) {
    if (*list) said[name] = **list;
  }
  const std::pair<const char*, const DriverCapabilities::Answer*> answers[] = {
      {"users", &of->users},   {"hostname", &of->hostname},
      {"dns", &of->dns},       {"labels", &of->labels},
      {"remote", &of->remote}, {"must_create_network", &of->must_create_network}};
  for (const auto& [name, answer] : answers) {
    if (*answer) said[name] = **answer;
  }
  said["parallel_starts"] = of->parallel_starts;
  said["sensitive"] = of->sensitive;
  co_return said;
}

Co<Result<TestedDriver::Json>> TestedDriver::Pause(Context context, Request* request) {
  const bool paused = request->Flag("paused", true);
  DROVER_CO_ASSIGN(const std::shared_ptr<Task> task, Named(request));
  const Status done = co_await driver_->Pause(context, task->config->run_id, paused);
  if (!done.ok()) co_return done.error();
  co_return Json::object();
}

}  // namespace drover
