// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/template_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "host/base/directory_for_test.h"
#include "host/render/fake_source_for_test.h"

namespace drover {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using OnChange = TaskTemplate::ChangeMode;

// A small language of templates: "<NAME>" is the value of the key NAME, "$NAME" a variable and
// "@PATH" a file, each up to a blank.
Result<RenderedTemplate> RenderSmall(const TaskTemplate&, std::string_view text,
                                     TemplateValues* values) {
  RenderedTemplate out;
  std::stringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    std::string part = word;
    if (word == "broken") return Error(Code::kInvalidArgument, "it is broken");
    if (word[0] == '<') {
      const ValueRequest request{"key", {word.substr(1, word.size() - 2)}};
      out.used.push_back(request);
      DROVER_ASSIGN(const nlohmann::json value, values->Value(request));
      if (value.is_discarded()) out.missing.push_back(request);
      part = value.is_discarded() ? "" : value.get<std::string>();
    } else if (word[0] == '$') {
      const std::string* const variable = values->Env(word.substr(1));
      part = variable == nullptr ? "" : *variable;
    } else if (word[0] == '@') {
      DROVER_ASSIGN(part, values->File(word.substr(1)));
    }
    out.text += (out.text.empty() ? "" : " ") + part;
  }
  return out;
}

struct HookPreparer : TaskPreparer {
  Result<std::vector<std::string>> Interpolate(const PrepareRequest& request,
                                               std::vector<std::string> texts) override {
    for (std::string& text : texts) {
      const std::string name = "${NOMAD_SECRETS_DIR}";
      if (text.starts_with(name)) {
        text = request.location.secrets_dir + text.substr(name.size());
      }
    }
    return texts;
  }
  Result<TaskConfig> Prepare(const PrepareRequest& request) override {
    TaskConfig config;
    config.env = request.hook_env;
    config.env["NOMAD_TASK_NAME"] = request.task->name;
    return config;
  }
};

struct Control : TaskControl {
  void EmitEvent(TaskEvent event) override { events.push_back(DisplayMessage(event)); }
  void RequestRestart(TaskEvent, bool failure) override {
    EXPECT_FALSE(failure);
    asked.emplace_back("restart");
  }
  void RequestKill(TaskEvent event) override {
    EXPECT_TRUE(event.fails_task());
    asked.emplace_back("kill");
  }
  void RequestSignal(TaskEvent, std::string) override { ADD_FAILURE(); }
  Co<Status> Signal(TaskEvent, std::string signal) override {
    if (refused > 0) {
      --refused;
      co_return Error(Code::kUnavailable, "the driver is away");
    }
    asked.push_back(signal);
    if (on_signal != nullptr && *on_signal) (*on_signal)();
    co_return Status();
  }
  Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context, ExecRequest request) override;
  Co<Status> SaveHookData(std::string name, StringMap data) override {
    EXPECT_EQ(name, "template");
    if (!dead) saved = std::move(data);
    co_return Status();
  }

  std::vector<std::string> asked;
  std::vector<std::string> events;
  StringMap saved;
  const std::function<void()>* on_signal = nullptr;
  int exit_code = 0;  // of scripts
  int refused = 0;    // the number of signals that cannot be sent
  bool dead = false;  // the agent was killed: nothing is stored any more
};

struct ScriptSession : TaskExecSession {
  explicit ScriptSession(int of) : code(of) {}
  Status Resize(TerminalSize) override { return {}; }
  Co<Result<ExitResult>> Wait(Context) override {
    ExitResult result;
    result.exit_code = code;
    co_return result;
  }
  const int code;
};

Co<Result<std::unique_ptr<TaskExecSession>>> Control::Exec(Context, ExecRequest request) {
  std::string command;
  for (const std::string& word : request.command) command += (command.empty() ? "" : " ") + word;
  asked.push_back("script " + command);
  co_return std::unique_ptr<TaskExecSession>(std::make_unique<ScriptSession>(exit_code));
}

struct TemplateHookTest : testing::Test {
  TemplateHookTest() {
    location.task_dir = dir.path() + "/id/t";
    location.local_dir = location.task_dir + "/local";
    location.secrets_dir = location.task_dir + "/secrets";
    location.alloc_dir = dir.path() + "/id/alloc";
    for (const std::string& path : {location.local_dir, location.secrets_dir, location.alloc_dir}) {
      fs::create_directories(path);
    }
    job->id = job->name = "web";
    job->groups.resize(1);
    job->groups[0].name = "g";
    job->groups[0].tasks.resize(1);
    task().name = "t";
    alloc->id = "11111111-2222-3333-4444-555555555555";
    alloc->group_name = "g";
    alloc->job = job;
    WatchedValues::Options options;
    options.loop = &loop;
    options.sources = {&source};
    values = WatchedValues::Create(std::move(options));
    MakeHook();
  }
  ~TemplateHookTest() override {
    if (hook) {
      EXPECT_TRUE(Ask(hook->Shutdown(Context(&loop), HookRequest())).ok());
    }
    hook = nullptr;
    EXPECT_EQ(values->watches(), 0u);
    EXPECT_TRUE(loop.RunToEnd(values->Stop()));
    EXPECT_EQ(loop.live_timers(), 0u);
  }

  Task& task() { return job->groups[0].tasks[0]; }
  TaskTemplate& Add(const std::string& data, const std::string& destination,
                    OnChange mode = OnChange::kRestart, Duration splay = 0s) {
    TaskTemplate& of = task().templates.emplace_back();
    of.data = data;
    of.destination = destination;
    of.change_mode = mode;
    of.splay = splay;
    if (mode == OnChange::kSignal) of.change_signal = "SIGHUP";
    if (mode == OnChange::kScript) of.script = TemplateScript{"/bin/reload"};
    return of;
  }

  void MakeHook() {
    TemplateHookOptions options;
    options.loop = &loop;
    options.values = values;
    options.preparer = &preparer;
    options.render = RenderSmall;
    options.render_quickly = render_quickly;
    options.random = [](std::uint64_t bound) { return bound - 1; };
    hook = std::make_shared<TemplateHook>(std::move(options));
    hook->Attach(control);
    control->on_signal = &on_signal;
  }
  template <typename T>
  Result<T> Ask(Co<Result<T>> call) {
    std::optional<Result<T>> answer;
    const auto run = [](Co<Result<T>> of, std::optional<Result<T>>* out) -> Co<void> {
      out->emplace(co_await std::move(of));
    };
    loop.Spawn(run(std::move(call), &answer));
    EXPECT_TRUE(loop.RunUntil([&answer] { return answer.has_value(); }, 10min));
    return answer ? *answer : Result<T>(Error(Code::kInternal, "no answer"));
  }
  PrestartRequest Request(bool running) {
    PrestartRequest request;
    request.alloc = alloc;
    request.task = std::shared_ptr<const Task>(alloc, &task());
    request.location = location;
    request.data = control->saved;
    request.env = hook_env;
    request.running = running;
    return request;
  }
  // Starts the task as its runner does, and stores what the hook answers.
  Result<StringMap> Start(bool running = false) {
    Result<PrestartResponse> response = Ask(hook->Prestart(Context(&loop), Request(running)));
    if (!response.ok()) return response.error();
    control->saved = response->data;
    EXPECT_TRUE(Ask(hook->Poststart(Context(&loop), PoststartRequest())).ok());
    loop.RunReady();
    return response->env;
  }
  void Exit() { EXPECT_TRUE(Ask(hook->Exited(Context(&loop), HookRequest())).ok()); }
  // Ends the agent as a kill does: what it has not stored is lost. The task keeps running.
  void KillAgent() {
    control->dead = true;
    (void)Ask(hook->Shutdown(Context(&loop), HookRequest()));
    const StringMap saved = control->saved;
    control = std::make_shared<Control>();
    control->saved = saved;
    MakeHook();
  }
  void Set(const std::string& key, const std::string& value) {
    source.Set(key, value);
    loop.RunReady();
  }
  std::string FileOf(const std::string& path) const {
    std::stringstream text;
    text << std::ifstream(location.task_dir + "/" + path).rdbuf();
    return text.str();
  }

  SimLoop loop;
  const DirectoryForTest dir;
  TaskLocation location;
  std::shared_ptr<Job> job = std::make_shared<Job>();
  std::shared_ptr<Allocation> alloc = std::make_shared<Allocation>();
  FakeSource source;
  std::shared_ptr<WatchedValues> values;
  HookPreparer preparer;
  std::shared_ptr<Control> control = std::make_shared<Control>();
  StringMap hook_env;
  std::function<void()> on_signal;
  RenderFunction render_quickly;
  std::shared_ptr<TemplateHook> hook;
};

TEST_F(TemplateHookTest, WhatTakesLongIsRenderedWithMoreTime) {
  int tried = 0;
  render_quickly = [&tried](const TaskTemplate& of, std::string_view text,
                            TemplateValues* of_task) -> Result<RenderedTemplate> {
    ++tried;
    if (text == "quick") return RenderSmall(of, text, of_task);
    return Error(Code::kTimeout, "it takes long");
  };
  Add("quick", "local/a");
  Add("slow", "local/b");
  MakeHook();
  const auto started = Start();
  ASSERT_TRUE(started.ok()) << started.error().message();
  EXPECT_EQ(FileOf("local/a"), "quick");
  EXPECT_EQ(FileOf("local/b"), "slow");
  EXPECT_EQ(tried, 2);
}

TEST_F(TemplateHookTest, WhatIsWrongIsNotRenderedAgain) {
  render_quickly = [](const TaskTemplate&, std::string_view,
                      TemplateValues*) -> Result<RenderedTemplate> {
    return Error(Code::kInvalidArgument, "it is wrong");
  };
  Add("x", "local/a");
  MakeHook();
  EXPECT_FALSE(Start().ok());
}

TEST_F(TemplateHookTest, AllFilesAreThereBeforeTheTaskStarts) {
  source.Set("a", "one");
  source.Set("e", "A=one");
  hook_env["PORT"] = "80";
  Add("<a> $PORT $NOMAD_TASK_NAME", "local/conf.d/a").perms = "0600";
  Add("x", "${NOMAD_SECRETS_DIR}/b");
  Add("<e>", "secrets/a.env").env = true;
  const auto env = Start();
  ASSERT_TRUE(env.ok()) << env.error().message();
  EXPECT_THAT(*env, UnorderedElementsAre(Pair("A", "one")));
  EXPECT_EQ(FileOf("local/conf.d/a"), "one 80 t");
  EXPECT_EQ(FileOf("secrets/b"), "x");
  struct stat info{};
  ASSERT_EQ(stat((location.local_dir + "/conf.d/a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  EXPECT_THAT(control->asked, IsEmpty());
}

TEST_F(TemplateHookTest, AStartWaitsForItsValuesAndSaysSo) {
  source.Set("b", "two");
  Add("<a> <b> <c>", "local/a");
  std::optional<bool> started;
  const auto run = [](std::shared_ptr<TemplateHook> of, PrestartRequest request, Loop* on,
                      std::optional<bool>* out) -> Co<void> {
    const auto response = co_await of->Prestart(Context(on), std::move(request));
    *out = response.ok();
  };
  loop.Spawn(run(hook, Request(false), &loop, &started));
  loop.Advance(2s);
  EXPECT_THAT(control->events, IsEmpty());
  loop.Advance(10min);
  EXPECT_THAT(control->events, ElementsAre("Missing: kv.block(a), kv.block(c)"));
  Set("c", "three");
  loop.Advance(10min);
  EXPECT_THAT(control->events,
              ElementsAre("Missing: kv.block(a), kv.block(c)", "Missing: kv.block(a)"));
  EXPECT_FALSE(started);
  Set("a", "one");
  loop.RunReady();
  EXPECT_EQ(started, true);
  EXPECT_EQ(FileOf("local/a"), "one two three");
}

TEST_F(TemplateHookTest, AKillEndsAStartThatWaits) {
  Add("<a>", "local/a");
  Context context(&loop);
  loop.After(5s, [context]() mutable { context.Cancel("killed"); });
  EXPECT_EQ(Ask(hook->Prestart(context, Request(false))).code(), Code::kCancelled);
  EXPECT_FALSE(fs::exists(location.local_dir + "/a"));
}

TEST_F(TemplateHookTest, AChangeIsWrittenAtOnceAndActedOnAfterItsSplay) {
  source.Set("a", "1");
  Add("<a>", "local/a", OnChange::kRestart, 10s);
  ASSERT_TRUE(Start().ok());
  Set("a", "2");
  EXPECT_EQ(FileOf("local/a"), "2");
  loop.Advance(9s);
  EXPECT_THAT(control->asked, IsEmpty());
  Set("a", "3");
  loop.Advance(1s);
  EXPECT_THAT(control->asked, ElementsAre("restart"));
  loop.Advance(1h);
  EXPECT_THAT(control->asked, SizeIs(1));
  Exit();
  ASSERT_TRUE(Start().ok());
  loop.Advance(1h);
  EXPECT_THAT(control->asked, SizeIs(1));
  EXPECT_EQ(FileOf("local/a"), "3");
}

TEST_F(TemplateHookTest, AValueThatIsWhatItWasAgainNeedsNoAction) {
  source.Set("a", "1");
  Add("<a>", "local/a", OnChange::kRestart, 10s);
  ASSERT_TRUE(Start().ok());
  Set("a", "2");
  Set("a", "1");
  loop.Advance(1h);
  EXPECT_THAT(control->asked, IsEmpty());
  EXPECT_EQ(FileOf("local/a"), "1");
}

TEST_F(TemplateHookTest, SeveralTemplatesGiveOneAction) {
  source.Set("a", "1");
  Add("<a>", "local/a", OnChange::kSignal);
  Add("<a>", "local/b", OnChange::kSignal);
  Add("<b>", "local/c", OnChange::kRestart);
  source.Set("b", "1");
  ASSERT_TRUE(Start().ok());
  Set("a", "2");
  EXPECT_THAT(control->asked, ElementsAre("SIGHUP"));
  control->asked.clear();
  source.Set("a", "3");
  Set("b", "3");
  EXPECT_THAT(control->asked, ElementsAre("restart"));
}

TEST_F(TemplateHookTest, WaitLetsValuesComeToRest) {
  source.Set("a", "1");
  Add("<a>", "local/a", OnChange::kSignal).wait = TemplateWait{2s, 5s};
  ASSERT_TRUE(Start().ok());
  for (const char* value : {"2", "3", "4", "5"}) {
    Set("a", value);
    loop.Advance(1s);
    EXPECT_EQ(FileOf("local/a"), "1");
  }
  Set("a", "6");
  loop.Advance(1s);
  EXPECT_EQ(FileOf("local/a"), "6");  // the longest wait is over
  EXPECT_THAT(control->asked, ElementsAre("SIGHUP"));
  Set("a", "7");
  loop.Advance(1999ms);
  EXPECT_EQ(FileOf("local/a"), "6");
  loop.Advance(1ms);
  EXPECT_EQ(FileOf("local/a"), "7");
}

TEST_F(TemplateHookTest, ScriptsRunInTheTask) {
  source.Set("a", "1");
  TaskTemplate& of = Add("<a>", "local/a", OnChange::kScript);
  of.script->args = {"-q", "a b"};
  ASSERT_TRUE(Start().ok());
  EXPECT_THAT(control->asked, IsEmpty());
  Set("a", "2");
  EXPECT_THAT(control->asked, ElementsAre("script /bin/reload -q a b"));
  EXPECT_THAT(control->events, ElementsAre("Template ran script /bin/reload"));
  control->exit_code = 3;
  Set("a", "3");
  ASSERT_THAT(control->events, SizeIs(2));
  EXPECT_EQ(control->events[1], "Template failed to run script /bin/reload: its exit code is 3");
}

TEST_F(TemplateHookTest, AScriptMayFailTheTaskAndMayFollowTheFirstStart) {
  source.Set("a", "1");
  TaskTemplate& of = Add("<a>", "local/a", OnChange::kScript);
  of.script->fail_on_error = true;
  of.script->run_on_first_render = true;
  ASSERT_TRUE(Start().ok());
  EXPECT_THAT(control->asked, ElementsAre("script /bin/reload"));
  Exit();
  ASSERT_TRUE(Start().ok());
  EXPECT_THAT(control->asked, SizeIs(1));
  control->exit_code = 1;
  Set("a", "2");
  EXPECT_THAT(control->asked, ElementsAre("script /bin/reload", "script /bin/reload", "kill"));
}

TEST_F(TemplateHookTest, OnceIsNotRenderedAgain) {
  source.Set("a", "1");
  Add("<a>", "local/a").once = true;
  ASSERT_TRUE(Start().ok());
  EXPECT_EQ(source.LiveOf("a"), 0);
  Set("a", "2");
  loop.Advance(1min);
  Exit();
  ASSERT_TRUE(Start().ok());
  EXPECT_EQ(FileOf("local/a"), "1");
  EXPECT_THAT(control->asked, IsEmpty());
  Exit();
  job->groups[0].restart_policy.render_templates = true;
  ASSERT_TRUE(Start().ok());
  EXPECT_EQ(FileOf("local/a"), "2");
}

TEST_F(TemplateHookTest, ARestartKeepsWhatTheTaskHasMadeOfAFileUnlessItRendersAgain) {
  source.Set("a", "1");
  Add("<a>", "local/a");
  ASSERT_TRUE(Start().ok());
  std::ofstream(location.local_dir + "/a") << "changed";
  Exit();
  ASSERT_TRUE(Start().ok());
  EXPECT_EQ(FileOf("local/a"), "changed");
  Exit();
  fs::remove(location.local_dir + "/a");
  ASSERT_TRUE(Start().ok());
  EXPECT_EQ(FileOf("local/a"), "1");
  std::ofstream(location.local_dir + "/a") << "changed";
  Exit();
  job->groups[0].restart_policy.render_templates = true;
  ASSERT_TRUE(Start().ok());
  EXPECT_EQ(FileOf("local/a"), "1");
}

TEST_F(TemplateHookTest, AChangeWhileTheTaskIsDownComesWithItsNextStart) {
  source.Set("a", "1");
  Add("<a>", "local/a");
  ASSERT_TRUE(Start().ok());
  Exit();
  Set("a", "2");
  loop.Advance(1min);
  EXPECT_EQ(FileOf("local/a"), "1");
  ASSERT_TRUE(Start().ok());
  EXPECT_EQ(FileOf("local/a"), "2");
  loop.Advance(1min);
  EXPECT_THAT(control->asked, IsEmpty());
}

TEST_F(TemplateHookTest, ALaterAgentActsOnlyOnWhatIsNewer) {
  source.Set("a", "1");
  Add("<a>", "local/a");
  ASSERT_TRUE(Start().ok());
  const auto written = fs::last_write_time(location.local_dir + "/a");
  KillAgent();
  ASSERT_TRUE(Start(true).ok());
  loop.Advance(1min);
  EXPECT_THAT(control->asked, IsEmpty());
  EXPECT_EQ(fs::last_write_time(location.local_dir + "/a"), written);
  KillAgent();
  Set("a", "2");
  ASSERT_TRUE(Start(true).ok());
  loop.Advance(1min);
  EXPECT_THAT(control->asked, ElementsAre("restart"));
  EXPECT_EQ(FileOf("local/a"), "2");
}

TEST_F(TemplateHookTest, AnAgentThatDiesBetweenTheFileAndTheActionLosesNothing) {
  source.Set("a", "1");
  Add("<a>", "local/a", OnChange::kSignal, 10s);
  ASSERT_TRUE(Start().ok());
  Set("a", "2");
  EXPECT_EQ(FileOf("local/a"), "2");
  KillAgent();
  ASSERT_TRUE(Start(true).ok());
  loop.Advance(10s);
  EXPECT_THAT(control->asked, ElementsAre("SIGHUP"));
  KillAgent();
  ASSERT_TRUE(Start(true).ok());
  loop.Advance(1min);
  EXPECT_THAT(control->asked, IsEmpty());
}

TEST_F(TemplateHookTest, AnAgentThatKnowsNoValuesYetLeavesARunningTaskAlone) {
  source.Set("a", "1");
  Add("<a>", "local/a");
  ASSERT_TRUE(Start().ok());
  KillAgent();
  task().templates[0].data = "<a> <unknown>";
  ASSERT_TRUE(Start(true).ok());
  loop.Advance(1h);
  EXPECT_THAT(control->asked, IsEmpty());
  EXPECT_EQ(FileOf("local/a"), "1");
}

TEST_F(TemplateHookTest, ATemplateThatCannotBeRenderedFailsTheStart) {
  Add("broken", "local/a");
  const auto started = Start();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().message(), "the template of \"local/a\": it is broken");
  EXPECT_TRUE(started.error().recoverable());
}

TEST_F(TemplateHookTest, WhatTheTaskMayNotHaveFailsTheStart) {
  Add("<forbidden>", "local/a");
  EXPECT_EQ(Start().code(), Code::kPermissionDenied);
}

TEST_F(TemplateHookTest, ARunningTaskKeepsItsFileWhenTheNewOneIsWrong) {
  source.Set("a", "A=1");
  TaskTemplate& of = Add("<a>", "local/a");
  of.env = true;
  ASSERT_TRUE(Start().ok());
  Set("a", "nonsense");
  loop.Advance(1min);
  EXPECT_EQ(FileOf("local/a"), "A=1");
  EXPECT_THAT(control->asked, IsEmpty());
  ASSERT_THAT(control->events, SizeIs(1));
  EXPECT_THAT(control->events[0], HasSubstr("stays as it is: line 1: it has no \"=\""));
  Set("a", "A=2");
  loop.Advance(1min);
  EXPECT_THAT(control->asked, ElementsAre("restart"));
}

TEST_F(TemplateHookTest, AFileThatCannotBeWrittenIsTriedAgain) {
  source.Set("a", "1");
  Add("<a>", "local/a", OnChange::kSignal);
  ASSERT_TRUE(Start().ok());
  fs::remove(location.local_dir + "/a");
  fs::create_directory(location.local_dir + "/a");  // the task is in the way
  Set("a", "2");
  loop.Advance(1min);
  EXPECT_THAT(control->asked, IsEmpty());
  ASSERT_THAT(control->events, SizeIs(1));
  EXPECT_THAT(control->events[0], HasSubstr("could not be written"));
  fs::remove(location.local_dir + "/a");
  loop.Advance(10s);
  EXPECT_EQ(FileOf("local/a"), "2");
  EXPECT_THAT(control->asked, ElementsAre("SIGHUP"));
}

TEST_F(TemplateHookTest, ATemplateThatCouldNotBeRenderedIsTriedAgain) {
  source.Set("a", "1");
  const std::string file = location.local_dir + "/b";
  std::ofstream(file) << "b";
  Add("<a> @local/b", "local/a", OnChange::kSignal);
  ASSERT_TRUE(Start().ok());
  fs::remove(file);
  Set("a", "2");
  loop.Advance(5min);
  EXPECT_EQ(FileOf("local/a"), "1 b");
  EXPECT_THAT(control->events, SizeIs(1));
  std::ofstream(file) << "c";
  loop.Advance(10min);
  EXPECT_EQ(FileOf("local/a"), "2 c");
  EXPECT_THAT(control->asked, ElementsAre("SIGHUP"));
  EXPECT_THAT(control->events, SizeIs(1));
}

TEST_F(TemplateHookTest, ASignalThatCouldNotBeSentIsSentAgain) {
  source.Set("a", "1");
  source.Set("b", "1");
  Add("<a>", "local/a", OnChange::kSignal);
  Add("<b>", "local/b", OnChange::kScript);
  ASSERT_TRUE(Start().ok());
  control->refused = 2;
  Set("a", "2");
  Set("b", "2");  // is not held up
  EXPECT_THAT(control->asked, ElementsAre("script /bin/reload"));
  loop.Advance(10s);
  EXPECT_EQ(control->refused, 0);
  EXPECT_THAT(control->asked, SizeIs(1));
  loop.Advance(20s);
  EXPECT_THAT(control->asked, ElementsAre("script /bin/reload", "SIGHUP"));
  loop.Advance(1h);
  EXPECT_THAT(control->asked, SizeIs(2));
  EXPECT_THAT(control->events, ElementsAre("The signal SIGHUP was not sent: the driver is away",
                                           "Template ran script /bin/reload"));
}

// A task that has removed its file has not read it when a signal came. So it hears of its return,
// although it has heard of that content before.
TEST_F(TemplateHookTest, AFileThatWasGoneComesBackWithASignal) {
  source.Set("a", "1");
  Add("<a>", "local/a", OnChange::kSignal, 10s);
  Add("<a>", "local/b", OnChange::kSignal).wait = TemplateWait{1s, 4s};
  task().templates[1].change_signal = "SIGUSR1";
  Add("<a>", "local/c", OnChange::kRestart, 10s);  // the task knows its file from its start
  ASSERT_TRUE(Start().ok());
  const auto remove = [this] {
    for (const char* const name : {"a", "b", "c"}) fs::remove(location.local_dir + "/" + name);
  };
  Set("a", "2");
  Set("a", "1");
  loop.Advance(1min);
  EXPECT_THAT(control->asked, IsEmpty());
  remove();
  Set("a", "2");
  Set("a", "1");
  loop.Advance(9s);
  EXPECT_EQ(FileOf("local/a") + FileOf("local/b") + FileOf("local/c"), "111");
  EXPECT_THAT(control->asked, IsEmpty()) << "the splay is that of all";
  loop.Advance(1s);
  EXPECT_THAT(control->asked, UnorderedElementsAre("SIGHUP", "SIGUSR1"));
  loop.Advance(2h);
  EXPECT_THAT(control->asked, SizeIs(2));
}

TEST_F(TemplateHookTest, AFileThatIsRemovedDuringItsSignalComesBackWithAnother) {
  source.Set("a", "1");
  Add("<a>", "local/a", OnChange::kSignal, 10s);
  ASSERT_TRUE(Start().ok());
  on_signal = [this] { fs::remove(location.local_dir + "/a"); };
  Set("a", "2");
  loop.Advance(10s);
  EXPECT_THAT(control->asked, ElementsAre("SIGHUP"));
  on_signal = nullptr;
  loop.Advance(1h);
  EXPECT_THAT(control->asked, SizeIs(1)) << "it comes with the next change";
  Set("a", "3");
  Set("a", "2");
  EXPECT_EQ(FileOf("local/a"), "2");
  KillAgent();
  ASSERT_TRUE(Start(true).ok());
  loop.Advance(10s);
  EXPECT_THAT(control->asked, ElementsAre("SIGHUP"));
  KillAgent();
  ASSERT_TRUE(Start(true).ok());
  loop.Advance(1h);
  EXPECT_THAT(control->asked, IsEmpty());
}

TEST_F(TemplateHookTest, ALaterAgentSignalsAFileThatItMakesAgain) {
  source.Set("a", "1");
  Add("<a>", "local/a", OnChange::kSignal);
  ASSERT_TRUE(Start().ok());
  KillAgent();
  fs::remove(location.local_dir + "/a");
  fs::create_directory(location.local_dir + "/a");
  ASSERT_TRUE(Start(true).ok());
  loop.Advance(1min);
  EXPECT_THAT(control->asked, IsEmpty()) << "the file is not there";
  fs::remove(location.local_dir + "/a");
  loop.Advance(10s);
  EXPECT_EQ(FileOf("local/a"), "1");
  EXPECT_THAT(control->asked, ElementsAre("SIGHUP"));
}

TEST_F(TemplateHookTest, ALaterAgentSendsASignalThatCouldNotBeSent) {
  source.Set("a", "1");
  Add("<a>", "local/a", OnChange::kSignal);
  ASSERT_TRUE(Start().ok());
  control->refused = 1;
  Set("a", "2");
  KillAgent();
  ASSERT_TRUE(Start(true).ok());
  loop.Advance(1min);
  EXPECT_THAT(control->asked, ElementsAre("SIGHUP"));
}

TEST_F(TemplateHookTest, TheFirstScriptSurvivesTheAgent) {
  source.Set("a", "1");
  Add("<a>", "local/a", OnChange::kScript).script->run_on_first_render = true;
  const Result<PrestartResponse> response =
      Ask(hook->Prestart(Context(&loop), Request(/*running=*/false)));
  ASSERT_TRUE(response.ok());
  control->saved = response->data;
  KillAgent();  // the task has been started
  ASSERT_TRUE(Start(true).ok());
  loop.Advance(1min);
  EXPECT_THAT(control->asked, ElementsAre("script /bin/reload"));
  KillAgent();
  ASSERT_TRUE(Start(true).ok());
  loop.Advance(1min);
  EXPECT_THAT(control->asked, IsEmpty());
}

TEST_F(TemplateHookTest, WhatADeadAgentHasBegunToWriteIsRemoved) {
  source.Set("a", "1");
  Add("<a>", "local/a");
  ASSERT_TRUE(Start().ok());
  KillAgent();
  const std::string unfinished = location.local_dir + "/.a.new";
  std::ofstream(unfinished) << "2";
  ASSERT_TRUE(Start(true).ok());
  loop.Advance(1min);
  EXPECT_FALSE(fs::exists(unfinished));
  EXPECT_EQ(FileOf("local/a"), "1");
}

TEST_F(TemplateHookTest, AWrongRequestOfOneTemplateHoldsUpNoOther) {
  source.Set("a", "1");
  source.Set("b", "1");
  Add("<a>", "local/a", OnChange::kNoop);
  Add("@local/b.tpl <b>", "local/b", OnChange::kNoop);
  std::ofstream(location.local_dir + "/b.tpl") << "x";
  ASSERT_TRUE(Start().ok());
  KillAgent();
  task().templates[0].data = "<forbidden>";
  ASSERT_TRUE(Start(true).ok());
  Set("b", "2");
  loop.Advance(1min);
  EXPECT_EQ(FileOf("local/a"), "1");
  EXPECT_EQ(FileOf("local/b"), "x 2");
  EXPECT_THAT(control->events,
              ElementsAre("The file \"local/a\" stays as it is: the task may not read it"));
}

TEST_F(TemplateHookTest, WhatTheTaskMayNotReadAnyMoreDoesNotReachItsFile) {
  source.Set("a", "1");
  source.Set("b", "1");
  Add("<a>", "local/a", OnChange::kNoop);
  Add("<b>", "local/b", OnChange::kNoop);
  ASSERT_TRUE(Start().ok());
  source.forbidden = {"a"};
  values->CheckAgain();
  loop.Advance(1s);
  source.Set("a", "2");
  source.Set("b", "2");
  loop.Advance(1h);
  EXPECT_EQ(FileOf("local/a"), "1");
  EXPECT_EQ(FileOf("local/b"), "2");
  ASSERT_THAT(control->events, SizeIs(1));
  EXPECT_EQ(control->events[0], "The file \"local/a\" stays as it is: the task may not read it");
  source.forbidden.clear();
  loop.Advance(1h);
  EXPECT_EQ(FileOf("local/a"), "2");
}

TEST_F(TemplateHookTest, SourcesAndFilesAreThoseOfTheTask) {
  std::ofstream(location.local_dir + "/a.tpl") << "from @local/b";
  std::ofstream(location.local_dir + "/b") << "b";
  TaskTemplate& of = Add("", "local/a");
  of.source = "local/a.tpl";
  ASSERT_TRUE(Start().ok());
  EXPECT_EQ(FileOf("local/a"), "from b");
  Exit();
  std::ofstream(dir.path() + "/secret") << "secret";
  fs::remove(location.local_dir + "/b");
  fs::create_symlink(dir.path() + "/secret", location.local_dir + "/b");
  EXPECT_EQ(Start().code(), Code::kPermissionDenied);
  of.source = "../../secret";
  EXPECT_EQ(Start().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace drover
