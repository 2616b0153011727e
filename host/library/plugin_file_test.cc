// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/library/plugin_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "drover/drover.h"
#include "host/library/loader.h"
#include "host/library/probe.h"
#include "host/library/test_files.h"

namespace drover {
namespace {

using testing::HasSubstr;

std::string ErrorOf(const std::string& path, const std::string& pin = "") {
  const Result<PluginFile> file = OpenPluginFile(path, pin);
  return file.ok() ? "it was accepted" : file.error().message();
}

TEST(PluginFileTest, AGoodFileIsReadWithoutLoadingIt) {
  const Result<PluginFile> file = OpenPluginFile(TestPlugin("test"), "");
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_EQ(file->manifest.name, "test");
  EXPECT_EQ(file->manifest.version, "1.2.3");
  EXPECT_EQ(file->manifest.license, "Apache-2.0");
  EXPECT_EQ(file->sha256.size(), 64u);
  EXPECT_TRUE(OpenPluginFile(TestPlugin("test"), file->sha256).ok());
  const std::string other(64, 'a');
  EXPECT_THAT(ErrorOf(TestPlugin("test"), other), HasSubstr("the configuration wants aaaa"));
}

TEST(PluginFileTest, AnotherAbiIsRefusedWithAFullSentence) {
  EXPECT_THAT(ErrorOf(TestPlugin("abi_major")),
              testing::AllOf(HasSubstr("abi_major.so is a plugin of ABI major 7"),
                             HasSubstr("install a newer Drover")));
  EXPECT_THAT(ErrorOf(TestPlugin("abi_draft")), HasSubstr("built with a draft of the plugin ABI"));
  EXPECT_THAT(ErrorOf(TestPlugin("abi_minor")), HasSubstr("needs a host of ABI 1.12 or newer"));
  EXPECT_THAT(ErrorOf(TestPlugin("two_exports")),
              HasSubstr("exports 1 more symbols than drover_driver_entry_v1 (another_export)"));
  EXPECT_THAT(ErrorOf(TestPlugin("no_manifest")), HasSubstr("it has no section .drover_manifest"));
}

TEST(PluginFileTest, APluginOfALaterMinorIsRefusedByAnOlderHost) {
  EXPECT_TRUE(CheckAbiVersion("x.so", 1, 0, 0).ok());
  EXPECT_TRUE(CheckAbiVersion("x.so", 1, 0, 1).ok());
  EXPECT_TRUE(CheckAbiVersion("x.so", 1, 1, 1).ok());
  const Status refused = CheckAbiVersion("x.so", 1, 1, 0);
  EXPECT_EQ(refused.code(), Code::kFailedPrecondition);
  EXPECT_EQ(refused.error().message(),
            "x.so needs a host of ABI 1.1 or newer, this host has 1.0: install a newer Drover, or "
            "an older plugin");
}

TEST(PluginFileTest, SymbolsThatTheWholeProcessWouldShareAreRefused) {
  if (access(TestPlugin("unique").c_str(), F_OK) != 0) GTEST_SKIP() << "g++ is not installed";
  EXPECT_THAT(ErrorOf(TestPlugin("unique")),
              testing::AllOf(HasSubstr("STB_GNU_UNIQUE"), HasSubstr("-fno-gnu-unique")));
}

TEST(PluginFileTest, FilesThatOthersCouldReplaceAreRefused) {
  TestDirectory directory;
  const std::string path = directory.Copy("test");
  EXPECT_EQ(ErrorOf(path), "it was accepted");
  chmod(path.c_str(), 0664);
  EXPECT_THAT(ErrorOf(path), HasSubstr("mode 0664: others could replace the plugin"));
  chmod(path.c_str(), 0644);
  chmod(directory.path().c_str(), 0777);
  EXPECT_THAT(ErrorOf(path), HasSubstr(directory.path() + " has mode 0777"));
  chmod(directory.path().c_str(), 0755);
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  ASSERT_EQ(chown(path.c_str(), 1234, 1234), 0);
  EXPECT_THAT(ErrorOf(path), HasSubstr("belongs to user 1234"));
}

TEST(PluginFileTest, WhatIsNoFileIsRefusedAndNeverBlocks) {
  TestDirectory directory;
  const std::string fifo = directory.path() + "/fifo.so";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0644), 0);
  EXPECT_THAT(ErrorOf(fifo), HasSubstr("not a regular file"));
  EXPECT_THAT(ErrorOf(directory.path()), HasSubstr("not a regular file"));
  EXPECT_THAT(ErrorOf("relative.so"), HasSubstr("absolute path"));
  EXPECT_THAT(ErrorOf(directory.path() + "/none.so"), HasSubstr("No such file"));
  std::ofstream(directory.path() + "/text.so") << std::string(4000, 'x');
  EXPECT_THAT(ErrorOf(directory.path() + "/text.so"), HasSubstr("no ELF file"));
  std::ofstream(directory.path() + "/empty.so");
  EXPECT_THAT(ErrorOf(directory.path() + "/empty.so"), HasSubstr("only 0 bytes"));
}

TEST(PluginFileTest, LibrariesOfOtherMachinesAndCutOnesAreRefused) {
  TestDirectory directory;
  const std::string path = directory.Copy("test");
  const auto patched = [&](std::streamoff at, char value) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char old = static_cast<char>(file.get());
    file.seekp(at);
    file.put(value);
    file.close();
    const std::string said = ErrorOf(path);
    file.open(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file.put(old);
    return said;
  };
  EXPECT_THAT(patched(4, 1), HasSubstr("it is not 64 bit ELF"));  // ELFCLASS32
  EXPECT_THAT(patched(18, 99), HasSubstr("it is for ELF machine 99"));
  EXPECT_THAT(patched(16, 2), HasSubstr("not a shared library"));  // an executable
  EXPECT_EQ(ErrorOf(path), "it was accepted");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THAT(ErrorOf(path), HasSubstr("test.so: the file is damaged"));
}

// A link is followed once, to the file that is then checked and named; one to nowhere is missing.
TEST(PluginFileTest, LinksLeadToTheFileThatIsChecked) {
  TestDirectory directory;
  const std::string path = directory.Copy("test");
  const std::string link = directory.path() + "/link.so";
  ASSERT_EQ(symlink("test.so", link.c_str()), 0);
  EXPECT_EQ(OpenPluginFile(link, "").value().path, path);
  chmod(path.c_str(), 0666);
  EXPECT_THAT(ErrorOf(link), HasSubstr("test.so has mode 0666"));
  unlink(path.c_str());
  EXPECT_THAT(ErrorOf(link), HasSubstr("link.so: No such file"));
  unlink(link.c_str());
  ASSERT_EQ(symlink("link.so", link.c_str()), 0);
  EXPECT_THAT(ErrorOf(link), HasSubstr("Too many levels of symbolic links"));
}

// Others could make it lead to another file that is in the right hands as well, such as an older
// version.
TEST(PluginFileTest, ALinkInADirectoryOfOthersIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  TestDirectory directory, theirs;
  const std::string path = directory.Copy("test");
  const std::string link = theirs.path() + "/link.so";
  ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0);
  EXPECT_EQ(ErrorOf(link), "it was accepted");
  ASSERT_EQ(chown(theirs.path().c_str(), 4242, 4242), 0);
  EXPECT_THAT(ErrorOf(link), HasSubstr(theirs.path() + " belongs to user 4242"));
}

// The name leads to other code as soon as the checks are over: the probe and the load do not care.
TEST(PluginFileTest, TheFileThatWasCheckedIsTheOneThatRuns) {
  TestDirectory directory;
  const std::string path = directory.Copy("test");
  Result<PluginFile> file = OpenPluginFile(path, "");
  ASSERT_TRUE(file.ok()) << file.error().message();
  std::filesystem::rename(directory.Copy("constructor_crashes"), path);
  PluginProber prober;
  const Result<PluginInfo> probed = prober.Probe(*file);
  EXPECT_TRUE(probed.ok()) << probed.error().message();
  std::filesystem::rename(directory.Copy("abi_draft"), path);
  EXPECT_THAT(ErrorOf(path), HasSubstr("built with a draft"));
  const Result<const drover_driver*> loaded = LoadPluginCode(std::move(*file));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ((*loaded)->abi_major, static_cast<unsigned>(DROVER_ABI_MAJOR));
}

// The reading of any bytes ends with a value: no crash, no endless work.
TEST(PluginFileTest, DamagedFilesAreErrors) {
  TestDirectory directory;
  std::ifstream in(TestPlugin("test"), std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  const std::string path = directory.path() + "/damaged.so";
  const auto read = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const Result<ElfFile> elf = ElfFile::Open(fd.get());
    if (!elf.ok()) return elf.code();
    const Result<Manifest> manifest = ReadManifest(*elf);
    const Result<std::vector<ElfSymbol>> symbols = elf->ExportedSymbols();
    return !manifest.ok() ? manifest.code() : symbols.code();
  };
  EXPECT_EQ(read(good), Code::kOk);
  for (std::size_t size = 0; size < good.size(); size += 997) {
    EXPECT_NE(read(good.substr(0, size)), Code::kOk) << size;
  }
  std::mt19937 random(20260101);
  for (int i = 0; i < 400; ++i) {
    std::string bytes = good;
    const std::size_t section_table = good.size() - 64 * 40;
    for (int j = 0; j < 8; ++j) {
      const std::size_t from = i % 2 == 0 ? 0 : section_table;
      const std::size_t to = i % 2 == 0 ? 64 : good.size();
      bytes[from + random() % (to - from)] = static_cast<char>(random());
    }
    read(bytes);  // any answer
  }
}

TEST(PluginFileTest, DriversAreFoundByFileAndByManifest) {
  TestDirectory directory;
  directory.Copy("abi_major");
  const std::string path = directory.Copy("test", "other_name");
  EXPECT_EQ(FindPluginFile({"/nonexistent", directory.path()}, "test").value(),
            directory.path() + "/abi_major.so");  // its manifest says "test" too, and comes first
  EXPECT_EQ(FindPluginFile({directory.path()}, "other_name").value(), path);
  const Result<std::string> none = FindPluginFile({directory.path()}, "nothing");
  EXPECT_THAT(none.error().message(), HasSubstr("no plugin file for driver \"nothing\" in /"));
  EXPECT_EQ(FindPlugins({directory.path()}).size(), 2u);
}

std::string ProbeError(const std::string& name, Duration limit = 5s) {
  const Result<PluginFile> file = OpenPluginFile(TestPlugin(name), "");
  if (!file.ok()) return file.error().message();
  PluginProber prober(limit);
  const Result<PluginInfo> info = prober.Probe(*file);
  return info.ok() ? "it was accepted" : info.error().message();
}

TEST(ProbeTest, TellsWhatTheCodeSays) {
  const PluginFile file = OpenPluginFile(TestPlugin("test"), "").value();
  PluginProber prober;
  const Result<PluginInfo> info = prober.Probe(file);
  ASSERT_TRUE(info.ok()) << info.error().message();
  EXPECT_EQ(info->name, "test");
  EXPECT_THAT(info->task_config_schema, HasSubstr("run_for_ms"));
  EXPECT_TRUE(prober.Probe(file).ok());
  EXPECT_EQ(prober.probes(), 1);  // the second answer was kept
}

int ProcessesNamed(const std::string& name) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "comm");
    std::string comm;
    if (std::getline(file, comm) && comm == name) ++found;
  }
  return found;
}

// One test, since both parts look for processes of that name on the whole machine.
TEST(ProbeTest, WhatAConstructorHasStartedEndsWithTheProbeOrItsAgent) {
  const auto left = [] { return ProcessesNamed("left-by-probe"); };
  ASSERT_EQ(left(), 0);
  EXPECT_EQ(ProbeError("constructor_forks"), "it was accepted");
  EXPECT_EQ(left(), 0);
  EXPECT_THAT(ProbeError("forks_and_hangs", 1s), HasSubstr("hangs when it is loaded"));
  EXPECT_EQ(left(), 0);
  // The agent may end before the probe does.
  const auto until = [](auto done) {
    for (int i = 0; i < 2000 && !done(); ++i) usleep(10'000);
    return done();
  };
  const pid_t agent = fork();
  if (agent == 0) {
    (void)ProbeError("forks_and_hangs", 10min);
    _exit(0);
  }
  ASSERT_GT(agent, 0);
  EXPECT_TRUE(until([&] { return left() > 0; }));
  kill(agent, SIGKILL);
  waitpid(agent, nullptr, 0);
  EXPECT_TRUE(until([&] { return left() == 0; }));
}

// The machine's tasks run as nobody by default: what they are many of is no fault of a plugin's.
TEST(ProbeTest, ProcessesOfTasksDoNotCount) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, whose probes are another user's";
  std::vector<pid_t> tasks;
  for (int i = 0; i < 300; ++i) {
    const pid_t task = fork();
    if (task == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (setresuid(65534, 65534, 65534) != 0) _exit(1);
      while (true) pause();
    }
    ASSERT_GT(task, 0);
    tasks.push_back(task);
  }
  EXPECT_EQ(ProbeError("constructor_threads"), "it was accepted");
  for (const pid_t task : tasks) {
    kill(task, SIGKILL);
    waitpid(task, nullptr, 0);
  }
}

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST(ProbeTest, AnOperatorMayGiveItMore) {
  const PluginFile file = OpenPluginFile(TestPlugin("constructor_maps"), "").value();
  PluginProber prober;
  EXPECT_THAT(prober.Probe(file).error().message(), HasSubstr("crashes when it is loaded"));
  EXPECT_FALSE(prober.Probe(file).ok());
  EXPECT_EQ(prober.probes(), 1);
  ProbeLimits more;
  more.memory_mb = 8192;
  EXPECT_TRUE(prober.Probe(file, more).ok()) << "it is tried again with other limits";
  EXPECT_TRUE(prober.Probe(file).ok()) << "that it can be loaded is known now";
  EXPECT_EQ(prober.probes(), 2);
}
#endif

TEST(ProbeTest, BrokenCodeBreaksOnlyTheChild) {
  EXPECT_THAT(
      ProbeError("constructor_crashes"),
      testing::AllOf(HasSubstr("constructor_crashes.so crashes when it is loaded (signal 6"),
                     HasSubstr("it wrote: the constructor gives up")));
#if __has_feature(thread_sanitizer)
  const std::string code = "66";  // of the sanitizer, which does not like an exit during a load
#else
  const std::string code = "0";
#endif
  EXPECT_THAT(ProbeError("constructor_exits"), HasSubstr("ended the probe with exit code " + code));
  EXPECT_THAT(ProbeError("constructor_hangs", 300ms), HasSubstr("hangs when it is loaded"));
  EXPECT_THAT(ProbeError("constructor_floods", 300ms), HasSubstr("hangs when it is loaded"));
  EXPECT_THAT(ProbeError("entry_null"), HasSubstr("returned null"));
  EXPECT_THAT(ProbeError("no_configure"), HasSubstr("no function \"configure\""));
  EXPECT_THAT(ProbeError("needs"), HasSubstr("does not have (bits 0x100)"));
}

TEST(ProbeTest, ThatTheTimeWasOverIsNotKept) {
  const PluginFile file = OpenPluginFile(TestPlugin("constructor_hangs"), "").value();
  PluginProber prober(50ms);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(prober.Probe(file).code(), Code::kTimeout);
  EXPECT_EQ(prober.probes(), 2);
}

TEST(ProbeTest, TheChildHasNoRights) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has rights to take away";
  EXPECT_EQ(ProbeError("constructor_looks"), "it was accepted");
}

TEST(ProbeTest, AFileThatOnlyRootReadsCanBeProbed) {
  TestDirectory directory;
  const std::string path = directory.Copy("test");
  chmod(path.c_str(), 0600);
  PluginProber prober;
  const Result<PluginInfo> info = prober.Probe(OpenPluginFile(path, "").value());
  EXPECT_TRUE(info.ok()) << info.error().message();
}

TEST(ProbeTest, AProbeCannotProbe) {
  const PluginFile file = OpenPluginFile(TestPlugin("test"), "").value();
  setenv(kProbeMark, "1", 1);
  PluginProber prober;
  EXPECT_EQ(prober.Probe(file).error().message(), "a probe cannot probe");
  unsetenv(kProbeMark);
}

}  // namespace
}  // namespace drover
