// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/child/confined_program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "host/child/child_input.h"
#include "host/child/confined_calls.h"
#include "host/child/confined_spawn.h"
#include "host/child/exec_texts.h"
#include "host/child/file_rules.h"

namespace drover {
namespace {

// Ends a program whose caller stands still and so does not end it.
constexpr std::uint64_t kCpuSeconds = 10;
// The limit counts the threads of all programs that run as the one user of confined programs.
constexpr std::uint64_t kThreads = 512;

// Returns the rules by which the kernel refuses all files but the program, which is executed, and
// those of FILES_BELOW. Returns no descriptor if the kernel lacks Landlock and no files are wanted:
// the filter of system calls then refuses them by itself.
Result<UniqueFd> FileRules(const ConfinedProgram& spec) {
  // Later rights, such as truncation, need a descriptor that these rights refuse.
  DROVER_ASSIGN(UniqueFd rules, MakeFileRules(kFirstFileRights));
  if (!rules) {
    if (spec.files_below.empty()) return rules;
    return Error(Code::kUnimplemented, "this kernel cannot confine a program to " +
                                           spec.files_below +
                                           ": it lacks Landlock, so no files can be read");
  }
  // The kernel opens for reading what it executes.
  constexpr std::uint64_t kExecuted = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
  DROVER_TRY(AllowFiles(rules, spec.program, kExecuted));
  if (spec.files_below.empty()) return rules;
  const UniqueFd below(open(spec.files_below.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!below) return ErrnoError(errno, spec.files_below);
  DROVER_TRY(AllowFiles(rules, below.get(), kReadFiles));
  return rules;
}

std::vector<drover_confined_limit> Limits(const ConfinedProgram& spec) {
  std::vector<drover_confined_limit> limits = {
      {RLIMIT_CORE, 0},  {RLIMIT_CPU, kCpuSeconds}, {RLIMIT_DATA, spec.most_memory},
      {RLIMIT_FSIZE, 0}, {RLIMIT_MEMLOCK, 0},       {RLIMIT_NOFILE, DROVER_CONFINED_FILES}};
  // Otherwise the limit would count all processes of the user.
  if (geteuid() == 0) limits.push_back({RLIMIT_NPROC, kThreads});
  return limits;
}

}  // namespace

Result<ChildEnd> RunConfined(const ConfinedProgram& spec) {
  DROVER_ASSIGN(const UniqueFd rules, FileRules(spec));
  DROVER_ASSIGN(const UniqueFd input, MakeChildInput(spec.input));
  DROVER_ASSIGN(ChildPipe output, MakeChildPipe());
  DROVER_ASSIGN(ChildPipe errors, MakeChildPipe());
  std::vector<std::string> arguments = {spec.name};
  std::vector<std::string> environment = spec.environment;
  const std::vector<char*> argv = ExecTexts(&arguments);
  const std::vector<char*> envp = ExecTexts(&environment);
  const std::vector<drover_confined_limit> limits = Limits(spec);
  ConfinedCalls calls = CallsOfConfinedPrograms(!spec.files_below.empty());

  drover_confined_spawn spawn{};
  spawn.program = spec.program;
  spawn.standard[0] = input.get();
  spawn.standard[1] = output.write.get();
  spawn.standard[2] = errors.write.get();
  spawn.argv = argv.data();
  spawn.envp = envp.data();
  spawn.limits = limits.data();
  spawn.limit_count = limits.size();
  spawn.rules = rules.get();
  spawn.reads_files = !spec.files_below.empty();
  spawn.filter = calls.filter.data();
  spawn.filter_count = static_cast<unsigned short>(calls.filter.size());
  spawn.own_pid = calls.own_pid;
  if (const int error = drover_spawn_confined(&spawn); error != 0) {
    return ErrnoError(error, spec.name + " cannot " + spawn.failed);
  }
  output.write.Reset();
  errors.write.Reset();
  AwaitedChild child;
  child.pid = spawn.pid;
  child.output = std::move(output.read);
  child.errors = std::move(errors.read);
  child.most_output = spec.most_output;
  child.most_errors = std::size_t{64} << 10;  // the runtime of Go ends with long backtraces
  child.ends_when_full = true;
  child.limit = spec.limit;
  return AwaitChild(std::move(child));
}

}  // namespace drover
