// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "host/base/directory_for_test.h"
#include "host/base/seed_for_test.h"
#include "host/render/fake_source_for_test.h"
#include "host/task/hooks/template_hook.h"

// Interleaves changes of values, renderings that fail, files that cannot be written, restarts,
// signals, scripts, ends of the task and deaths of the agent. Whatever happens, in the end the task
// knows the newest values, and it was restarted at most once for each of them.
namespace drover::template_interleaving {
namespace {

namespace fs = std::filesystem;
using OnChange = TaskTemplate::ChangeMode;

constexpr int kSteps = 50;

struct Preparer : TaskPreparer {
  Result<std::vector<std::string>> Interpolate(const PrepareRequest&,
                                               std::vector<std::string> texts) override {
    return texts;
  }
  Result<TaskConfig> Prepare(const PrepareRequest&) override { return TaskConfig(); }
};

struct World;

// One agent, from its start to its death. It is the runner of the task, as the hook sees it.
struct Agent : TaskControl, std::enable_shared_from_this<Agent> {
  Agent(World* of, Loop* loop) : world(of), life(loop), over(loop) {}
  void EmitEvent(TaskEvent) override {}
  void RequestRestart(TaskEvent event, bool failure) override;
  void RequestKill(TaskEvent) override { ADD_FAILURE() << "no script fails the task"; }
  void RequestSignal(TaskEvent, std::string) override { ADD_FAILURE() << "signals are awaited"; }
  Co<Status> Signal(TaskEvent event, std::string signal) override;
  Co<Result<std::unique_ptr<TaskExecSession>>> Exec(Context context, ExecRequest request) override;
  Co<Status> SaveHookData(std::string name, StringMap data) override;
  static Co<void> Run(std::shared_ptr<Agent> self);

  World* const world;
  Context life;  // ends with the agent's death
  Event over;    // nothing of the agent runs any more
  std::shared_ptr<TemplateHook> hook;
  std::optional<StringMap> saving;  // is being stored
};

// What outlives the agents: the task, its files, the records, and where the values are.
struct World {
  World(std::uint64_t seed, const std::string& directory) : random(seed), exited(&loop) {
    location.task_dir = directory + "/t";
    location.alloc_dir = directory + "/alloc";
    fs::remove_all(location.task_dir);
    for (const std::string& path : {location.task_dir + "/local", location.alloc_dir}) {
      fs::create_directories(path);
    }
    job->id = job->name = "web";
    job->groups.resize(1);
    job->groups[0].name = "g";
    job->groups[0].tasks.resize(1);
    job->groups[0].tasks[0].name = "t";
    alloc->id = "11111111-2222-3333-4444-555555555555";
    alloc->group_name = "g";
    alloc->job = job;
    Add("restart", "a", OnChange::kRestart);
    Add("signal", "a b", OnChange::kSignal).change_signal = "SIGHUP";
    Add("script", "c", OnChange::kScript).script = TemplateScript{"/bin/reload"};
    Add("noop", "b c", OnChange::kNoop);
    WatchedValues::Options options;
    options.loop = &loop;
    options.sources = {&source};
    values = WatchedValues::Create(std::move(options));
    for (const char* key : {"a", "b", "c"}) source.Set(key, "0");
  }

  std::uint64_t Pick(std::uint64_t bound) { return random() % bound; }
  Duration Little() { return std::chrono::milliseconds(Pick(3) == 0 ? 0 : Pick(800)); }

  TaskTemplate& Add(const std::string& name, const std::string& keys, OnChange mode) {
    TaskTemplate& of = job->groups[0].tasks[0].templates.emplace_back();
    of.data = keys;
    of.destination = "local/" + name;
    of.change_mode = mode;
    of.splay = std::chrono::seconds(Pick(6));
    if (Pick(3) == 0) of.wait = TemplateWait{1s, 4s};
    return of;
  }

  std::string FileOf(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(location.task_dir + "/local/" + name).rdbuf();
    return text.str();
  }
  // Returns what the template with the keys KEYS must give.
  std::string Expected(const std::string& keys) const {
    std::string text;
    std::stringstream words(keys);
    for (std::string key; words >> key;) text += (text.empty() ? "" : " ") + source.ValueOf(key);
    return text;
  }

  // Gives KEY a value that it has never had, or also an earlier one.
  void Change(const std::string& key, bool never_before) {
    const std::string before = source.ValueOf(key);
    const bool earlier = !never_before && Pick(4) == 0;
    const std::string value = std::to_string(earlier ? Pick(newest + 1) : ++newest);
    if (value != before) ++changes[key];
    source.Set(key, value);
  }

  void StartTask() {
    alive = true;
    stopping = false;
    ++starts;
    exited.Reset();
    for (const char* name : {"restart", "signal", "script"}) known[name] = FileOf(name);
  }
  void EndTask() {
    alive = false;
    exited.Set();
  }
  // The task is being stopped, and goes on with that if the agent dies.
  void StopTask() {
    stopping = true;
    loop.After(Little(), [this, start = starts] {
      if (!alive || !stopping || starts != start) return;
      ++restarts;
      EndTask();
    });
  }

  void StartAgent() {
    agent = std::make_shared<Agent>(this, &loop);
    TemplateHookOptions options;
    options.loop = &loop;
    options.values = values;
    options.preparer = &preparer;
    options.render = [this](const TaskTemplate&, std::string_view text, TemplateValues* of) {
      return Render(text, of);
    };
    options.random = [this](std::uint64_t bound) { return Pick(bound); };
    agent->hook = std::make_shared<TemplateHook>(std::move(options));
    agent->hook->Attach(agent);
    loop.Spawn(Agent::Run(agent));
  }
  // Ends the agent at this moment. What it is about to store may be stored or not.
  void KillAgent() {
    if (agent->saving && Pick(2) == 0) disk = *agent->saving;
    if (stopping && Pick(2) == 0) stopping = false;  // it has not begun to stop the task
    agent->life.Cancel("the agent is killed");
    loop.RunReady();
    EXPECT_TRUE(agent->over.is_set()) << "the hook does not end with its agent";
    agent = nullptr;
  }

  Result<RenderedTemplate> Render(std::string_view text, TemplateValues* of) {
    if (bad_weather && Pick(3) == 0) {
      return Error(Code::kTimeout, "the template takes too long");
    }
    RenderedTemplate out;
    std::stringstream words{std::string(text)};
    for (std::string key; words >> key;) {
      const ValueRequest request{"key", {key}};
      out.used.push_back(request);
      DROVER_ASSIGN(const nlohmann::json value, of->Value(request));
      if (value.is_discarded()) {
        out.missing.push_back(request);
      } else {
        out.text += (out.text.empty() ? "" : " ") + value.get<std::string>();
      }
    }
    return out;
  }

  // The task puts a directory where its file is, or takes it away.
  void SetObstacle(bool there) {
    if (there == obstacle) return;
    obstacle = there;
    const std::string path = location.task_dir + "/local/signal";
    fs::remove_all(path);
    if (there) {
      fs::create_directory(path);
    } else {
      Change("b", true);  // the file that the task has removed comes with the next change
    }
  }

  PrestartRequest Request(bool running) const {
    PrestartRequest request;
    request.alloc = alloc;
    request.task = std::shared_ptr<const Task>(alloc, &job->groups[0].tasks[0]);
    request.location = location;
    request.data = disk;
    request.running = running;
    return request;
  }

  void OneStep() {
    switch (Pick(10)) {
      case 0:
      case 1:
      case 2:
        Change(std::string(1, static_cast<char>('a' + Pick(3))), false);
        break;
      case 3:
      case 4:
        loop.Advance(std::chrono::milliseconds(Pick(4000)));
        break;
      case 5:
        loop.Advance(std::chrono::seconds(Pick(60)));
        break;
      case 6:
        bad_weather = !bad_weather;
        break;
      case 7:
        if (alive) EndTask();
        break;
      case 8:
        if (agent) KillAgent();
        if (Pick(2) == 0) loop.Advance(std::chrono::milliseconds(Pick(2000)));
        if (Pick(2) == 0) Change("a", false);
        StartAgent();
        break;
      default:
        SetObstacle(!obstacle);
        break;
    }
    if (Pick(2) == 0) loop.RunReady();
  }

  void ExpectNewest() {
    EXPECT_TRUE(alive);
    for (const TaskTemplate& of : job->groups[0].tasks[0].templates) {
      const std::string name = of.destination.substr(of.destination.find('/') + 1);
      EXPECT_EQ(FileOf(name), Expected(of.data)) << name;
      if (known.contains(name)) {
        EXPECT_EQ(known[name], Expected(of.data)) << "what the task knows of " << name;
      }
    }
    EXPECT_LE(restarts, changes["a"]);
  }

  void Live() {
    StartAgent();
    for (int step = 0; step < kSteps; ++step) OneStep();
    bad_weather = false;
    SetObstacle(false);
    loop.Advance(2h);
    ExpectNewest();
    // The next agent finds everything done.
    const int before = restarts;
    KillAgent();
    StartAgent();
    loop.Advance(2h);
    ExpectNewest();
    EXPECT_EQ(restarts, before);
    KillAgent();
    EXPECT_EQ(values->watches(), 0u);
    EXPECT_TRUE(loop.RunToEnd(values->Stop()));
    EXPECT_EQ(loop.live_timers(), 0u);
  }

  SimLoop loop;
  std::mt19937_64 random;
  TaskLocation location;
  std::shared_ptr<Job> job = std::make_shared<Job>();
  std::shared_ptr<Allocation> alloc = std::make_shared<Allocation>();
  FakeSource source;
  std::shared_ptr<WatchedValues> values;
  Preparer preparer;
  std::shared_ptr<Agent> agent;
  StringMap disk;  // the data of the hook, as it is stored
  std::uint64_t newest = 0;
  std::map<std::string, int> changes;  // of each key
  bool bad_weather = false;            // renderings and signals fail now and then
  bool obstacle = false;

  bool alive = false;     // the task runs
  bool stopping = false;  // a restart was asked for
  int starts = 0;
  int restarts = 0;                          // that the templates have asked for
  std::map<std::string, std::string> known;  // what the task has read
  Event exited;
};

void Agent::RequestRestart(TaskEvent, bool failure) {
  EXPECT_FALSE(failure);
  if (life.cancelled() || !world->alive || world->stopping) return;
  EXPECT_NE(world->known["restart"], world->FileOf("restart")) << "a restart without need";
  world->StopTask();
}

Co<Status> Agent::Signal(TaskEvent, std::string) {
  (void)co_await Sleep(life, world->Little());
  if (life.cancelled()) co_return life.status();
  if (!world->alive) co_return Error(Code::kFailedPrecondition, "Task not running");
  if (world->bad_weather && world->Pick(2) == 0) {
    co_return Error(Code::kUnavailable, "the driver is away");
  }
  world->known["signal"] = world->FileOf("signal");
  (void)co_await Sleep(life, world->Little());
  co_return life.status();
}

struct Script : TaskExecSession {
  explicit Script(std::shared_ptr<Agent> of) : agent(std::move(of)) {}
  Status Resize(TerminalSize) override { return {}; }
  Co<Result<ExitResult>> Wait(Context) override {
    World* const world = agent->world;
    (void)co_await Sleep(agent->life, world->Little());
    if (agent->life.cancelled()) co_return agent->life.status().error();
    if (world->alive) world->known["script"] = world->FileOf("script");
    co_return ExitResult();
  }
  const std::shared_ptr<Agent> agent;
};

Co<Result<std::unique_ptr<TaskExecSession>>> Agent::Exec(Context, ExecRequest) {
  if (!world->alive) co_return Error(Code::kFailedPrecondition, "Task not running");
  co_return std::unique_ptr<TaskExecSession>(std::make_unique<Script>(shared_from_this()));
}

Co<Status> Agent::SaveHookData(std::string, StringMap data) {
  saving = std::move(data);
  (void)co_await Sleep(life, world->Little());
  if (life.cancelled()) co_return life.status();
  world->disk = *std::exchange(saving, std::nullopt);
  co_return Status();
}

// Does for the hook what a runner does.
Co<void> Agent::Run(std::shared_ptr<Agent> self) {
  World* const world = self->world;
  bool running = world->alive;
  while (!self->life.cancelled()) {
    const Result<PrestartResponse> response =
        co_await self->hook->Prestart(self->life.Child(), world->Request(running));
    if (response.ok() && !running) (void)co_await Sleep(self->life, world->Little());
    if (self->life.cancelled()) break;
    if (!response.ok()) {
      EXPECT_FALSE(running);
      (void)co_await Sleep(self->life, 1s);
      continue;
    }
    if (!running) {
      world->disk = response->data;
      (void)co_await Sleep(self->life, world->Little());
      if (self->life.cancelled()) break;
      world->StartTask();
    }
    if (world->alive) {
      (void)co_await self->hook->Poststart(self->life.Child(), PoststartRequest());
    }
    (void)co_await world->exited.Wait(self->life);
    if (self->life.cancelled()) break;
    (void)co_await self->hook->Exited(self->life.Child(), HookRequest());
    running = false;
  }
  (void)co_await self->hook->Shutdown(Context(&world->loop), HookRequest());
  self->over.Set();
}

std::uint64_t Seeds() {
  const char* const given = std::getenv("DROVER_INTERLEAVINGS");
  if (given != nullptr) return std::strtoull(given, nullptr, 10);
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return 100;  // a sanitizer needs some twenty times as long
#else
  return 500;
#endif
}

TEST(TemplateInterleavingTest, EndsWithTheNewestGenerationAndWithoutRestartsInVain) {
  const DirectoryForTest directory("/dev/shm");
  const std::uint64_t first = FirstSeed();
  const std::uint64_t end = first + Seeds();
  for (std::uint64_t seed = first; seed < end; ++seed) {
    SCOPED_TRACE(HowToRepeat(seed));
    World(seed, directory.path()).Live();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace drover::template_interleaving
