// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/child/run_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "host/base/unique_fd.h"
#include "host/child/child_input.h"
#include "host/child/exec_texts.h"
#include "host/child/spawn_attributes.h"

namespace drover {
namespace {

constexpr int kPassedDescriptor = 3;

// Returns a copy of FD above the descriptors that the program gets. dup2 of a descriptor to itself
// would leave it closed in the program.
Result<UniqueFd> AbovePassed(int fd) {
  UniqueFd copy(fcntl(fd, F_DUPFD_CLOEXEC, kPassedDescriptor + 1));
  if (!copy) return ErrnoError(errno, "dup");
  return copy;
}

// FILES become the descriptors 0, 1, 2 and so on of the program.
Result<pid_t> SpawnProgram(const ProgramRun& run, const std::vector<UniqueFd>& files) {
  SpawnAttributes spawn;
  for (std::size_t i = 0; i < files.size(); ++i)
    posix_spawn_file_actions_adddup2(spawn.actions(), files[i].get(), static_cast<int>(i));
  // The sockets of the API and of its clients are not closed by exec. A program that goes on in the
  // background would keep the port of an agent that has ended.
  posix_spawn_file_actions_addclosefrom_np(spawn.actions(), static_cast<int>(files.size()));
  posix_spawn_file_actions_addchdir_np(spawn.actions(), "/");

  std::vector<std::string> arguments = run.arguments;
  arguments.insert(arguments.begin(), run.program);
  std::vector<std::string> environment = run.environment;
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, run.program.c_str(), spawn.actions(), spawn.attributes(),
                                 ExecTexts(&arguments).data(), ExecTexts(&environment).data());
  if (failed != 0) return ErrnoError(failed, "cannot run " + run.program);
  return pid;
}

}  // namespace

Result<ChildEnd> RunProgram(const ProgramRun& run) {
  DROVER_ASSIGN(const UniqueFd input, MakeChildInput(run.input));
  DROVER_ASSIGN(ChildPipe output, MakeChildPipe());
  DROVER_ASSIGN(ChildPipe errors, MakeChildPipe());
  std::vector<int> wanted = {input.get(), output.write.get(), errors.write.get()};
  if (run.descriptor >= 0) wanted.push_back(run.descriptor);
  std::vector<UniqueFd> files;
  for (const int fd : wanted) {
    DROVER_ASSIGN(UniqueFd copy, AbovePassed(fd));
    files.push_back(std::move(copy));
  }
  AwaitedChild child;
  DROVER_ASSIGN(child.pid, SpawnProgram(run, files));
  files.clear();
  output.write.Reset();
  errors.write.Reset();
  child.output = std::move(output.read);
  child.errors = std::move(errors.read);
  child.most_output = run.most_output;
  child.ends_when_full = true;
  child.limit = run.limit;
  child.grace = run.grace;
  child.stop = run.stop;
  return AwaitChild(std::move(child));
}

}  // namespace drover
