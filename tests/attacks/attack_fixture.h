// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <linux/mount.h>
#include <sys/mount.h>

#include <set>

#include "host/process/failing_calls_for_test.h"
#include "host/process/isolation_for_test.h"
#include "host/process/process_test_fixture.h"
#include "host/process/start_message.h"
#include "host/process/task_root.h"
#include "shim/start_plan.h"

namespace drover {

using Arguments = std::vector<std::string>;

// An attack by a task of root with the capabilities that exec gives to root by default. A defence
// that stops this task stops others too. The control is the same task without the tested defence.
class AttackTest : public ProcessFixture {
 protected:
  // Exit codes of the attacks; any other code proves nothing.
  static constexpr int kSucceeded = 0;
  static constexpr int kHeld = 1;

  void SetUp() override {
    if (const char* reason = ReasonNotToIsolate()) GTEST_SKIP() << reason;
    ProcessFixture::SetUp();
    for (const char* path : {"alloc", "alloc/logs", "task", "task/local", "task/secrets", "cage"})
      mkdir((directory_ + "/" + path).c_str(), 0777);
    canary_ = directory_ + "/canary";
    std::ofstream(canary_) << "a secret of the host\n";
  }
  void TearDown() override {
    if (loop_) ProcessFixture::TearDown();
  }

  void Unmount() override {
    for (const char* path : {"/alloc", "/task"}) umount2((directory_ + path).c_str(), MNT_DETACH);
  }

  ProcessSpec Isolated(const std::string& attack, const Arguments& arguments) {
    ProcessSpec spec = Shell("");
    spec.argv = {"/attacks/" + attack};
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    TaskRootOptions options;
    options.alloc_dir = directory_ + "/alloc";
    options.log_dir = directory_ + "/alloc/logs";
    options.task_dir = directory_ + "/task";
    options.volumes = {{DROVER_ATTACKS, "/attacks", true, ""}};
    Result<RootSpec> root = OpenTaskRoot(options);
    EXPECT_TRUE(root.ok()) << root.error().message();
    spec.namespaces.emplace();
    if (root.ok()) spec.namespaces->root = std::move(*root);
    spec.privileges.emplace();
    spec.privileges->bounding = DefaultCapabilities();
    return spec;
  }
  static CapabilitySet DefaultCapabilities() { return With({}); }
  static CapabilitySet With(Arguments more) {
    for (const char* name :
         {"audit_write", "chown", "dac_override", "fowner", "fsetid", "kill", "mknod",
          "net_bind_service", "setfcap", "setgid", "setpcap", "setuid", "sys_chroot"})
      more.emplace_back(name);
    return *CapabilitySet::Parse(more);
  }

  int Run(ProcessSpec spec) { return WaitFor(MustStart(std::move(spec))).exit_code; }
  int Inside(const std::string& attack, const Arguments& arguments) {
    return Run(Isolated(attack, arguments));
  }
  // Runs it with the same rights, but in the root and namespaces of the host.
  ProcessSpec OnHost(const std::string& attack, const Arguments& arguments) {
    ProcessSpec spec = Isolated(attack, arguments);
    spec.argv[0] = std::string(DROVER_ATTACKS) + "/" + attack;
    spec.namespaces.reset();
    return spec;
  }
  int Outside(const std::string& attack, const Arguments& arguments) {
    return Run(OnHost(attack, arguments));
  }

  static void ForEachStep(
      StartMessage* message,
      const std::function<void(const std::string& name, drover_step* step)>& function) {
    std::size_t at = sizeof(drover_start);
    for (const std::string& name : message->step_names) {
      auto* const step = reinterpret_cast<drover_step*>(message->bytes.data() + at);
      at += step->size;
      function(name, step);
    }
  }
  // Runs it without those steps of its start.
  int Without(const std::set<std::string>& steps, ProcessSpec spec) {
    change_start_ = [&steps](StartMessage* message) {
      std::size_t found = 0;
      ForEachStep(message, [&](const std::string& name, drover_step* step) {
        if (!steps.contains(name)) return;
        step->flags = 0;  // nobody's
        ++found;
      });
      EXPECT_EQ(found, steps.size()) << "the plan has other steps";
    };
    const int code = Run(std::move(spec));
    change_start_ = nullptr;
    return code;
  }
  // The same as Without, for a mount or an attribute. It also omits the check, since the kernel
  // then does not confirm the mount.
  int WithoutMountStep(const std::string& step, ProcessSpec spec) {
    return Without({step, kVerifyStep}, std::move(spec));
  }
  // Runs FUNCTION on a thread where CALLS do nothing and succeed, if their arguments fit ONLY.
  void Pretending(const std::vector<long>& calls, CallsWith only,
                  const std::function<void()>& function) {
    std::thread([&] {
      ASSERT_EQ(FailCalls(calls, 0, only), 0);
      function();
    }).join();
  }

  // Mounts HOST_PATH at TARGET of the root.
  void Mount(const std::string& host_path, const std::string& target, const MountOptions& options,
             ProcessSpec* spec) {
    Result<MountTree> tree = OpenMountTree(AT_FDCWD, directory_ + host_path, target, options);
    ASSERT_TRUE(tree.ok()) << tree.error().message();
    spec->namespaces->root.mounts.push_back(std::move(*tree));
  }

  std::string canary_;
};

}  // namespace drover
