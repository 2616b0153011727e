// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/verb_call.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <type_traits>

#include "host/abi/abi_fields.h"
#include "host/abi/abi_write.h"
#include "host/abi/wire.h"
#include "host/base/result.h"

namespace drover {
namespace {

// Copies texts and arrays so that each copy ends directly before an unreadable page. The copies are
// never freed, so a driver may read them after the call without a crash. Such a late read is a
// different fault, which PageEnds must not detect.
class PageEnds {
 public:
  void operator()(drover_str& text) { text.data = Copy(text.data, text.size); }
  template <typename T>
  void operator()(T&) {}
  template <typename T>
  void Array(drover_array& array) {
    if (array.count == 0) return;
    auto* first = reinterpret_cast<T*>(Copy(array.data, array.count * sizeof(T)));
    for (std::size_t i = 0; i < array.count; ++i) Fields(*this, first[i]);
    array.data = first;
  }
  template <typename T>
  void Pointer(T&) {}

 private:
  static char* Copy(const void* from, std::size_t size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t whole = (size + page - 1) / page * page;
    void* made =
        mmap(nullptr, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    DROVER_CHECK(made != MAP_FAILED);
    char* end = static_cast<char*>(made) + whole;
    DROVER_CHECK(mprotect(end, page, PROT_NONE) == 0);
    if (size > 0) std::memcpy(end - size, from, size);
    return end - size;
  }
};

class Arguments {
 public:
  Arguments(const VerbRequest& request, Manner manner) : request_(request) {
    if (request.config) {
      view_.emplace(request.config);
      config_ = *view_->get();
      PageEnds ends;
      if (manner == Manner::kPageEnds) Fields(ends, config_);
    }
    if (request.handle) {
      handle_.format_version = request.handle->format_version;
      handle_.driver_version = ToStr(request.handle->driver_version);
      handle_.state = ToStr(request.handle->state);
    }
  }
  template <typename Args>
  void Fill(Args* args) const {
    if constexpr (std::is_same_v<Args, drover_configure_args>) args->config = ToStr(request_.text);
    if constexpr (std::is_same_v<Args, drover_start_args>) args->config = &config_;
    if constexpr (std::is_same_v<Args, drover_recover_args>) {
      args->config = &config_;
      args->handle = request_.handle ? &handle_ : nullptr;
    }
    if constexpr (std::is_same_v<Args, drover_stop_args>) {
      args->timeout = request_.timeout.count();
      args->signal = ToStr(request_.text);
    }
    if constexpr (std::is_same_v<Args, drover_signal_args>) args->name = ToStr(request_.text);
    if constexpr (std::is_same_v<Args, drover_destroy_args>) args->force = request_.force ? 1 : 0;
  }

 private:
  const VerbRequest& request_;
  std::optional<TaskConfigView> view_;
  drover_task_config config_ = NewStruct<drover_task_config>();
  drover_task_handle handle_ = NewStruct<drover_task_handle>();
};

template <typename Args>
using Member = std::int32_t (*drover_driver::*)(drover_instance*, const drover_call*, const Args*,
                                                drover_error*);

template <typename Args, Member<Args> kMember>
DriverAccess::MakeCall Bind(VerbRequest request, Manner manner) {
  return [request = std::move(request), manner](PluginHost* host, const drover_driver* table,
                                                drover_instance* self, const drover_call* call,
                                                drover_error* error) {
    const Arguments arguments(request, manner);
    auto args = NewStruct<Args>();
    arguments.Fill(&args);
    drover_call frame = *call;
    if (manner == Manner::kDeadlineOver)
      frame.deadline = (BootClock::now() - 1s).time_since_epoch().count();
    GiveUpBefore(manner, host, table, self, frame.id);
    std::int32_t status = DROVER_OK;
    if (manner == Manner::kNewerHost) {
      const Carried<drover_call> grown_frame(&frame);
      const Carried<Args> grown(&args);
      status = (table->*kMember)(self, grown_frame.get(), grown.get(), error);
    } else {
      status = (table->*kMember)(self, &frame, &args, error);
    }
    if (status != DROVER_OK) return status;
    GiveUpBehind(manner, host, table, self, frame.id);
    return status;
  };
}

}  // namespace

void GiveUpBefore(Manner manner, PluginHost* host, const drover_driver* table,
                  drover_instance* self, std::uint64_t call) {
  if (manner == Manner::kCancelledBefore || manner == Manner::kCancelledEarly)
    (void)host->calls().Cancel(call);
  if (manner == Manner::kCancelledEarly) table->call_cancelled(self, call);
}

void GiveUpBehind(Manner manner, PluginHost* host, const drover_driver* table,
                  drover_instance* self, std::uint64_t call) {
  if (manner == Manner::kCancelled) (void)host->calls().Cancel(call);
  if (manner == Manner::kCancelled || manner == Manner::kCancelledBefore)
    table->call_cancelled(self, call);
}

const std::vector<KitVerb>& KitVerbs() {
#define DROVER_KIT_VERB(verb, tag) {#verb, Bind<drover_##verb##_args, &drover_driver::verb>},
  static const std::vector<KitVerb> verbs = {DROVER_ASYNC_VERBS(DROVER_KIT_VERB)};
#undef DROVER_KIT_VERB
  return verbs;
}

Co<std::optional<Status>> CallVerb(LoadedDriver* driver, const char* verb, VerbRequest request,
                                   Manner manner, Duration limit, bool* told_again) {
  DriverAccess::MakeCall make;
  for (const KitVerb& entry : KitVerbs()) {
    if (std::string_view(entry.name) == verb) make = entry.bind(request, manner);
  }
  DROVER_CHECK(make != nullptr);
  const std::shared_ptr<const TaskConfig> config = request.config;
  co_return co_await DriverAccess::CallAs(driver, verb, request.run, config, limit, std::move(make),
                                          told_again);
}

}  // namespace drover
