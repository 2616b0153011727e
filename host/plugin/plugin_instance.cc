// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plugin_instance.h"

#include "host/base/patience.h"
#include "host/plugin/devices/loaded_devices.h"

namespace drover {

PluginInstance::PluginInstance(std::shared_ptr<const PluginCode> code, int number,
                               Listener listener)
    : code_(std::move(code)),
      number_(number),
      made_at_(code_->driver.loop->Now()),
      listener_(std::move(listener)),
      port_(std::make_shared<LoopPort>(code_->driver.loop)),
      heard_(code_->driver.loop),
      died_(code_->driver.loop),
      sessions_(code_->driver.loop) {}

Co<Status> PluginInstance::Create(Context context) {
  Status made = co_await Load(std::move(context));
  if (made.code() == Code::kTimeout && !code_->in_process()) {
    made = Error(Code::kUnavailable, made.error().message());
  }
  co_return made;
}

Co<Status> PluginInstance::Load(Context context) {
  LoadedDriver::Parts parts = code_->driver;
  if (code_->in_process()) {
    parts.container = std::make_shared<InProcessContainer>(code_->table);
  } else {
    DROVER_CO_TRY(co_await LaunchProcess(context));
    parts.container = process_;
    // If a function does not return in time or a call is not completed in time, the process is
    // killed.
    parts.stuck = [process = std::weak_ptr(process_)](const std::string& what) {
      if (const auto alive = process.lock()) alive->Kill(what, /*ask=*/true);
    };
  }
  parts.hear_news = [this](const TaskNews& news) {
    if (!ending_ && listener_.news) listener_.news(number_, news);
  };
  parts.hear_events = [this](const DriverEvent& event) {
    if (listener_.event) listener_.event(number_, event);
  };
  driver_ = std::make_unique<LoadedDriver>(std::move(parts));
  co_return co_await driver_->Create(context, code_->config_json);
}

Co<Status> PluginInstance::LaunchProcess(Context context) {
  // The callbacks hold a weak pointer, since they may run after this object has been destroyed.
  const std::weak_ptr<PluginInstance> self = weak_from_this();
  ProcessContainer::Listener listener;
  listener.loaded = [self, port = port_](Result<PluginInfo> info) {
    auto told = std::make_shared<Result<PluginInfo>>(std::move(info));
    port->Post([self, told] {
      const auto alive = self.lock();
      if (!alive) return;
      alive->loaded_.emplace(std::move(*told));
      alive->heard_.Set();
    });
  };
  listener.died = [self, port = port_](ContainerDeath death) {
    auto told = std::make_shared<ContainerDeath>(std::move(death));
    port->Post([self, told] {
      const auto alive = self.lock();
      if (!alive) return;
      alive->death_ = std::move(*told);
      alive->heard_.Set();
      alive->died_.Set();
      // The callback is copied, since it may call End, which destroys the listener.
      const auto tell = alive->listener_.died;
      if (tell) tell(alive->number_, *alive->death_);
    });
  };
  const std::string name = code_->driver.info.name;
  listener.line = [log = code_->driver.log, name](const std::string& line) {
    if (log) log(PluginLogLevel::kInfo, name, nullptr, "wrote: " + line);
  };
  using Made = Result<std::unique_ptr<ProcessContainer>>;
  auto made = std::make_shared<Made>(Error(Code::kInternal, ""));
  std::function<void()> start = [made, file = code_->file, title = code_->Title(),
                                 listener = std::move(listener)] {
    *made = ProcessContainer::Start(file->fd, file->path, title, listener);
  };
  co_await code_->workers->Do(std::move(start));
  if (!made->ok()) {
    co_return Error(Code::kUnavailable,
                    "plugin " + code_->Title() + " cannot be launched: " + made->error().message());
  }
  process_ = std::move(**made);
  const Patience patience(context, limits().load);
  (void)co_await heard_.Wait(patience.context());
  if (death_) co_return Error(Code::kUnavailable, death_text());
  if (!loaded_) {
    DROVER_CO_TRY(context.status());
    co_return Error(Code::kUnavailable,
                    "it has not been loaded within " + FormatDuration(limits().load));
  }
  if (!loaded_->ok()) co_return loaded_->error();
  if (**loaded_ != code_->driver.info) {
    co_return Error(Code::kInternal,
                    code_->path + " says other things about itself than in the probe");
  }
  co_return Status();
}

Co<void> PluginInstance::AwaitFirstFingerprint(Context context) {
  co_await WaitAny(context, driver_->first_fingerprint(), &died_);
  // A plugin of devices is ready when they are known, too.
  LoadedDevices* const devices = driver_->devices();
  if (devices != nullptr) co_await WaitAny(context, devices->first(), &died_);
}

Co<void> PluginInstance::End() {
  if (std::exchange(ending_, true)) co_return;
  listener_ = Listener();
  if (driver_ && !driver_->has_instance()) Kill("it was given up before it had made its instance");
  if (driver_) co_await driver_->Shutdown();
  Kill("its host has shut it down");
  process_ = nullptr;
  port_->Close();
}

void PluginInstance::Kill(const std::string& why) {
  if (process_) process_->Kill(why, /*ask=*/false);
}

bool PluginInstance::alive() const {
  return code_->in_process() || (process_ && process_->alive());
}

Co<void> PluginInstance::AwaitDeath(Context context) {
  if (process_ && !process_->alive()) (void)co_await died_.Wait(std::move(context));
}

pid_t PluginInstance::pid() const { return process_ && process_->alive() ? process_->pid() : 0; }

}  // namespace drover
