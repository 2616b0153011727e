// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <string_view>

#include "host/base/printable.h"
#include "host/cli/replace_file.h"
#include "host/cli/shell_word.h"
#include "host/local_commands/local_commands.h"

namespace drover {
namespace {

constexpr std::string_view kExample =
    R"(# A job: what shall run, and how. "drover job plan" shows what running it would change, "drover job run"
# runs it, and docs/job-fields.md lists all that it may have.

# A variable; "drover job run --var greeting=hi" sets it.
variable "greeting" {
  type    = string
  default = "hello"
}

job "example" {
  # service: runs until it is stopped. batch: runs until it has ended. system, sysbatch: on each node.
  type = "service"

  # The tasks of a group run together, in one allocation.
  group "web" {
    count = 1

    # A free port of the machine. With "static = 8080" it is that one.
    network {
      port "http" {}
    }

    # A task that fails starts again: at most twice within half an hour.
    restart {
      attempts = 2
      interval = "30m"
      delay    = "15s"
      mode     = "fail"
    }

    # This task ends before the main one starts.
    task "page" {
      lifecycle {
        hook = "prestart"
      }

      driver = "exec"
      config {
        command = "/bin/sh"
        args    = ["-c", "echo '${var.greeting}, I am ${NOMAD_ALLOC_NAME}' > ${NOMAD_ALLOC_DIR}/data/index.html"]
      }
    }

    task "server" {
      # exec isolates the task, and needs an agent that is root. raw_exec does not isolate it.
      driver = "exec"
      config {
        command = "/usr/bin/python3"
        args    = ["-m", "http.server", "--directory", "${NOMAD_ALLOC_DIR}/data", "${NOMAD_PORT_http}"]
      }

      env {
        PYTHONUNBUFFERED = "1"
      }

      # What the task may use: MHz and MiB.
      resources {
        cpu    = 100
        memory = 64
      }

      # The time between the signal to end and the kill.
      kill_timeout = "5s"
    }
  }
}
)";

constexpr std::string_view kMinimal = R"(job "example" {
  group "web" {
    network {
      port "http" {}
    }

    task "server" {
      driver = "exec"

      config {
        command = "/usr/bin/python3"
        args    = ["-m", "http.server", "${NOMAD_PORT_http}"]
      }
    }
  }
}
)";

struct JobInitCommand {
  std::string file = "example.nomad.hcl";
  bool minimal = false;

  void Declare(CLI::App* command) {
    command->add_option("FILE", file, "The new file (default: example.nomad.hcl)");
    command->add_flag("--minimal,--short", minimal, "Without comments, and only what it needs");
  }

  int Run() const {
    const Status written = WriteNewFile(file, minimal ? kMinimal : kExample);
    if (!written.ok()) return Fail("job init", written.error(), kExitFailed);
    std::printf("Wrote %s. To run it: drover job run %s\n", Printable(file).c_str(),
                Printable(ShortShellWord(file)).c_str());
    return kExitOk;
  }
};

}  // namespace

void AddJobInit(const CommandGroup& job) {
  job.Add<JobInitCommand>("init", "Writes an example of a job file");
}

}  // namespace drover
