// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/kit_ask.h"

#include "host/conformance/exec_streams.h"

namespace drover {
namespace {

struct FirstSample {
  bool came = false;
  bool over = false;
  Status end;
};

Co<void> AwaitSample(LoadedDriver* driver, Context context, RunId run,
                     std::shared_ptr<FirstSample> to) {
  std::function<void(TaskUsage)> sink = [to](const TaskUsage&) { to->came = true; };
  const StatsRequest request{50ms};
  to->end = co_await driver->Stats(context, run, request, std::move(sink));
  to->over = true;
}

}  // namespace

Co<std::optional<Status>> AskStats(KitCase* kit, LoadedDriver* driver, RunId run) {
  auto first = std::make_shared<FirstSample>();
  const Context wanted = kit->Within(3s);
  kit->loop()->Spawn(AwaitSample(driver, wanted, run, first));
  for (int i = 0; i < 290 && !first->came && !first->over; ++i)
    (void)co_await Sleep(kit->context(), 10ms);
  if (first->came) co_return Status();
  if (!first->over) co_return std::nullopt;
  co_return first->end;
}

Co<std::optional<Status>> AskExec(KitCase* kit, LoadedDriver* driver, RunId run) {
  ExecStreams streams;
  std::vector<std::string> command = {"/bin/sh", "-c", "exit 7"};
  ExecRequest request = streams.Open(std::move(command), false);
  const Context soon = kit->Within(3s);
  auto session = co_await driver->Exec(soon, run, std::move(request));
  if (!session.ok()) co_return Status(session.error());
  const Result<ExitResult> end = co_await (*session)->Wait(soon);
  if (soon.cancelled()) co_return std::nullopt;
  if (!end.ok()) co_return Status(end.error());
  if (end->exit_code != 7)
    co_return Error(Code::kInternal, "exit code " + std::to_string(end->exit_code) + ", not 7");
  co_return Status();
}

}  // namespace drover
