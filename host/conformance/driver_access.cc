// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/driver_access.h"

#include "host/abi/abi_write.h"

namespace drover {

Co<Result<bool>> DriverAccess::HasExtension(LoadedDriver* driver, Context context, std::string id) {
  DROVER_CO_TRY(driver->Usable());
  auto name = std::make_shared<const std::string>(std::move(id));
  auto has = std::make_shared<bool>(false);
  LoadedDriver::Plain ask = [container = driver->container_, self = driver->instance_, name,
                             has](drover_error*) {
    *has = container->table()->get_extension(self, ToStr(*name)) != nullptr;
    return DROVER_OK;
  };
  DROVER_CO_TRY(co_await driver->Invoke(context, "get_extension", RunId(), 0, driver->limits().hold,
                                        /*control=*/false, std::move(ask)));
  co_return *has;
}

Co<std::optional<Status>> DriverAccess::CallAs(LoadedDriver* driver, const char* verb, RunId run,
                                               std::shared_ptr<const TaskConfig> config,
                                               Duration limit, MakeCall make, bool* told_again) {
  const Status usable = driver->Usable();
  if (!usable.ok()) co_return usable;
  const std::shared_ptr<PluginHost> host = driver->host_;
  const std::shared_ptr<DriverContainer> container = driver->container_;
  drover_instance* const self = driver->instance_;
  if (config) host->runs()[run].config = config;
  const auto decode = [](const void*) -> Result<CallValue> { return CallValue(); };
  const auto call = driver->NewCall(verb, run, decode);
  call->told_once = told_again != nullptr;
  LoadedDriver::Verb function = [host, container, self, make = std::move(make)](
                                    const drover_call* frame, drover_error* error) {
    return make(host.get(), container->table(), self, frame, error);
  };
  Loop::TimerId again = 0;
  if (told_again != nullptr) {
    *told_again = false;
    again = host->loop()->After(limit / 2, [host, container, self, told_again, id = call->id] {
      if (!host->calls().IsPending(id)) return;
      *told_again = true;
      PostCancelled(host, container, self, id);
    });
  }
  const Context context(host->loop());
  const Result<CallValue> value =
      co_await driver->Call(context, call, limit, /*control=*/run == RunId(), std::move(function));
  host->loop()->Cancel(again);
  if (!call->outcome) co_return std::nullopt;
  co_return value.ok() ? Status() : Status(value.error());
}

}  // namespace drover
