// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The program of a test whose drivers run in containers. The same fake host calls the same files
// through the same interface, but each instance is in a process of its own.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <utility>

#include "driver_place.h"
#include "host/abi/abi_text.h"
#include "host/abi/abi_write.h"
#include "host/container/plugin_child.h"
#include "host/container/process_container.h"
#include "host/library/plugin_file.h"

namespace drover_test {
namespace {

using drover::PluginInfo;
using drover::ProcessContainer;

constexpr std::chrono::seconds kContainerLimit{20};

class Containers : public DriverPlace {
 public:
  const drover_driver* Load(const std::string& file, std::string* why) override {
    auto opened = drover::OpenPluginFile(file, "");
    if (!opened.ok()) {
      *why = opened.error().message();
      return nullptr;
    }
    file_ = std::move(*opened);
    auto process = NewProcess();
    if (!process.ok()) {
      *why = process.error().message();
      return nullptr;
    }
    table_ = *(*process)->container->table();
    table_.info = []() -> const drover_info* { return &Get().c_info_; };
    table_.create = [](const drover_host* host, const drover_call* call,
                       const drover_create_args* args,
                       drover_error* error) { return Get().Create(host, call, args, error); };
    return &table_;
  }

  void Unload() override {
    for (const auto& process : processes_) {
      process->container->Kill("the test is over", /*ask=*/false);
      EXPECT_EQ(process->died.get_future().wait_for(kContainerLimit), std::future_status::ready);
    }
    processes_.clear();
  }

  bool is_this_process() const override { return false; }

  static Containers& Get() {
    static Containers containers;
    return containers;
  }

 private:
  struct Process {
    std::promise<drover::Result<PluginInfo>> loaded;
    std::promise<void> died;
    bool used = false;  // one serves one instance
    std::unique_ptr<ProcessContainer> container;
  };

  drover::Result<Process*> NewProcess() {
    auto process = std::make_unique<Process>();
    Process* const made = process.get();
    ProcessContainer::Listener listener;
    listener.loaded = [made](drover::Result<PluginInfo> info) {
      made->loaded.set_value(std::move(info));
    };
    listener.died = [made](const drover::ContainerDeath&) { made->died.set_value(); };
    DROVER_ASSIGN(made->container,
                  ProcessContainer::Start(file_->fd, file_->path, "test", std::move(listener)));
    processes_.push_back(std::move(process));
    auto loaded = made->loaded.get_future();
    if (loaded.wait_for(kContainerLimit) != std::future_status::ready) {
      return drover::Error(drover::Code::kTimeout, "the container has not loaded its driver");
    }
    DROVER_ASSIGN(info_, loaded.get());
    c_info_ = drover::NewStruct<drover_info>();
    c_info_.fs_isolation = static_cast<std::int32_t>(info_.fs_isolation);
    c_info_.name = drover::ToStr(info_.name);
    c_info_.version = drover::ToStr(info_.version);
    c_info_.offers = info_.offers;
    c_info_.needs = info_.needs;
    c_info_.config_schema = drover::ToStr(info_.config_schema);
    c_info_.task_config_schema = drover::ToStr(info_.task_config_schema);
    return made;
  }

  std::int32_t Create(const drover_host* host, const drover_call* call,
                      const drover_create_args* args, drover_error* error) {
    Process* process = processes_.empty() ? nullptr : processes_.back().get();
    if (process == nullptr || process->used) {
      const auto made = NewProcess();
      if (!made.ok()) {
        drover::WriteError(made.error(), error);
        return static_cast<std::int32_t>(made.error().code());
      }
      process = *made;
    }
    process->used = true;
    return process->container->Create(host, call, args, error);
  }

  std::optional<drover::PluginFile> file_;
  PluginInfo info_;
  drover_info c_info_{};
  drover_driver table_{};
  std::list<std::unique_ptr<Process>> processes_;
};

}  // namespace
}  // namespace drover_test

// A container starts this program again.
int main(int argc, char** argv) {
  if (const auto code = drover::MaybeRunPluginChild(argc, argv)) return *code;
  testing::InitGoogleTest(&argc, argv);
  drover_test::SetPlace(&drover_test::Containers::Get());
  return RUN_ALL_TESTS();
}
