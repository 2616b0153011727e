// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/hcl/hcl_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "host/base/directory_for_test.h"
#include "host/base/open_fds_for_test.h"
#include "host/base/time.h"
#include "host/hcl/hcl_diagnostics.h"
#include "host/hcl/job_hcl.h"

namespace drover {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

json Schema() { return json::parse(std::ifstream(DROVER_HCL_SCHEMA_FOR_TEST)); }

HclRequest RequestOf(std::string text) {
  HclRequest request;
  request.file = "web.hcl";
  request.text = std::move(text);
  request.schema = Schema();
  return request;
}

// Runs the drover-hcl of the build.
class HclProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(DROVER_HCL_FOR_TEST))
      GTEST_SKIP() << "this build has no drover-hcl";
    UseHclProgram(DROVER_HCL_FOR_TEST);
  }

  static HclReply Decode(const HclRequest& request) {
    Result<HclReply> reply = DecodeHcl(request);
    EXPECT_TRUE(reply.ok()) << reply.error().message();
    return reply.ok() ? std::move(*reply) : HclReply{};
  }
  static std::string Faults(const HclRequest& request) {
    const HclReply reply = Decode(request);
    EXPECT_TRUE(reply.value.is_null()) << reply.value;
    return DiagnosticsText(reply.diagnostics, {{request.file, request.text}});
  }
  // Returns why a document is given up. Usually drover-hcl says so itself. On a busy machine, this
  // process may have to end it.
  static std::string WhyGivenUp(const std::string& text) {
    const Result<HclReply> reply = DecodeHcl(RequestOf(text));
    if (!reply.ok()) return reply.error().message();
    EXPECT_TRUE(reply->value.is_null()) << reply->value;
    return DiagnosticsText(reply->diagnostics, {});
  }
};

TEST_F(HclProgramTest, DecodesADocument) {
  const HclReply reply = Decode(RequestOf(R"(
    job "web" {
      type = upper("service")
      meta {
        who = "ünïcode ${NOMAD_ALLOC_ID}"
      }
    }
  )"));
  EXPECT_TRUE(reply.diagnostics.empty());
  EXPECT_EQ(reply.value, json::parse(R"({"Job": {"ID": "web", "Type": "SERVICE",
      "Meta": {"who": "ünïcode ${NOMAD_ALLOC_ID}"}}})"));
}

TEST_F(HclProgramTest, HandsVariablesOn) {
  HclRequest request = RequestOf(R"(
    variable "a" { type = string }
    variable "b" { type = string }
    variable "c" { type = string }
    job "web" { datacenters = [var.a, var.b, var.c] })");
  request.environment = {{"a", "environment"}, {"b", "lost"}, {"c", "lost"}};
  request.variable_files = {{"one.hcl", "b = \"first\"\nc = \"lost\""},
                            {"two.hcl", "b = \"file\""}};
  request.command_line = {{"c", "line"}};
  EXPECT_EQ(Decode(request).value["Job"]["Datacenters"], json({"environment", "file", "line"}));
}

TEST_F(HclProgramTest, ReportsAllFaultsWithTheirPlaces) {
  EXPECT_EQ(
      Faults(RequestOf("job \"web\" {\n\tkind = \"日本\"\n\tgroup \"g\" { count = \"x\" }\n}\n")),
      "web.hcl:2,2: Error: Unsupported argument\n"
      "  2 |     kind = \"日本\"\n"
      "    |     ^^^^\n"
      "  An argument named \"kind\" is not expected here.\n"
      "\n"
      "web.hcl:3,22: Error: Wrong type\n"
      "  3 |     group \"g\" { count = \"x\" }\n"
      "    |                         ^^^\n"
      "  The value of count must be a whole number: a number is required.\n");
}

TEST_F(HclProgramTest, ATextThatIsNotUtf8HasItsPlace) {
  HclRequest request = RequestOf("job \"web\" {}\n# \xc3\xa9\xff\n");
  request.variable_files = {{"vars.hcl", "\xc0"}};
  request.command_line = {{"name", "\xff"}};
  EXPECT_THAT(Faults(request), HasSubstr("web.hcl:2,4: Error: Not UTF-8\n"
                                         "  2 | # é\\xff\n"
                                         "    |    ^^^^\n"));
  EXPECT_THAT(Faults(request), HasSubstr("vars.hcl:1,1: Error: Not UTF-8\n"));
  EXPECT_THAT(Faults(request), HasSubstr("The value of the variable name must be text in UTF-8"));
}

TEST_F(HclProgramTest, AVeryLongTextIsRefused) {
  EXPECT_THAT(Faults(RequestOf(std::string(kMostHclBytes + 1, '\n'))),
              HasSubstr("have 8388609 bytes; at most 8388608 are read"));
}

TEST_F(HclProgramTest, LaysADocumentOut) {
  const Result<HclLayout> layout = FormatHcl("web.hcl", "job \"a\" {\ntype=1\n}\n");
  ASSERT_TRUE(layout.ok()) << layout.error().message();
  EXPECT_EQ(layout->text, "job \"a\" {\n  type = 1\n}\n");
  EXPECT_TRUE(layout->diagnostics.empty());
  EXPECT_EQ(FormatHcl("web.hcl", "")->text, "");
  const Result<HclLayout> wrong = FormatHcl("web.hcl", "job {{\n");
  ASSERT_TRUE(wrong.ok()) << wrong.error().message();
  EXPECT_EQ(wrong->text, "");
  EXPECT_EQ(wrong->diagnostics.at(0).file, "web.hcl");
}

TEST_F(HclProgramTest, ReadsFilesOnlyBelowTheDirectoryThatIsGiven) {
  const DirectoryForTest directory;
  std::filesystem::create_directory(directory.path() + "/job");
  std::ofstream(directory.path() + "/secret") << "secret";
  std::ofstream(directory.path() + "/job/name") << "name";
  const HclRequest request = RequestOf("job \"web\" { type = file(\"name\") }");
  EXPECT_THAT(Faults(request), HasSubstr("functions of files are not allowed here"));
  HclRequest allowed = request;
  allowed.files_below = directory.path() + "/job";
  const Result<HclReply> reply = DecodeHcl(allowed);
  if (reply.code() == Code::kUnimplemented) GTEST_SKIP() << reply.error().message();
  ASSERT_TRUE(reply.ok()) << reply.error().message();
  EXPECT_EQ(reply->value["Job"]["Type"], "name");
  for (const char* path : {"../secret", "/etc/passwd", "/proc/self/environ"}) {
    allowed.text = "job \"web\" { type = file(\"" + std::string(path) + "\") }";
    EXPECT_THAT(Faults(allowed), HasSubstr("is not below " + directory.path() + "/job")) << path;
  }
  setenv("HOME", directory.path().c_str(), 1);
  allowed.text = "job \"web\" { type = pathexpand(\"~/name\") }";
  EXPECT_EQ(Decode(allowed).value["Job"]["Type"], directory.path() + "/name");
}

constexpr char kEndless[] = R"(
  locals {
    a = [for x in range(1000): [for y in range(1000): [for z in range(1000): x + y + z]]]
  }
  job "web" {})";

TEST_F(HclProgramTest, ADocumentThatTakesTooLongIsGivenUp) {
  const TimePoint begin = BootClock::now();
  // Keeps nothing, so that it runs out of time and not of memory.
  const std::string why = WhyGivenUp(R"(
    job "web" {
      type = length([for x in range(1000): 1 if
             length([for y in range(1000): 1 if
             length([for z in range(1000): 1 if x + y + z < 0]) > 0]) > 0])
    })");
  EXPECT_THAT(why, AnyOf(HasSubstr("Document too expensive"), HasSubstr("make it simpler")));
  EXPECT_LT(BootClock::now() - begin, 5s);
}

TEST_F(HclProgramTest, ADocumentThatTakesTooMuchMemoryIsGivenUp) {
  std::string text = "locals {\n  a0 = \"0123456789abcdef\"\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "${local.a" + std::to_string(i - 1) + "}";
    text += "  a" + std::to_string(i) + " = \"" + before + before + "\"\n";
  }
  EXPECT_THAT(WhyGivenUp(text + "}\njob \"web\" {}\n"), HasSubstr("Local value too large"));
  EXPECT_THAT(WhyGivenUp(kEndless),
              AnyOf(HasSubstr("Document too expensive"), HasSubstr("make it simpler")));
}

TEST_F(HclProgramTest, ADocumentThatBecomesTooLongIsGivenUp) {
  const std::string long_text(10'000, 'a');
  EXPECT_THAT(WhyGivenUp("job \"web\" { type = join(\"\", [for x in range(1000): \"" + long_text +
                         "\"]) }"),
              HasSubstr("the result would have more than 8388608 bytes"));
}

TEST_F(HclProgramTest, LeavesNothingBehind) {
  Decode(RequestOf("job \"web\" {}"));
  const long before = OpenFds();
  Decode(RequestOf("job \"web\" {}"));
  Decode(RequestOf("job \"web\" {"));
  WhyGivenUp(kEndless);
  EXPECT_EQ(OpenFds(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(HclProgramTest, ManyThreadsMayDecodeAtOnce) {
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&right, i] {
      const std::string name = "job" + std::to_string(i);
      const Result<HclReply> reply = DecodeHcl(RequestOf("job \"" + name + "\" {}"));
      if (reply.ok() && reply->value["Job"]["ID"] == name) ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
}

// What the README of this room promises for a job of 200 lines.
TEST_F(HclProgramTest, AJobOf200LinesIsReadQuickly) {
  std::string text = "job \"web\" {\n";
  int lines = 2;
  for (int group = 0; lines < 200; ++group) {
    text +=
        "  group \"g" + std::to_string(group) +
        "\" {\n    count = 1 + 2\n    task \"t\" {\n      kill_timeout = \"1m\"\n      config {\n"
        "        image = \"redis:${upper(\"a\")}\"\n        args  = [\"a\", "
        "\"${NOMAD_PORT_http}\"]\n"
        "      }\n      env {\n        A = \"b\"\n      }\n    }\n  }\n";
    lines += 12;
  }
  text += "}\n";
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) {
    const TimePoint begin = BootClock::now();
    EXPECT_EQ(Decode(RequestOf(text)).diagnostics.size(), 0u);
    times.push_back(std::chrono::duration<double, std::milli>(BootClock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  std::printf("a job of %d lines: median %.1f ms, least %.1f ms\n", lines, times[10], times[0]);
  RecordProperty("median_ms", std::to_string(times[10]));
}

// A program in place of drover-hcl: host/child/confined_for_test.c does what the document says.
class HclFakeTest : public testing::Test {
 protected:
  void SetUp() override { UseHclProgram(DROVER_CONFINED_FOR_TEST); }
  static Error Fails(const std::string& order) {
    const Result<HclReply> reply = DecodeHcl(RequestOf("DO:" + order + ";"));
    EXPECT_FALSE(reply.ok()) << order;
    return reply.ok() ? Error(Code::kOk, "") : reply.error();
  }
};

TEST_F(HclFakeTest, AMissingProgramIsAnErrorThatSaysWhatToDo) {
  UseHclProgram("/nowhere/drover-hcl");
  const Error error = Fails("say x");
  EXPECT_EQ(error.code(), Code::kUnimplemented);
  EXPECT_EQ(error.message(),
            "this build has no drover-hcl, which reads HCL: there is no /nowhere/drover-hcl; build "
            "Drover on a machine with Go, or use JSON");
}

TEST_F(HclFakeTest, TheProgramStandsBesideThisOne) {
  UseHclProgram("");
  const std::string here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  if (std::filesystem::exists(here + "/drover-hcl")) GTEST_SKIP() << "it is there";
  EXPECT_THAT(Fails("say x").message(), HasSubstr("there is no " + here + "/drover-hcl;"));
}

TEST_F(HclFakeTest, AProgramThatCannotRunIsAnError) {
  UseHclProgram("/etc/passwd");
  EXPECT_EQ(Fails("say x").message(), "drover-hcl cannot be executed: Permission denied");
}

TEST_F(HclFakeTest, ACrashIsAnErrorWithWhatWasSaid) {
  const Error error = Fails("crash");
  EXPECT_EQ(error.code(), Code::kInternal);
  EXPECT_THAT(error.message(),
              StartsWith("web.hcl cannot be read: drover-hcl was ended by signal "));
  EXPECT_THAT(error.message(), HasSubstr("): about to crash"));
}

TEST_F(HclFakeTest, AnExitCodeIsAnErrorWithWhatWasSaid) {
  EXPECT_EQ(Fails("fail no such action").message(),
            "web.hcl cannot be read: drover-hcl ended with exit code 2: no such action");
}

TEST_F(HclFakeTest, TheLimitsOfTheRuntimeHaveTheirOwnErrors) {
  EXPECT_EQ(Fails("fail runtime: goroutine stack exceeds 67108864-byte limit").message(),
            "web.hcl cannot be read: its parts are nested too deeply");
  EXPECT_EQ(Fails("fail fatal error: runtime: out of memory").message(),
            "web.hcl cannot be read: it needs more than 256 MiB of memory; make it simpler");
  EXPECT_EQ(Fails("fail SIGSEGV: segmentation violation").message(),
            "web.hcl cannot be read: it needs more than 256 MiB of memory; make it simpler");
}

TEST_F(HclFakeTest, AKillMayBeALackOfMemory) {
  const Error error = Fails("die now");
  EXPECT_EQ(error.code(), Code::kResourceExhausted);
  EXPECT_EQ(error.message(),
            "web.hcl cannot be read: drover-hcl was killed: the machine or its control group may "
            "have no memory left");
}

TEST_F(HclFakeTest, AFloodIsEnded) {
  EXPECT_EQ(Fails("flood").message(), "web.hcl cannot be read: it becomes more than 8 MiB of JSON");
}

TEST_F(HclFakeTest, AStandstillIsEnded) { EXPECT_EQ(Fails("loop").code(), Code::kTimeout); }

TEST_F(HclFakeTest, AnAnswerThatIsNotUnderstoodIsAnError) {
  EXPECT_THAT(Fails("say [1]").message(),
              StartsWith("the answer of drover-hcl is not understood: it is no object; "));
  EXPECT_THAT(Fails("say {}").message(), HasSubstr("it has neither a value nor an error"));
  EXPECT_THAT(Fails("say nonsense").message(),
              StartsWith("web.hcl becomes JSON that cannot be used"));
  EXPECT_THAT(
      Fails("say [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[").message(),
      HasSubstr("are nested"));
}

TEST_F(HclFakeTest, AnAnswerThatHasNotTheFormOfAJobIsAnError) {
  for (const char* answer : {R"({"Value":{"Job":{"Constraints":[5]}}})",
                             R"({"Value":{"Job":{"Vault":{},"TaskGroups":[{"Tasks":["x"]}]}}})"}) {
    HclRequest request;
    request.file = std::string("DO:json ") + answer + ";";  // stands before the schema
    const Result<HclJob> read = ReadJobHcl(request);
    ASSERT_FALSE(read.ok()) << answer;
    EXPECT_EQ(read.code(), Code::kInternal);
    EXPECT_THAT(read.error().message(), StartsWith("the answer of drover-hcl is not understood: "));
  }
}

}  // namespace
}  // namespace drover
