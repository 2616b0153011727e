// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/volume/plugin_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

#include <utility>

#include "host/base/unique_fd.h"
#include "host/child/exec_texts.h"

namespace drover {
namespace {

// Starts the program. Its descriptors 1 and 2 are OUTPUT and ERRORS, and it has no others, since
// all descriptors of the agent are closed on exec.
Result<pid_t> Spawn(const PluginProcess& spec, int output, int errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, errors, 2);
  posix_spawn_file_actions_addchdir_np(&actions, spec.directory.c_str());

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(
      &attributes,
      static_cast<short>(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);

  std::vector<std::string> arguments = {spec.program, spec.argument};
  std::vector<std::string> environment = spec.environment;
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, spec.program.c_str(), &actions, &attributes,
                                 ExecTexts(&arguments).data(), ExecTexts(&environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return ErrnoError(failed, "start " + spec.program);
  return pid;
}

}  // namespace

Result<ChildEnd> RunPluginProcess(const PluginProcess& spec) {
  DROVER_ASSIGN(ChildPipe output, MakeChildPipe());
  DROVER_ASSIGN(ChildPipe errors, MakeChildPipe());
  AwaitedChild child;
  DROVER_ASSIGN(child.pid, Spawn(spec, output.write.get(), errors.write.get()));
  output.write.Reset();
  errors.write.Reset();
  child.output = std::move(output.read);
  child.errors = std::move(errors.read);
  child.most_output = kMostPluginOutput;
  child.ends_when_full = true;
  child.limit = spec.limit;
  child.grace = 5s;
  child.stop = spec.stop;
  return AwaitChild(std::move(child));
}

}  // namespace drover
