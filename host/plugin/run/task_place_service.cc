// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The extension drover.task-place, as drivers call it. Any thread.
#include "host/plugin/run/task_place_service.h"

#include <memory>
#include <string>

#include "drover/drover_task_place.h"
#include "host/abi/abi_read.h"
#include "host/abi/abi_write.h"
#include "host/plugin/plugin_host.h"
#include "host/plugin/service_done.h"
#include "host/plugin/traced.h"

namespace drover {
namespace {

// A driver's request. A driver's thread passes it to the control thread.
struct PlaceRequest {
  std::shared_ptr<PluginHost> host;
  RunId run;
  ServiceDone done;
};
using SharedPlaceRequest = std::shared_ptr<PlaceRequest>;

void BeginMaking(const SharedPlaceRequest& request) {
  PluginHost& host = *request->host;
  PluginHost::Run* const run = host.FindRun(request->run);
  // The host must be able to kill and release what is made from now on.
  ++run->asked;
  Result<RunPlace> place = host.processes()->MakePlace(request->run);
  if (place.ok()) {
    run->placed = true;
  } else if (run->asked - run->freed == 1) {
    run->freed = run->asked;  // nothing was made
  }
  request->done.FinishPlace(std::move(place), run->config->network_namespace_path);
}

Co<void> DoRemoval(SharedPlaceRequest request) {
  PluginHost& host = *request->host;
  const Context context = host.services_context().Child();
  const Status removed = co_await host.processes()->RemovePlace(context, request->run);
  request->done.Finish(removed);
}

std::int32_t SubmitPlace(const drover_host* face, const char* what, const drover_run_id* run,
                         drover_done done, void* context, drover_error* error,
                         void (*begin)(const SharedPlaceRequest&)) {
  const Error gone(Code::kUnavailable, "the host has shut this driver down");
  const std::shared_ptr<PluginHost> host = PluginHost::From(face);
  if (!host) return Refuse(gone, error);
  if (run == nullptr || done == nullptr) {
    return Refuse(Error(Code::kInvalidArgument, std::string(what) + " needs a run and a function"),
                  error);
  }
  const auto request = std::make_shared<PlaceRequest>(
      PlaceRequest{host, ReadRunId(*run), ServiceDone(host, what, done, context)});
  const bool posted = host->port()->Post([request, begin] {
    PluginHost& of = *request->host;
    const PluginHost::Run* const known = of.FindRun(request->run);
    if (of.services_context().cancelled()) {
      request->done.Finish(of.services_context().status());
    } else if (known == nullptr || known->config == nullptr) {
      request->done.Finish(
          Status(Error(Code::kNotFound, "the run is not one of this driver, or was destroyed")));
    } else {
      begin(request);
    }
  });
  return posted ? DROVER_OK : Refuse(gone, error);
}

std::int32_t MakeTaskPlace(const drover_host* face, const drover_run_id* run, drover_done done,
                           void* context, drover_error* error) {
  return SubmitPlace(face, "task-place.make", run, done, context, error, BeginMaking);
}

std::int32_t RemoveTaskPlace(const drover_host* face, const drover_run_id* run, drover_done done,
                             void* context, drover_error* error) {
  return SubmitPlace(face, "task-place.remove", run, done, context, error,
                     [](const SharedPlaceRequest& request) {
                       request->host->services().Spawn(DoRemoval(request));
                     });
}

const drover_task_place kTaskPlace = {sizeof(drover_task_place), 0,
                                      Traced<"task-place.make", MakeTaskPlace>::Call,
                                      Traced<"task-place.remove", RemoveTaskPlace>::Call};

}  // namespace

const void* TaskPlaceExtension() { return &kTaskPlace; }

}  // namespace drover
