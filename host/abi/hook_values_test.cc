// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/hook_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "host/abi/abi_read.h"
#include "host/abi/abi_write.h"
#include "host/abi/wire.h"

namespace drover {
namespace {

using testing::HasSubstr;

std::string PlainText(drover_str text) { return std::string(text.data, text.size); }

TEST(HookValuesTest, EachArgumentArrives) {
  auto request = std::make_shared<PluginHookRequest>();
  request->stage = PluginHookStage::kExited;
  std::string PluginHookRequest::* const texts[] = {
      &PluginHookRequest::alloc_id,      &PluginHookRequest::task_name,
      &PluginHookRequest::alloc_name,    &PluginHookRequest::job_id,
      &PluginHookRequest::job_namespace, &PluginHookRequest::group_name,
      &PluginHookRequest::node_id,       &PluginHookRequest::node_name,
      &PluginHookRequest::driver,        &PluginHookRequest::user,
      &PluginHookRequest::alloc_dir,     &PluginHookRequest::task_dir,
      &PluginHookRequest::local_dir,     &PluginHookRequest::secrets_dir,
      &PluginHookRequest::log_dir};
  for (std::size_t i = 0; i < std::size(texts); ++i) (*request).*texts[i] = std::to_string(i);
  request->meta = {{"m", "1"}};
  request->data = {{"d", "2"}};
  request->run = RunId::Random();
  request->exited = ExitResult{1, 2, true, "why"};
  const HookArgsView view(request);
  const Carried<drover_hook_args> carried(view.get());
  const drover_hook_args* got = carried.get();
  ASSERT_NE(got, view.get());
  EXPECT_EQ(got->stage, DROVER_HOOK_EXITED);
  const drover_str all[] = {got->alloc_id,      got->task_name,   got->alloc_name, got->job_id,
                            got->job_namespace, got->group_name,  got->node_id,    got->node_name,
                            got->driver,        got->user,        got->alloc_dir,  got->task_dir,
                            got->local_dir,     got->secrets_dir, got->log_dir};
  for (std::size_t i = 0; i < std::size(all); ++i) EXPECT_EQ(PlainText(all[i]), std::to_string(i));
  EXPECT_EQ(ReadPairs(got->meta).value(), request->meta);
  EXPECT_EQ(ReadPairs(got->data).value(), request->data);
  EXPECT_EQ(ReadRunId(got->run_id), *request->run);
  EXPECT_EQ(ReadExitResult(got->exit_result).value(), *request->exited);
}

// An answer with one of everything, which a test may break.
struct Answer {
  Answer() {
    variable = {ToStr("NAME"), ToStr("value")};
    datum = {ToStr("key"), ToStr("kept")};
    mount.read_only = 1;
    mount.task_path = ToStr("/in");
    mount.host_path = ToStr("/srv/out");
    mount.propagation = ToStr("private");
    device.task_path = ToStr("/dev/in");
    device.host_path = ToStr("/dev/out");
    device.permissions = ToStr("rw");
    result.keeps_data = 1;
    result.env = {&variable, 1, sizeof variable};
    result.data = {&datum, 1, sizeof datum};
    result.mounts = {&mount, 1, sizeof mount};
    result.devices = {&device, 1, sizeof device};
    result.event = ToStr("done\nwith it");
  }
  drover_pair variable, datum;
  drover_mount mount = NewStruct<drover_mount>();
  drover_device device = NewStruct<drover_device>();
  drover_hook_result result = NewStruct<drover_hook_result>();
};

TEST(HookValuesTest, AnAnswerIsRead) {
  const Answer answer;
  const Result<PluginHookAnswer> read = ReadHookAnswer(&answer.result);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->env, (StringMap{{"NAME", "value"}}));
  EXPECT_EQ(read->data, (StringMap{{"key", "kept"}}));
  EXPECT_EQ(read->mounts, (std::vector<TaskMount>{{"/in", "/srv/out", true, "private", true}}));
  EXPECT_EQ(read->devices, (std::vector<TaskDevice>{{"/dev/in", "/dev/out", "rw"}}));
  EXPECT_EQ(read->event, "done with it");
  EXPECT_TRUE(CheckHookAnswer(*read, PluginHookStage::kPrestart).ok());
  EXPECT_FALSE(CheckHookAnswer(*read, PluginHookStage::kPoststart).ok());
  const Result<PluginHookAnswer> none = ReadHookAnswer(nullptr);
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(CheckHookAnswer(*none, PluginHookStage::kStop).ok());
}

TEST(HookValuesTest, EachBrokenRuleIsNamed) {
  static const std::string long_text(300 << 10, 'x');
  const struct {
    std::function<void(Answer*)> breaks;
    const char* says;
  } rules[] = {
      {[](Answer* a) { a->result.struct_size = 0; }, "struct_size"},
      {[](Answer* a) { a->variable.key = ToStr("1A"); }, "\"1A\" is no name of a variable"},
      {[](Answer* a) { a->variable.key = ToStr(""); }, "is no name of a variable"},
      {[](Answer* a) { a->variable.key = ToStr("A=B"); }, "is no name of a variable"},
      {[](Answer* a) { a->variable.key = ToStr("NOMAD_X"); }, "belongs to the host"},
      {[](Answer* a) { a->variable.value = ToStr(std::string_view("a\0b", 3)); }, "no text"},
      {[](Answer* a) { a->variable.value = ToStr("\xff"); }, "is no text in UTF-8"},
      {[](Answer* a) { a->variable.value = ToStr(long_text); }, "is longer than the"},
      {[](Answer* a) { a->result.env.count = 1u << 20; }, "1048576 variables"},
      {[](Answer* a) { a->result.env.data = nullptr; }, "cannot be read"},
      {[](Answer* a) { a->result.env.element_size = 3; }, "cannot be read"},
      {[](Answer* a) { a->mount.task_path = ToStr("in"); }, "the task_path of a mount \"in\""},
      {[](Answer* a) { a->mount.task_path = ToStr("/a/.."); }, "is no absolute path"},
      {[](Answer* a) { a->mount.task_path = ToStr("//"); }, "the root of the task"},
      {[](Answer* a) { a->mount.host_path = ToStr(""); }, "the host_path of a mount"},
      {[](Answer* a) { a->mount.host_path = ToStr(std::string_view("/a\0", 3)); }, "host_path"},
      {[](Answer* a) { a->mount.propagation = ToStr("shared"); }, "is not known"},
      {[](Answer* a) { a->result.mounts.count = 1000; }, "1000 mounts"},
      {[](Answer* a) { a->device.host_path = ToStr("/dev/../x"); }, "the host_path of a device"},
      {[](Answer* a) { a->device.permissions = ToStr(""); }, "no letters of rwm"},
      {[](Answer* a) { a->device.permissions = ToStr("rr"); }, "no letters of rwm"},
      {[](Answer* a) { a->device.permissions = ToStr("rwx"); }, "no letters of rwm"},
      {[](Answer* a) { a->result.devices.count = 1000; }, "1000 devices"},
      {[](Answer* a) { a->datum.value = ToStr(long_text); }, "is longer than the"},
      {[](Answer* a) { a->result.keeps_data = 0; }, "keeps_data is 0"},
      {[](Answer* a) { a->result.event = {nullptr, 4}; }, "has no data"},
  };
  for (const auto& rule : rules) {
    Answer answer;
    rule.breaks(&answer);
    const Result<PluginHookAnswer> read = ReadHookAnswer(&answer.result);
    ASSERT_FALSE(read.ok()) << rule.says;
    EXPECT_THAT(read.error().message(), HasSubstr(rule.says));
  }
}

TEST(HookValuesTest, ANameThatIsThereTwiceIsAnError) {
  Answer answer;
  const drover_pair twice[] = {answer.variable, answer.variable};
  answer.result.env = {twice, 2, sizeof twice[0]};
  EXPECT_THAT(ReadHookAnswer(&answer.result).error().message(),
              HasSubstr("\"NAME\" is there twice"));
}

// A host of before knows less of the answer.
TEST(HookValuesTest, AnOlderAnswerIsReadAsFarAsItGoes) {
  Answer answer;
  answer.result.struct_size = offsetof(drover_hook_result, mounts);
  const Result<PluginHookAnswer> read = ReadHookAnswer(&answer.result);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->env.size(), 1u);
  EXPECT_TRUE(read->mounts.empty());
  EXPECT_EQ(read->data, (StringMap()));
}

}  // namespace
}  // namespace drover
