// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// A task's output, on disks that are full, slow or do not answer.
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <set>

#include "host/process/process_test_fixture.h"

#ifndef FIFREEZE
#include <linux/fs.h>
#endif

namespace drover {
namespace {

class ProcessOutputTest : public ProcessFixture {
 protected:
  // The joined text of the files of a stream, in their order.
  std::string Logs(const std::string& directory, const std::string& stream = "stdout") {
    std::string all;
    for (int i = 0, missing = 0; missing < 20; ++i) {
      const std::string name = directory + "/web." + stream + "." + std::to_string(i);
      if (access((directory_ + "/" + name).c_str(), F_OK) != 0) {
        ++missing;
        continue;
      }
      all += Read(name);
    }
    return all;
  }

  // Collects the service's reports of output that RUN loses.
  void Hear(const RunId& run) {
    on_dropped_ = service_->OnDroppedOutput(
        run, [this](const DroppedOutput& dropped) { dropped_.push_back(dropped); });
  }
  std::vector<DroppedOutput> dropped_;
  Subscription on_dropped_;
};

TEST_F(ProcessOutputTest, AllOfALargeOutputIsThere) {
  ProcessSpec spec = Shell("seq 1 300000; seq 1 1000 >&2");
  spec.logs.max_file_size = 100000;
  spec.logs.max_files = 1000;
  EXPECT_EQ(WaitFor(MustStart(std::move(spec))).dropped_lines, 0u);
  std::string expected;
  for (int i = 1; i <= 300000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_TRUE(Logs("logs") == expected);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Read("logs/web.stdout." + std::to_string(i)).back(), '\n');
}

TEST_F(ProcessOutputTest, APromptShowsUpWithoutItsLineEnd) {
  const RunId run = MustStart(Shell("printf 'name: '; sleep 1000"));
  EXPECT_TRUE(Until([&] { return Logs("logs") == "name: "; }));
  EXPECT_TRUE(service_->Kill(run).ok());
}

TEST_F(ProcessOutputTest, TheNextRunGoesOnInTheSameFile) {
  RunShell("echo one");
  RunShell("echo two");
  EXPECT_EQ(Read("logs/web.stdout.0"), "one\ntwo\n");
}

TEST_F(ProcessOutputTest, TheOutputGoesThroughPipesWithoutAName) {
  const mode_t before = umask(077);
  RunShell("readlink /proc/$$/fd/1; readlink /proc/$$/fd/2 >&2");
  umask(before);
  for (const char* stream : {"stdout", "stderr"}) {
    EXPECT_EQ(Logs("logs", stream).substr(0, 6), "pipe:[");
  }
  // Nothing else is in the directory, and everybody who may enter it may read the files.
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory_ + "/logs")) {
    names.insert(entry.path().filename());
    EXPECT_TRUE(std::filesystem::is_regular_file(entry.symlink_status()));
    EXPECT_EQ(entry.status().permissions(), std::filesystem::perms(0644));
  }
  EXPECT_EQ(names, (std::set<std::string>{"web.stderr.0", "web.stdout.0"}));
}

TEST_F(ProcessOutputTest, WhatAnEarlierRunLeftWritesNothingBetweenTheLinesOfTheNext) {
  if (!has_cgroups()) GTEST_SKIP() << "without cgroups such a process may live on";
  RunShell(
      "(trap '' HUP TERM; setsid sh -c 'while :; do echo old; done') & "
      "while ! [ -s $DIR/logs/web.stdout.0 ]; do sleep 0.01; done");
  RunShell("echo new; sleep 0.1; echo new");
  const std::string text = Logs("logs");
  EXPECT_EQ(text.substr(text.find("new")), "new\nnew\n");
}

TEST_F(ProcessOutputTest, ALogWriterThatDiedIsReplacedByThatOfTheNextRun) {
  ProcessSpec spec = Shell("echo one; echo half; sleep 1000");
  const RunId run = spec.run;
  const Result<ProcessInfo> info = Start(std::move(spec));
  ASSERT_TRUE(info.ok());
  ASSERT_TRUE(Until([&] { return Logs("logs") == "one\nhalf\n"; }));
  ASSERT_EQ(kill(info->shim_pid, SIGKILL), 0);
  EXPECT_EQ(WaitFor(run).error, "supervisor lost");
  RunShell("echo two");
  EXPECT_EQ(Logs("logs"), "one\nhalf\ntwo\n");
}

TEST_F(ProcessOutputTest, BinaryOutputIsKeptByteForByte) {
  RunShell("head -c 300000 /dev/zero; printf '\\001\\377\\n'");
  const std::string expected = std::string(300000, '\0') + "\x01\xff\n";
  EXPECT_TRUE(Logs("logs") == expected);
}

// A full tmpfs.
class FullDiskTest : public ProcessOutputTest {
 protected:
  void SetUp() override {
    ProcessOutputTest::SetUp();
    if (geteuid() != 0) GTEST_SKIP() << "mounting a small disk needs root";
    ASSERT_EQ(mkdir((directory_ + "/disk").c_str(), 0755), 0);
    if (mount("tmpfs", (directory_ + "/disk").c_str(), "tmpfs", 0, "size=64k") != 0)
      GTEST_SKIP() << "cannot mount a tmpfs here";
    mounted_ = true;
  }
  void Unmount() override {
    if (mounted_) EXPECT_EQ(umount2((directory_ + "/disk").c_str(), MNT_DETACH), 0);
  }
  bool mounted_ = false;
};

TEST_F(FullDiskTest, TheTaskNeverWaitsLongAndTheGapIsTold) {
  // Each line has 1000 bytes; 400 of them are far more than pipe, ring and disk hold. So the file
  // "full" is there only if the task was let go on while the disk was full.
  ProcessSpec spec = Shell(
      "python3 -c '\n"
      "import os, time\n"
      "def say(i): os.write(1, b\"%06d\" % i + b\"x\" * 993 + b\"\\n\")\n"
      "for i in range(400): say(i)\n"
      "open(os.environ[\"DIR\"] + \"/full\", \"w\").write(\"x\")\n"
      "while not os.path.exists(os.environ[\"DIR\"] + \"/go\"): time.sleep(0.01)\n"
      "for i in range(1000, 1020): say(i)\n"
      "time.sleep(1000)'");
  spec.logs.directory =
      UniqueFd(open((directory_ + "/disk").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Hear(spec.run);
  const RunId run = MustStart(std::move(spec));
  ASSERT_TRUE(Until([&] { return !Read("full").empty(); }));
  EXPECT_TRUE(Until([&] { return dropped_.size() == 1; }));
  EXPECT_EQ(dropped_[0], (DroppedOutput{true, 0, 0}));

  ASSERT_EQ(mount(nullptr, (directory_ + "/disk").c_str(), nullptr, MS_REMOUNT, "size=8m"), 0);
  // The gap is logged although the task, which waits for "go", writes nothing more.
  ASSERT_TRUE(Until([&] { return Logs("disk").find("lines dropped") != std::string::npos; }));
  std::ofstream(directory_ + "/go") << "x";
  ASSERT_TRUE(Until([&] { return Logs("disk").find("\n001019x") != std::string::npos; }));

  // Whole lines, in order, and the gap counts exactly the missing lines.
  std::istringstream lines(Logs("disk"));
  int next = 0, gap_lines = 0;
  std::uint64_t missing = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[drover] ")) {
      missing = std::stoull(line.substr(9));
      ++gap_lines;
      next = 1000;
      continue;
    }
    ASSERT_EQ(line.size(), 999u);
    EXPECT_EQ(std::stoi(line.substr(0, 6)), next);
    if (gap_lines == 0) missing = static_cast<std::uint64_t>(400 - next - 1);
    ++next;
  }
  EXPECT_EQ(gap_lines, 1);
  EXPECT_EQ(next, 1020);
  ASSERT_EQ(dropped_.size(), 2u);
  EXPECT_EQ(dropped_[1], (DroppedOutput{false, missing, missing * 1000}));
  EXPECT_TRUE(service_->Kill(run).ok());
  EXPECT_EQ(WaitFor(run).dropped_lines, missing);
}

TEST_F(FullDiskTest, TheEndIsReportedThoughTheDiskIsFull) {
  ProcessSpec spec = Shell("yes 0123456789 | head -c 500000; exit 8");
  spec.logs.directory =
      UniqueFd(open((directory_ + "/disk").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const RunId run = spec.run;
  Hear(run);
  MustStart(std::move(spec));
  const ProcessExit exit = WaitFor(run);
  EXPECT_EQ(exit.exit_code, 8);
  EXPECT_GT(exit.dropped_bytes, 100000u);
  // After the end, early and late listeners have heard of all lost output.
  const DroppedOutput all{false, exit.dropped_lines, exit.dropped_bytes};
  EXPECT_EQ(dropped_.back(), all);
  dropped_.clear();
  Hear(run);
  EXPECT_EQ(dropped_, std::vector<DroppedOutput>{all});
}

TEST_F(FullDiskTest, AStopIsOnTimeThoughTheDiskIsFull) {
  ProcessSpec spec =
      Shell("trap 'exit 4' TERM; while :; do echo 0123456789012345678901234567; done");
  spec.logs.directory =
      UniqueFd(open((directory_ + "/disk").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Hear(spec.run);
  const RunId run = MustStart(std::move(spec));
  ASSERT_TRUE(Until([&] { return !dropped_.empty(); }, 20s));
  const auto exit = Await(service_->Stop(Forever(), run, SIGTERM, 10s));
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->exit_code, 4);
}

// A file system that is frozen: every write to it hangs in the kernel.
class FrozenDiskTest : public ProcessOutputTest {
 protected:
  void SetUp() override {
    ProcessOutputTest::SetUp();
    if (geteuid() != 0) GTEST_SKIP() << "freezing a disk needs root";
    const std::string image = directory_ + "/image", disk = directory_ + "/disk";
    ASSERT_EQ(mkdir(disk.c_str(), 0755), 0);
    const std::string make = "truncate -s 8M " + image + " && mkfs.ext4 -q " + image +
                             " 2>/dev/null && mount -o loop " + image + " " + disk + " 2>/dev/null";
    if (std::system(make.c_str()) != 0) GTEST_SKIP() << "cannot mount an ext4 image here";
    mounted_ = true;
  }
  void TearDown() override {
    Thaw();
    ProcessOutputTest::TearDown();
  }
  void Unmount() override {
    if (mounted_) EXPECT_EQ(umount2((directory_ + "/disk").c_str(), MNT_DETACH), 0);
  }
  bool Freeze() {
    const UniqueFd disk(open((directory_ + "/disk").c_str(), O_RDONLY | O_CLOEXEC));
    frozen_ = ioctl(disk.get(), FIFREEZE, 0) == 0;
    return frozen_;
  }
  void Thaw() {
    if (!frozen_) return;
    const UniqueFd disk(open((directory_ + "/disk").c_str(), O_RDONLY | O_CLOEXEC));
    frozen_ = ioctl(disk.get(), FITHAW, 0) != 0;
  }
  bool mounted_ = false, frozen_ = false;
};

TEST_F(FrozenDiskTest, TheTaskRunsOnAndIsStoppedOnTime) {
  ProcessSpec spec = Shell(
      "python3 -c '\n"
      "import os, time\n"
      "written = open(os.environ[\"DIR\"] + \"/written\", \"wb\", 0)\n"
      "while True:\n"
      "  os.write(1, b\"x\" * 999 + b\"\\n\")\n"
      "  written.write(b\".\")\n"
      "  time.sleep(0.001)'");
  spec.logs.directory =
      UniqueFd(open((directory_ + "/disk").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Hear(spec.run);
  const RunId run = MustStart(std::move(spec));
  ASSERT_TRUE(Until([&] { return Logs("disk").size() > 10000; }));
  if (!Freeze()) GTEST_SKIP() << "this kernel cannot freeze the image";
  ASSERT_TRUE(Until([&] { return !dropped_.empty(); }, 20s));
  // More than pipe and ring hold together.
  const std::size_t written = Read("written").size();
  ASSERT_TRUE(Until([&] { return Read("written").size() > written + 500; }, 20s));
  const auto exit = Await(service_->Stop(Forever(), run, SIGTERM, 5s));
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->signal, SIGTERM);
}

}  // namespace
}  // namespace drover
