// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The extension drover.task-env, as drivers call it. Any thread.
#include "host/plugin/run/task_env_service.h"

#include <memory>
#include <string>
#include <vector>

#include "drover/drover_task_env.h"
#include "host/abi/abi_read.h"
#include "host/abi/abi_write.h"
#include "host/plugin/plugin_host.h"
#include "host/plugin/service_done.h"
#include "host/plugin/traced.h"

namespace drover {
namespace {

constexpr std::size_t kMostBytes = DROVER_TASK_ENV_BYTES_MAX;

// A driver's request. The driver's thread, the control thread and a thread of the pool have it, one
// after another.
struct TextRequest {
  std::shared_ptr<PluginHost> host;
  RunId run;
  std::vector<std::string> texts;
  bool strict = false;
};

Error TooLong(const char* when) {
  return Error(Code::kInvalidArgument, std::string("the texts have more than ") +
                                           std::to_string(kMostBytes) + " bytes" + when);
}

Status ReadTextRequest(const drover_interpolate_args* args, TextRequest* request) {
  DROVER_ASSIGN(const drover_interpolate_args raw, CopyStruct(args));
  if ((raw.flags & ~DROVER_TASK_ENV_STRICT) != 0) {
    return Error(Code::kUnimplemented, "interpolate has a flag that this host does not know");
  }
  request->strict = (raw.flags & DROVER_TASK_ENV_STRICT) != 0;
  if (raw.texts.count > DROVER_TASK_ENV_TEXTS_MAX) {
    return Error(Code::kInvalidArgument,
                 "a request has at most " + std::to_string(DROVER_TASK_ENV_TEXTS_MAX) + " texts");
  }
  std::size_t total = 0;
  return ReadArray<drover_str>(raw.texts, sizeof(drover_str), [&](const drover_str* at) -> Status {
    DROVER_ASSIGN(std::string text, ReadBytes(*at, kMostBytes));
    total += text.size();
    if (total > kMostBytes) return TooLong("");
    request->texts.push_back(std::move(text));
    return {};
  });
}

// Runs on a thread of the pool, so long texts delay only the plugin itself.
Result<std::vector<std::string>> ReplaceTexts(const TaskConfig& task, const TextRequest& request) {
  std::vector<std::string> out;
  std::size_t total = 0;
  for (const std::string& text : request.texts) {
    DROVER_ASSIGN(std::string made, task.interpolate(task.env, text, request.strict));
    total += made.size();
    if (total > kMostBytes) return TooLong(" when their ${...} are replaced");
    out.push_back(std::move(made));
  }
  return out;
}

void BeginReplacing(const std::shared_ptr<const TextRequest>& request, ServiceDone done) {
  PluginHost& host = *request->host;
  const PluginHost::Run* const run = host.FindRun(request->run);
  if (host.services_context().cancelled()) {
    done.Finish(host.services_context().status());
  } else if (run == nullptr || run->config == nullptr) {
    done.Finish(
        Status(Error(Code::kNotFound, "the run is not one of this driver, or was destroyed")));
  } else if (!run->config->interpolate) {
    done.Finish(Status(Error(Code::kUnimplemented, "this host has no values for the run's texts")));
  } else {
    done.FinishTexts([task = run->config, request] { return ReplaceTexts(*task, *request); });
  }
}

std::int32_t Interpolate(const drover_host* face, const drover_run_id* run,
                         const drover_interpolate_args* args, drover_done done, void* context,
                         drover_error* error) {
  const Error gone(Code::kUnavailable, "the host has shut this driver down");
  const std::shared_ptr<PluginHost> host = PluginHost::From(face);
  if (!host) return Refuse(gone, error);
  if (run == nullptr || done == nullptr) {
    return Refuse(Error(Code::kInvalidArgument, "interpolate needs a run and a function"), error);
  }
  const auto request = std::make_shared<TextRequest>();
  request->host = host;
  request->run = ReadRunId(*run);
  if (const Status read = ReadTextRequest(args, request.get()); !read.ok()) {
    return Refuse(read.error(), error);
  }
  const ServiceDone then(host, "task-env.interpolate", done, context);
  const bool posted = host->port()->Post([request, then] { BeginReplacing(request, then); });
  return posted ? DROVER_OK : Refuse(gone, error);
}

const drover_task_env kTaskEnv = {sizeof(drover_task_env), 0,
                                  Traced<"task-env.interpolate", Interpolate>::Call};

}  // namespace

const void* TaskEnvExtension() { return &kTaskEnv; }

}  // namespace drover
