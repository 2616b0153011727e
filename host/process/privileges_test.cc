// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <linux/capability.h>

#include "host/process/process_test_fixture.h"

namespace drover {
namespace {

std::uint64_t Bit(int capability) { return std::uint64_t{1} << capability; }

class PrivilegesTest : public ProcessFixture {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "giving up capabilities needs root";
    ProcessFixture::SetUp();
  }
  void TearDown() override {
    if (loop_) ProcessFixture::TearDown();
  }

  ProcessSpec With(Privileges privileges, const std::string& script) {
    ProcessSpec spec = Shell(script);
    spec.privileges = privileges;
    return spec;
  }
  std::string Output(ProcessSpec spec) {
    const ProcessExit exit = WaitFor(MustStart(std::move(spec)));
    EXPECT_EQ(exit.exit_code, 0) << Read("logs/web.stderr.0");
    return Read("logs/web.stdout.0");
  }
};

const char kShowSets[] = "grep -E '^(Cap|NoNew|Seccomp:)' /proc/self/status | tr -d '\\t'";

TEST_F(PrivilegesTest, RootHasTheBoundingSetAndNoMore) {
  Privileges privileges;
  privileges.bounding = CapabilitySet(Bit(CAP_CHOWN) | Bit(CAP_KILL));
  EXPECT_EQ(Output(With(privileges, kShowSets)),
            "CapInh:0000000000000000\nCapPrm:0000000000000021\nCapEff:0000000000000021\n"
            "CapBnd:0000000000000021\nCapAmb:0000000000000000\nNoNewPrivs:1\nSeccomp:2\n");
}

TEST_F(PrivilegesTest, AnotherUserKeepsTheAmbientSetAlone) {
  Privileges privileges;
  privileges.bounding = CapabilitySet(Bit(CAP_CHOWN) | Bit(CAP_NET_BIND_SERVICE));
  privileges.ambient = CapabilitySet(Bit(CAP_NET_BIND_SERVICE));
  privileges.filter_calls = false;
  ProcessSpec spec = With(privileges, kShowSets);
  spec.user = ProcessUser{65534, 65534, {}};
  EXPECT_EQ(Output(std::move(spec)),
            "CapInh:0000000000000400\nCapPrm:0000000000000400\nCapEff:0000000000000400\n"
            "CapBnd:0000000000000401\nCapAmb:0000000000000400\nNoNewPrivs:0\nSeccomp:0\n");
}

TEST_F(PrivilegesTest, WithoutThemThoseOfTheAgentStay) {
  ProcessSpec spec = Shell("grep ^CapBnd /proc/self/status > $DIR/task");
  EXPECT_EQ(WaitFor(MustStart(std::move(spec))).exit_code, 0);
  const std::string own = ReadSmallFile(AT_FDCWD, "/proc/self/status").value_or("");
  EXPECT_NE(own.find(Read("task")), std::string::npos);
}

TEST_F(PrivilegesTest, AnAmbientCapabilityOutsideTheBoundingSetIsRefused) {
  Privileges privileges;
  privileges.bounding = CapabilitySet(Bit(CAP_CHOWN));
  privileges.ambient = CapabilitySet(Bit(CAP_NET_RAW));
  const Result<ProcessInfo> info = Start(With(privileges, "true"));
  ASSERT_FALSE(info.ok());
  EXPECT_EQ(info.error().message(),
            "the ambient capabilities net_raw are not all among the capabilities chown");
}

TEST_F(PrivilegesTest, TheFilterRefusesMountsAlsoToRootAndTheControlSucceeds) {
  Privileges privileges;
  privileges.bounding = *CapabilitySet::Parse({"all"});
  const std::string attack = "unshare --mount true && echo unshared || echo refused";
  EXPECT_EQ(Output(With(privileges, attack)), "unshared\n") << "sys_admin may";
  privileges.bounding = CapabilitySet(Bit(CAP_CHOWN));
  privileges.filter_calls = true;
  EXPECT_EQ(Output(With(privileges, attack)), "unshared\nrefused\n");
}

TEST_F(PrivilegesTest, KeysOfTheAgentAreNotInReach) {
  // /proc/keys lists the keys that its reader may view. An anonymous session keyring is "_ses".
  Privileges privileges;
  privileges.filter_calls = false;
  ProcessSpec spec = With(privileges, "test -r /proc/keys || exit 9; grep -c _ses /proc/keys");
  const ProcessExit exit = WaitFor(MustStart(std::move(spec)));
  if (exit.exit_code == 9) GTEST_SKIP() << "this kernel has no /proc/keys";
  EXPECT_EQ(exit.exit_code, 0) << Read("logs/web.stdout.0");
}

TEST_F(PrivilegesTest, SessionsHaveThemToo) {
  Privileges privileges;
  privileges.bounding = CapabilitySet(Bit(CAP_CHOWN));
  const RunId run = MustStart(With(privileges, "exec sleep 1000"));
  UniqueFd out(open((directory_ + "/session").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  ExecSpec exec;
  exec.argv = {"/bin/sh", "-c", kShowSets};
  exec.standard_input.Reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
  exec.standard_error.Reset(open("/dev/null", O_WRONLY | O_CLOEXEC));
  exec.standard_output = std::move(out);
  auto session = Await(service_->Exec(Forever(), run, std::move(exec)));
  ASSERT_TRUE(session.ok()) << session.error().message();
  const Result<ExecExit> exit = Await((*session)->Wait(Forever()));
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->exit_code, 0) << exit->error;
  EXPECT_EQ(Read("session"),
            "CapInh:0000000000000000\nCapPrm:0000000000000001\nCapEff:0000000000000001\n"
            "CapBnd:0000000000000001\nCapAmb:0000000000000000\nNoNewPrivs:1\nSeccomp:2\n");
  session->reset();
  ASSERT_TRUE(service_->Kill(run).ok());
  WaitFor(run);
}

}  // namespace
}  // namespace drover
