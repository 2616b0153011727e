// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/prepare/supervised_prepares.h"

#include <utility>

#include "host/plugin/supervised_driver.h"

namespace drover {
namespace {

// A call is not repeated any more if this many processes have ended during it.
constexpr int kMostDeaths = 3;

}  // namespace

SupervisedPrepares::SupervisedPrepares(SupervisedDriver* driver)
    : driver_(driver), things_(driver->parts_.loop, this) {}

void SupervisedPrepares::TakeCharge() {
  in_use_ = driver_->instance_->driver()->prepares();
  if (in_use_) things_.Begin();
}

template <typename Answer, typename Function>
Co<Answer> SupervisedPrepares::Ask(Context context, Function call) {
  for (int deaths = 0;;) {
    DROVER_CO_ASSIGN(const SupervisedDriver::Instance instance,
                     co_await driver_->Admit(context, driver_->limits().relaunch_patience));
    // A reload waits for a limited time until the call has ended. Then it gives the call up, and
    // the next instance gets it.
    const CallCount::Inside inside(&driver_->calls_);
    const Context issued = driver_->issue_;
    const JoinContext joined(context, issued);
    Answer answer = co_await call(instance->driver(), joined.context());
    if (answer.ok() || context.cancelled() || driver_->ending_) co_return answer;
    if (issued.cancelled()) continue;
    const bool died = answer.code() == Code::kUnavailable && !instance->alive();
    if (!died || ++deaths >= kMostDeaths) co_return answer;
  }
}

Co<Result<std::string>> SupervisedPrepares::Key(Context context,
                                                std::shared_ptr<const TaskConfig> config) {
  const auto key = [config](LoadedDriver* driver, const Context& joined) {
    return driver->PrepareKey(joined, config);
  };
  co_return co_await Ask<Result<std::string>>(context, key);
}

Co<Result<std::uint64_t>> SupervisedPrepares::Prepare(Context context,
                                                      std::shared_ptr<const TaskConfig> config,
                                                      std::string key, HearProgress hear) {
  const auto prepare = [config, key, hear](LoadedDriver* driver, const Context& joined) {
    return driver->PrepareByKey(joined, config, key, hear);
  };
  co_return co_await Ask<Result<std::uint64_t>>(context, prepare);
}

Co<Result<std::vector<PreparedItem>>> SupervisedPrepares::List(Context context) {
  const auto list = [](LoadedDriver* driver, const Context& joined) {
    return driver->ListPrepared(joined);
  };
  co_return co_await Ask<Result<std::vector<PreparedItem>>>(context, list);
}

Co<Status> SupervisedPrepares::Remove(Context context, std::string key) {
  const auto remove = [key](LoadedDriver* driver, const Context& joined) {
    return driver->RemovePrepared(joined, key);
  };
  co_return co_await Ask<Status>(context, remove);
}

std::vector<std::shared_ptr<const TaskConfig>> SupervisedPrepares::Runs() const {
  std::vector<std::shared_ptr<const TaskConfig>> configs;
  for (const auto& [id, run] : driver_->runs_) {
    if (run.config) configs.push_back(run.config);
  }
  return configs;
}

Duration SupervisedPrepares::Age() const { return driver_->limits().prepared_age; }

void SupervisedPrepares::Report(const std::string& what) {
  driver_->Log(PluginLogLevel::kWarn, what);
}

}  // namespace drover
