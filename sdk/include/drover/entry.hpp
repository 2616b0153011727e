// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "drover/driver.hpp"

// Connects the C interface with a driver class of driver.hpp. Each verb in the list of drover.h
// gets a C function (thunk) that calls the driver class. Each thunk catches all exceptions.
namespace drover {
inline namespace sdk_v1 {
namespace abi {

template <typename Args>
struct VerbOf;
#define DROVER_SDK_VERB(verb, result)   \
  template <>                           \
  struct VerbOf<drover_##verb##_args> { \
    using Result = result;              \
  };
DROVER_SDK_VERB(configure, Empty)
DROVER_SDK_VERB(start, Started)
DROVER_SDK_VERB(recover, Recovered)
DROVER_SDK_VERB(wait, ExitResult)
DROVER_SDK_VERB(stop, Empty)
DROVER_SDK_VERB(signal, Empty)
DROVER_SDK_VERB(destroy, Empty)
DROVER_SDK_VERB(inspect, TaskStatus)
DROVER_SDK_VERB(restore_complete, Empty)
DROVER_SDK_VERB(shutdown, Empty)
#undef DROVER_SDK_VERB

// The C++ object to which a drover_instance pointer points.
class Instance {
 public:
  Instance(const drover_host* host, const Info& info)
      : core_(std::make_shared<Core>(host, info.start_threads, info.stop_threads)) {}

  static Instance* From(drover_instance* self) {
    if (self == nullptr) throw Error(Code::kInvalidArgument, "the instance is missing");
    return reinterpret_cast<Instance*>(self);
  }
  drover_instance* raw() { return reinterpret_cast<drover_instance*>(this); }

  const std::shared_ptr<Core>& core() const { return core_; }
  Driver& driver() { return *driver_; }
  void set_driver(std::unique_ptr<Driver> driver) { driver_ = std::move(driver); }

  std::shared_ptr<CallState> Open(const drover_call* raw) {
    drover_call call = Sized(raw, "the call");
    auto state = std::make_shared<CallState>(core_->host, core_->calls, call);
    core_->calls->Add(call.id, state);
    // If the host cancelled the call before this Add, call_cancelled did not find the call. So ask
    // the host whether the call is cancelled.
    if (core_->host->call_is_cancelled(core_->host, call.id) != 0) state->Cancel();
    return state;
  }
  std::shared_ptr<StreamState> OpenStream(std::uint64_t id) {
    auto state = std::make_shared<StreamState>(core_->host, core_->streams, id);
    core_->streams->Add(id, state);
    return state;
  }

  // Ends INSTANCE, which never got a driver, and then completes its create with ERROR. It runs on a
  // new thread, since it joins the other threads of the instance.
  DROVER_SDK_ONCE static void Abandon(std::unique_ptr<Instance> instance,
                                      std::shared_ptr<CallState> create, Error error) {
    std::thread([of = std::shared_ptr<Instance>(std::move(instance)), create,
                 error = std::move(error)]() mutable noexcept {
      of->core_->gate->Close();
      of->core_->lanes.Stop();
      of->core_->timers->CancelAll();
      of.reset();
      create->Fail(error);
    }).detach();
  }

  // Do has one overload for each verb, and one for exec. Each overload passes its call to the
  // driver. The type of the arguments selects the overload.
  void Do(const drover_configure_args& args, Call<Empty> call) {
    driver_->ConfigureAsync(DecodeJson(args.config), std::move(call));
  }
  void Do(const drover_start_args& args, Call<Started> call) {
    driver_->StartAsync(DecodeTaskConfig(args.config), std::move(call));
  }
  void Do(const drover_recover_args& args, Call<Recovered> call) {
    driver_->RecoverAsync(DecodeTaskConfig(args.config), DecodeHandle(args.handle),
                          std::move(call));
  }
  void Do(const drover_wait_args&, Call<ExitResult> call) {
    call.FailOnCancel();
    driver_->Wait(std::move(call));
  }
  void Do(const drover_stop_args& args, Call<Empty> call) {
    driver_->StopAsync(StopRequest{Duration(args.timeout), Text(args.signal)}, std::move(call));
  }
  void Do(const drover_signal_args& args, Call<Empty> call) {
    driver_->SignalAsync(Text(args.name), std::move(call));
  }
  void Do(const drover_destroy_args& args, Call<Empty> call) {
    driver_->DestroyAsync(args.force != 0, std::move(call));
  }
  void Do(const drover_inspect_args&, Call<TaskStatus> call) {
    driver_->InspectAsync(std::move(call));
  }
  void Do(const drover_restore_complete_args& args, Call<Empty> call) {
    std::vector<RunId> runs;
    EachFixed<drover_run_id>(args.run_ids, "the runs",
                             [&](const drover_run_id* run) { runs.push_back(Decode(*run)); });
    driver_->RestoreCompleteAsync(std::move(runs), std::move(call));
  }
  // The shutdown runs on a new thread, since it joins the other threads of the instance.
  void Do(const drover_shutdown_args&, Call<Empty> call) {
    std::thread([this, call = std::move(call)]() noexcept { ShutDown(call); }).detach();
  }
  void Do(ExecRequest request, Call<ExitResult> call) {
    driver_->Exec(std::move(request), std::move(call));
  }

 private:
  void ShutDown(const Call<Empty>& call) noexcept {
    Outcome<Empty> outcome = Empty{};
    try {
      driver_->Shutdown();
    } catch (...) {
      outcome = CurrentError();
    }
    Error gone(Code::kUnavailable, "the driver is shutting down");
    core_->calls->ForAll([&](CallState& open) {
      if (open.id() == call.id()) return;
      Guard(nullptr, [&] { open.Cancel(&gone); });
      open.Fail(gone);
    });
    core_->streams->ForAll([](StreamState& stream) { stream.End(nullptr); });
    core_->gate->Close();
    core_->lanes.Stop();
    core_->timers->CancelAll();
    driver_.reset();
    delete this;
    call.Finish(outcome);  // after this call the drover_host is not valid
  }

  const std::shared_ptr<Core> core_;
  std::unique_ptr<Driver> driver_;
};

// Opens the call and passes it to BODY. If BODY throws, the verb is refused, and the call is closed
// without a completion. But if BODY completes the call and then throws, the verb is accepted.
DROVER_SDK_ONCE inline std::int32_t Accept(
    drover_instance* self, const drover_call* call, drover_error* error,
    Ref<Instance&, std::shared_ptr<CallState>> body) noexcept {
  std::shared_ptr<CallState> state;
  std::int32_t code = Guard(error, [&] {
    Instance* instance = Instance::From(self);
    state = instance->Open(call);
    body(*instance, state);
  });
  if (code != DROVER_OK && state != nullptr && !state->Disarm()) return DROVER_OK;
  return code;
}

DROVER_SDK_ONCE inline std::int32_t AcceptStream(
    drover_instance* self, std::uint64_t id, drover_error* error,
    Ref<Driver&, std::shared_ptr<StreamState>> body) noexcept {
  std::shared_ptr<StreamState> state;
  std::int32_t code = Guard(error, [&] {
    Instance* instance = Instance::From(self);
    state = instance->OpenStream(id);
    body(instance->driver(), state);
  });
  if (code != DROVER_OK && state != nullptr) state->Disarm();
  return code;
}

template <typename D>
struct Thunks;

// An instance of the driver class D that is being made; see drover::Creation below.
template <typename D>
class Creation {
 public:
  Creation(std::unique_ptr<Instance> instance, std::shared_ptr<CallState> state)
      : made_(std::make_shared<State>(std::move(instance), std::move(state))) {}

  // Gives the host the finished driver. Only the first Complete or Fail has an effect. [any-thread]
  void Complete(std::unique_ptr<D> driver) const {
    std::unique_ptr<Instance> instance = made_->Take();
    if (instance == nullptr) return;
    try {
      if (driver == nullptr) throw Error(Code::kInternal, "the driver has made no instance");
      instance->set_driver(std::move(driver));
      Thunks<D>::Created(std::move(instance), *made_->call);
    } catch (...) {
      made_->call->Fail(CurrentError());
    }
  }
  // Reports that there is no instance. [any-thread]
  void Fail(const Error& error) const {
    if (std::unique_ptr<Instance> instance = made_->Take()) {
      Instance::Abandon(std::move(instance), made_->call, error);
    }
  }
  // True if the host has given the creation up. The driver should then call Fail soon. [any-thread]
  bool cancelled() const { return made_->call->IsCancelledByHost(); }

 private:
  struct State {
    State(std::unique_ptr<Instance> of, std::shared_ptr<CallState> by)
        : instance(of.release()), call(std::move(by)) {}
    ~State() {
      if (std::unique_ptr<Instance> left = Take()) {
        Instance::Abandon(std::move(left), call,
                          Error(Code::kInternal, "the driver has forgotten its creation"));
      }
    }
    std::unique_ptr<Instance> Take() {
      return std::unique_ptr<Instance>(instance.exchange(nullptr));
    }
    std::atomic<Instance*> instance;
    const std::shared_ptr<CallState> call;
  };
  std::shared_ptr<State> made_;
};

// True if the class D has a static CreateAsync.
template <typename D, typename = void>
struct MakesItselfLater : std::false_type {};
template <typename D>
struct MakesItselfLater<
    D, std::void_t<decltype(D::CreateAsync(std::declval<Host>(), std::declval<Json>(),
                                           std::declval<Creation<D>>()))>> : std::true_type {};

// The C functions of the driver class D.
template <typename D>
struct Thunks {
#define DROVER_SDK_THUNK(verb, tag)                                                          \
  static std::int32_t verb(drover_instance* self, const drover_call* call,                   \
                           const drover_##verb##_args* args, drover_error* error) noexcept { \
    using Result = typename VerbOf<drover_##verb##_args>::Result;                            \
    return Accept(self, call, error, [&](Instance& to, std::shared_ptr<CallState> open) {    \
      to.Do(Sized(args, "the arguments of " #verb), Call<Result>(std::move(open)));          \
    });                                                                                      \
  }
  DROVER_ASYNC_VERBS(DROVER_SDK_THUNK)
#undef DROVER_SDK_THUNK

  static std::int32_t create(const drover_host* host, const drover_call* call,
                             const drover_create_args* args, drover_error* error) noexcept {
    std::shared_ptr<CallState> state;
    std::int32_t code = Guard(error, [&] {
      if (host == nullptr || !DROVER_HAS(host, drover_host, stream_end)) {
        throw Error(Code::kInvalidArgument, "the host's functions are missing");
      }
      auto instance = std::make_unique<Instance>(host, Facts());
      state = instance->Open(call);
      Json config = DecodeJson(Sized(args, "the arguments of create").config);
      if constexpr (MakesItselfLater<D>::value) {
        const Host face(instance->core());
        const Creation<D> creation(std::move(instance), state);
        try {
          D::CreateAsync(face, std::move(config), creation);
        } catch (...) {
          creation.Fail(CurrentError());
        }
      } else {
        instance->set_driver(std::make_unique<D>(Host(instance->core()), config));
        Created(std::move(instance), *state);
      }
    });
    if (code != DROVER_OK && state != nullptr && !state->Disarm()) return DROVER_OK;
    return code;
  }

  // Completes create with INSTANCE, which has its driver. From then on, ShutDown deletes it.
  static void Created(std::unique_ptr<Instance> instance, CallState& state) {
    auto result = Make<drover_create_result>();
    result.instance = instance->raw();
    const drover_info own = InfoOf(instance->driver());
    if (own.struct_size != 0) result.info = &own;
    instance.release();
    state.Complete(nullptr, &result);
  }

  static const void* get_extension(drover_instance* self, drover_str id) noexcept {
    // Facts throws if Describe fails. If there is an instance, Describe has succeeded, and Facts
    // does not throw.
    if (self == nullptr) return nullptr;
    if (View(id) == DROVER_TASK_STATS_ID && (Facts().offers & DROVER_CAP_STATS) != 0) {
      static const drover_task_stats kStats = {sizeof(drover_task_stats), 0, &stats};
      return &kStats;
    }
    if (View(id) == DROVER_TASK_EXEC_ID && (Facts().offers & DROVER_CAP_EXEC) != 0) {
      static const drover_task_exec kExec = {sizeof(drover_task_exec), 0, &exec, &resize};
      return &kExec;
    }
    const void* found = nullptr;
    Guard(nullptr, [&] { found = Instance::From(self)->driver().Extension(View(id)); });
    return found;
  }

  static std::int32_t fingerprint(drover_instance* self, std::uint64_t stream,
                                  drover_error* error) noexcept {
    return AcceptStream(self, stream, error, [](Driver& driver, std::shared_ptr<StreamState> open) {
      driver.Fingerprints(Stream<Fingerprint>(std::move(open)));
    });
  }
  static std::int32_t events(drover_instance* self, std::uint64_t stream,
                             drover_error* error) noexcept {
    return AcceptStream(self, stream, error, [](Driver& driver, std::shared_ptr<StreamState> open) {
      driver.Events(Stream<Event>(std::move(open)));
    });
  }
  static void stream_cancel(drover_instance* self, std::uint64_t stream) noexcept {
    Guard(nullptr, [&] {
      auto state = Instance::From(self)->core()->streams->Find(stream);
      if (state != nullptr) state->Cancel();
    });
  }
  static std::int32_t stream_join(drover_instance* self, std::uint64_t stream,
                                  std::int64_t deadline, drover_error* error) noexcept {
    return Guard(error, [&] {
      if (!Instance::From(self)->core()->streams->Join(stream, deadline)) {
        throw Error(Code::kTimeout, "the stream has not ended before the deadline");
      }
    });
  }
  static void call_cancelled(drover_instance* self, std::uint64_t call) noexcept {
    Guard(nullptr, [&] {
      auto state = Instance::From(self)->core()->calls->Find(call);
      if (state != nullptr) state->Cancel();
    });
  }
  static std::int32_t stats(drover_instance* self, std::uint64_t stream, const drover_run_id* run,
                            const drover_stats_args* args, drover_error* error) noexcept {
    return AcceptStream(
        self, stream, error, [&](Driver& driver, std::shared_ptr<StreamState> open) {
          drover_stats_args in = Sized(args, "the arguments of stats");
          StatsRequest request{Duration(in.interval), (in.flags & DROVER_STATS_PROCESSES) != 0};
          driver.TaskStats(NeedRun(run), request, Stream<Stats>(std::move(open)));
        });
  }
  static std::int32_t exec(drover_instance* self, const drover_call* call,
                           const drover_exec_args* args, drover_error* error) noexcept {
    ExecRequest request;
    std::int32_t code = Guard(error, [&] {
      drover_exec_args in = Sized(args, "the arguments of exec");
      // Take the GIVEN descriptors first, so that they are closed even if a later step fails.
      request.input = Take(in.input);
      request.output = Take(in.output);
      request.error = Take(in.error);
      request.tty = in.tty != 0;
      request.width = in.width;
      request.height = in.height;
      EachFixed<drover_str>(in.command, "the command", [&](const drover_str* word) {
        request.command.push_back(Text(*word));
      });
    });
    if (code != DROVER_OK) return code;
    return Accept(self, call, error, [&](Instance& to, std::shared_ptr<CallState> open) {
      request.run_id = open->run();
      to.Do(std::move(request), Call<ExitResult>(std::move(open)));
    });
  }
  static std::int32_t resize(drover_instance* self, std::uint64_t session, std::int32_t width,
                             std::int32_t height, drover_error* error) noexcept {
    return Guard(error, [&] { Instance::From(self)->driver().Resize(session, width, height); });
  }

  // Returns the result of D::Describe, which is kept for the life of the library.
  static const Info& Facts() {
    static const Info* const kInfo = new Info(D::Describe());
    return *kInfo;
  }

  // The C function that returns the library's info. Descriptor() stores the function here.
  static const drover_info* (*&LibraryInfo())(void) {
    static const drover_info* (*info)(void) = nullptr;
    return info;
  }
  // Returns the info of an instance. If that info is the same as the library's info, the
  // struct_size of the result is 0.
  static drover_info InfoOf(const Driver& driver) {
    const Info own = driver.Configured(Facts());
    drover_info out = {};
    if (own.fs_isolation == Facts().fs_isolation && own.offers == Facts().offers) return out;
    out = *LibraryInfo()();
    out.fs_isolation = own.fs_isolation;
    out.offers = own.offers;
    return out;
  }

  static RunId NeedRun(const drover_run_id* run) {
    if (run == nullptr) throw Error(Code::kInvalidArgument, "the run is missing");
    return Decode(*run);
  }
  static Fd Take(drover_fd fd) {
    return fd.ownership == DROVER_FD_GIVEN && fd.fd >= 0 ? Fd(fd.fd) : Fd();
  }
};

// Returns the descriptor of the driver class D. The function INFO returns the library's info, which
// has the name and the version of the driver. MIN_HOST_MINOR is the lowest minor of a host with
// which the driver works.
template <typename D>
const drover_driver* Descriptor(const drover_info* (*info)(void),
                                std::uint32_t min_host_minor = 0) noexcept {
  using T = Thunks<D>;
  T::LibraryInfo() = info;
  static const drover_driver kDriver = [info, min_host_minor] {
    drover_driver out = Make<drover_driver>();
    out.abi_major = DROVER_ABI_MAJOR;
    out.min_host_minor = min_host_minor;
    out.info = info;
    out.create = &T::create;
    out.get_extension = &T::get_extension;
#define DROVER_SDK_MEMBER(verb, tag) out.verb = &T::verb;
    DROVER_ASYNC_VERBS(DROVER_SDK_MEMBER)
#undef DROVER_SDK_MEMBER
    out.fingerprint = &T::fingerprint;
    out.events = &T::events;
    out.stream_cancel = &T::stream_cancel;
    out.stream_join = &T::stream_join;
    out.call_cancelled = &T::call_cancelled;
    return out;
  }();
  return &kDriver;
}

// Returns the info of the library. Returns null if D::Describe throws; the host then refuses the
// plugin.
template <typename D>
const drover_info* MakeInfo(const char* name, const char* version) noexcept {
  try {
    static const drover_info* const kInfo = [name, version]() -> const drover_info* {
      const Info& facts = Thunks<D>::Facts();
      auto* out = new drover_info(Make<drover_info>());
      out->fs_isolation = facts.fs_isolation;
      out->name = Str(name);
      out->version = Str(version);
      out->offers = facts.offers;
      out->needs = facts.needs;
      out->config_schema = Str(facts.config_schema);
      out->task_config_schema = Str(facts.task_config_schema);
      return out;
    }();
    return kInfo;
  } catch (...) {
    return nullptr;
  }
}

}  // namespace abi

// A driver that needs time to make an instance, such as for the answer of another program, has this
// static method instead of the constructor that takes a host and a configuration:
//
//   static void CreateAsync(drover::Host host, drover::Json config,
//                           drover::Creation<MyDriver> creation);
//
// It must return soon, on a thread of the host. Later, any thread calls creation.Complete with the
// driver, or creation.Fail. A host stops waiting at the deadline of create (30 s, unless the
// operator sets another one). If CreateAsync throws, the exception is the error of create.
template <typename D>
using Creation = abi::Creation<D>;
}  // namespace sdk_v1
}  // namespace drover

// Keeps the section of the manifest even if the linker removes unused sections.
#ifdef __has_attribute
#if __has_attribute(retain)
#define DROVER_SDK_RETAIN , retain
#endif
#endif
#ifndef DROVER_SDK_RETAIN
#define DROVER_SDK_RETAIN
#endif

// Defines the manifest and the exported function. A library must use it once, in the global
// namespace. NAME, VERSION and LICENSE are string literals: the name of the driver in jobs, the
// version of the plugin, and an SPDX expression. The driver loads in every host of the ABI 1.
#define DROVER_DRIVER(CLASS, NAME, VERSION, LICENSE) \
  DROVER_DRIVER_MINOR(CLASS, NAME, VERSION, LICENSE, 0)

// Does the same as DROVER_DRIVER, for a driver that does not work with every host of the ABI 1.
// MIN_HOST_MINOR is the lowest minor of a host with which it works. An older host refuses the file
// before any of its code runs. A driver that can do without an addition should use DROVER_DRIVER,
// and ask the host at runtime: host.raw()->abi_minor, or host.Extension(ID).
#define DROVER_DRIVER_MINOR(CLASS, NAME, VERSION, LICENSE, MIN_HOST_MINOR)                    \
  extern "C" {                                                                                \
  extern __attribute__((visibility("hidden"))) const drover_manifest drover_manifest_v1;      \
  __attribute__((used DROVER_SDK_RETAIN, section(DROVER_MANIFEST_SECTION)))                   \
  const drover_manifest drover_manifest_v1 = {{'D', 'R', 'O', 'V', 'E', 'R', 'M', '0'},       \
                                              sizeof(drover_manifest),                        \
                                              DROVER_ABI_MAJOR,                               \
                                              0,                                              \
                                              MIN_HOST_MINOR,                                 \
                                              NAME,                                           \
                                              VERSION,                                        \
                                              LICENSE};                                       \
  __attribute__((visibility("default"))) const drover_driver* drover_driver_entry_v1(void);   \
  const drover_driver* drover_driver_entry_v1(void) {                                         \
    return ::drover::abi::Descriptor<CLASS>(                                                  \
        []() -> const drover_info* { return ::drover::abi::MakeInfo<CLASS>(NAME, VERSION); }, \
        MIN_HOST_MINOR);                                                                      \
  }                                                                                           \
  }
