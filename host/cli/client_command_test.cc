// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/client_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace drover {
namespace {

using ::testing::HasSubstr;

std::string g_address;  // of the agent that a command would have asked

// Returns 7, or an error with --fail. --bad is a mistake in the command line.
struct ProbeCommand {
  bool fail = false;
  bool bad = false;

  void Declare(CLI::App* command) {
    command->add_flag("--fail", fail);
    command->add_flag("--bad", bad);
    AddNote(command, "A note.");
  }
  Status Check() const {
    if (bad) return Error(Code::kInvalidArgument, "--bad is bad");
    return {};
  }
  Result<int> Run(ApiClient* client, Output*) const {
    g_address = client->options().address;
    if (fail) return Error(Code::kUnavailable, "no luck");
    return 7;
  }
};

// A program with a few commands.
struct Program {
  Program() {
    app.require_subcommand(1);
    const ClientGroup job(CommandGroup(&app, &code), "job", "Jobs");
    job.Add<ProbeCommand>("run", "Runs");
    job.Add<ProbeCommand>("plan", "Plans", 255);
    const ClientGroup tag(job, "tag", "Tags");
    tag.Add<ProbeCommand>("apply", "Applies");
  }

  CLI::App app{"", "drover"};
  int code = 0;
};

class ClientCommandTest : public ::testing::Test {
 protected:
  ClientCommandTest() { g_address.clear(); }
  // Returns the exit code. errors_ gets what the command prints to standard error.
  int Run(std::vector<std::string> arguments) {
    Program program;
    std::reverse(arguments.begin(), arguments.end());
    ::testing::internal::CaptureStderr();
    program.app.parse(std::move(arguments));
    errors_ = ::testing::internal::GetCapturedStderr();
    return program.code;
  }

  std::string errors_;
};

TEST_F(ClientCommandTest, OptionsOfTheGroupAlsoStandBehindItsCommands) {
  EXPECT_EQ(Run({"job", "run", "--address", "http://127.0.0.1:1"}), 7);
  EXPECT_EQ(g_address, "http://127.0.0.1:1");
  EXPECT_EQ(Run({"job", "--address", "http://127.0.0.1:2", "tag", "apply"}), 7);
  EXPECT_EQ(g_address, "http://127.0.0.1:2");
  EXPECT_EQ(Run({"job", "tag", "apply", "--address", "http://127.0.0.1:3"}), 7);
  EXPECT_EQ(g_address, "http://127.0.0.1:3");
  EXPECT_EQ(errors_, "");
}

TEST_F(ClientCommandTest, ErrorsNameTheWholeCommand) {
  EXPECT_EQ(Run({"job", "tag", "apply", "--fail"}), kExitFailed);
  EXPECT_EQ(errors_, "drover job tag apply: no luck\n");
  EXPECT_EQ(Run({"job", "plan", "--fail"}), 255);
  EXPECT_EQ(errors_, "drover job plan: no luck\n");
}

TEST_F(ClientCommandTest, MistakesOfTheCommandLineAreFoundBeforeAnythingIsDone) {
  EXPECT_EQ(Run({"job", "run", "--bad"}), kExitUsage);
  EXPECT_EQ(errors_, "drover job run: --bad is bad\n");
  EXPECT_EQ(Run({"job", "run", "--address", "nowhere"}), kExitUsage);
  EXPECT_THAT(errors_, HasSubstr("drover job run: the address \"nowhere\""));
  EXPECT_EQ(Run({"job", "run", "-t", "{{.ID"}), kExitUsage);
  EXPECT_THAT(errors_, HasSubstr("drover job run: template:1:1: "));
  EXPECT_EQ(Run({"job", "plan", "-t", "{{.ID"}), 255);
  EXPECT_EQ(g_address, "");
}

TEST_F(ClientCommandTest, ANoteStandsAboveTheNoteOfTheGroup) {
  const Program program;
  const CLI::App* const apply =
      program.app.get_subcommand("job")->get_subcommand("tag")->get_subcommand("apply");
  EXPECT_EQ(
      apply->get_footer(),
      "A note.\n\nThe options of drover job, --address and the like, may also stand behind its "
      "commands: see drover job --help.");
}

}  // namespace
}  // namespace drover
