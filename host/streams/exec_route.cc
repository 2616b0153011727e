// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Sessions through a websocket, for commands of clients and actions of jobs. Clients expect the
// websocket to open before the request is checked. If a check fails, the close of the websocket
// reports the error.
#include "host/plugin/plugin_registry.h"
#include "host/request/access.h"
#include "host/request/admission.h"
#include "host/request/route_access.h"
#include "host/spec/strict_json.h"
#include "host/streams/exec_conversation.h"
#include "host/streams/stream_routes.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr Duration kHandshakeTime = 10s;

constexpr char kExecPattern[] = "/v1/client/allocation/*/exec";
constexpr char kActionPattern[] = "/v1/job/**/action";

// Finds out who asks, and returns the token. A client sends the token in a header. Browsers cannot
// set headers, so they send it in the first message.
Co<Result<std::string>> Authorize(ApiRequest* request, WebSocketChannel* channel) {
  const HttpRequest& http = request->http();
  const std::string wants = request->Text("ws_handshake");
  std::string given(GivenToken(http));
  if (!wants.empty() && request->Flag("ws_handshake", true) != request->Flag("ws_handshake")) {
    co_return Error(Code::kInvalidArgument, "ws_handshake value is not a boolean: " + wants);
  }
  if (request->Flag("ws_handshake")) {
    const Context limited = request->exchange()->context().WithTimeout(kHandshakeTime);
    DROVER_CO_ASSIGN(const WebSocketMessage message, co_await channel->Read(limited));
    const Result<json> said = ParseStrictJson(message.bytes);
    // The message has a token, which no error may quote.
    if (!said.ok()) co_return Error(Code::kInvalidArgument, "the handshake is not JSON");
    const json version = said->is_object() ? said->value("version", json()) : json();
    if (version != 1) {
      co_return Error(Code::kInvalidArgument, "unexpected handshake value: " + version.dump());
    }
    const json sent = said->value("auth_token", json(""));
    const std::string text = sent.is_string() ? sent.get<std::string>() : "";
    if (!given.empty() && !text.empty() && !SameSecret(given, text)) {
      co_return Error(Code::kInvalidArgument, "handshake auth token mismatched auth header token");
    }
    if (given.empty()) given = text;
  }
  const Entrance entrance = request->caller().entrance;
  Loop* const loop = request->exchange()->loop();
  if (SaysTwoTokens(http)) {
    const Result<AclPrincipal> anybody = WhoAsks(request->agent(), entrance, http, "", loop);
    if (!anybody.ok() || !anybody->acl->is_management()) {
      co_return Error(Code::kPermissionDenied, "two different tokens are given");
    }
  }
  DROVER_CO_ASSIGN(AclPrincipal principal, WhoAsks(request->agent(), entrance, http, given, loop));
  request->SetPrincipal(std::move(principal));
  co_return given;
}

// Returns whether the driver DRIVER keeps its tasks in a root of their own. [control]
Co<Result<bool>> HasOwnRoot(const ApiAgent* agent, std::string driver) {
  const Driver* const found = agent->plugins == nullptr ? nullptr : agent->plugins->Find(driver);
  co_return found != nullptr && found->info().fs_isolation != FsIsolation::kNone;
}

// Returns an error unless the client may run commands beside a task of DRIVER in NAME_SPACE. A
// command that is not kept in the root of its task reaches the whole machine.
Co<Status> MayReachNode(ApiRequest* request, std::string name_space, std::string driver) {
  if (request->acl().Allows(name_space, {Capability::kAllocNodeExec})) co_return Status();
  const Result<bool> own_root = co_await request->Control(
      [agent = &request->agent(), driver](Context) { return HasOwnRoot(agent, driver); });
  if (!own_root.ok()) co_return own_root.error();
  if (*own_root) co_return Status();
  co_return Error(Code::kPermissionDenied, "Permission denied");
}

Result<std::vector<std::string>> CommandOf(const ApiRequest& request) {
  const std::string text = request.Text("command");
  if (text.empty()) return Error(Code::kInvalidArgument, "command is not present");
  const Result<json> words = ParseStrictJson(text);
  std::vector<std::string> command;
  bool valid = words.ok() && words->is_array();
  for (const json& word : valid ? *words : json::array()) {
    valid = valid && word.is_string();
    if (valid) command.push_back(word.get<std::string>());
  }
  if (!valid) {
    return Error(Code::kInvalidArgument, "command must be a JSON list of texts");
  }
  if (command.empty()) return Error(Code::kInvalidArgument, "command is not present");
  return command;
}

Error UnknownAlloc(const std::string& id) {
  return Error(Code::kNotFound, "Unknown allocation \"" + id + "\"");
}

const Task* FindTask(const AllocRecord& record, const std::string& name) {
  const TaskGroup* const group = record.alloc->group();
  return group == nullptr ? nullptr : FindTask(*group, name);
}

Status MustRun(const AllocRecord& record, const std::string& name) {
  if (FindTask(record, name) == nullptr) return Error(Code::kInternal, "task not found");
  const std::string task = "task \"" + name + "\" ";
  const auto state = record.reported.tasks.find(name);
  if (state == record.reported.tasks.end() || !state->second || state->second->started_at == 0) {
    return Error(Code::kNotFound, task + "not started yet.");
  }
  if (state->second->state != RunnerState::kRunning) {
    return Error(Code::kNotFound, task + "is not running.");
  }
  return {};
}

using Command = ExecConversation::Command;

// Returns the command in a request to run a command beside a task. Checks that the task is running.
Result<Command> ReadCommand(const ApiRequest& request) {
  Command command;
  command.alloc_id = request.parameter(0);
  command.task = request.Text("task");
  command.tty = request.Flag("tty");
  const auto record = FindAlloc(request, command.alloc_id);
  if (record == nullptr) return UnknownAlloc(command.alloc_id);
  if (command.task.empty()) return Error(Code::kInvalidArgument, "must provide task name");
  DROVER_ASSIGN(command.words, CommandOf(request));
  DROVER_TRY(MustRun(*record, command.task));
  return command;
}

// Returns the command of the action that a request names. Checks that the task of the action is
// running. The action is used as the job defines it, without interpolation. A command in the
// request is ignored.
Result<Command> ReadAction(const ApiRequest& request) {
  Command command;
  command.alloc_id = request.Text("allocID");
  command.task = request.Text("task");
  command.tty = request.Flag("tty");
  if (command.alloc_id.empty())
    return Error(Code::kInvalidArgument, "must provide a valid alloc id");
  const auto record = FindAlloc(request, command.alloc_id);
  if (record == nullptr) return UnknownAlloc(command.alloc_id);
  if (command.task.empty()) return Error(Code::kInvalidArgument, "must provide task name");
  const Job& job = *record->alloc->job;
  if (job.id != request.parameter(0) || job.job_namespace != request.Namespace()) {
    return Error(Code::kInvalidArgument,
                 "job " + request.parameter(0) + " does not have allocation " + command.alloc_id);
  }
  const std::string name = request.Text("action");
  const Task* const task = FindTask(*record, command.task);
  const TaskAction* const action = task == nullptr ? nullptr : FindAction(*task, name);
  if (action == nullptr) {
    return Error(Code::kInvalidArgument, "action " + name + " not found in task " + command.task);
  }
  command.words = action->args;
  command.words.insert(command.words.begin(), action->command);
  DROVER_TRY(MustRun(*record, command.task));
  return command;
}

Status MayUseRoute(const ApiRequest& request, const Acl& acl, const char* pattern) {
  const RouteAccess* const access = FindRouteAccess("GET", pattern);
  const bool may = access != nullptr &&
                   MayUse(request.agent(), acl, *access, request.http(), request.parameters());
  return may ? Status() : Error(Code::kPermissionDenied, "Permission denied");
}

// Returns an error unless the client, which has sent TOKEN, may use the route now.
Status MayGoOn(ApiRequest* request, const char* pattern, const std::string& token) {
  DROVER_ASSIGN(const AclPrincipal now,
                WhoAsks(request->agent(), request->caller().entrance, request->http(), token,
                        request->exchange()->loop()));
  return MayUseRoute(*request, *now.acl, pattern);
}

// Returns the command to run, if the client may run it. Trusts a client that may use the route.
Co<Result<Command>> Permitted(ApiRequest* request, const char* pattern) {
  DROVER_CO_TRY(MayUseRoute(*request, request->acl(), pattern));
  request->exchange()->Trust();
  const bool is_action = std::string_view(pattern) == kActionPattern;
  DROVER_CO_ASSIGN(Command command, is_action ? ReadAction(*request) : ReadCommand(*request));
  const auto record = FindAlloc(*request, command.alloc_id);
  const Task* const task = record == nullptr ? nullptr : FindTask(*record, command.task);
  if (task == nullptr) co_return UnknownAlloc(command.alloc_id);  // it has just been removed
  DROVER_CO_TRY(co_await MayReachNode(request, record->alloc->job->job_namespace, task->driver));
  co_return command;
}

// Opens the websocket and runs an exec session. The request is read only after the client's token
// was accepted, and its allocation is looked at only if the client may do that.
Co<Answer> Converse(ApiRequest* request, const char* pattern) {
  HttpExchange* const exchange = request->exchange();
  const Result<WebSocketChannel*> channel = co_await exchange->AcceptWebSocket();
  if (!channel.ok()) co_return ErrorAnswer(500, "websocket connection not found in context");
  const Result<std::string> token = co_await Authorize(request, *channel);
  if (!token.ok()) {
    co_await CloseWith(*channel, token.error());
    co_return StreamedAnswer();
  }
  Result<Command> command = co_await Permitted(request, pattern);
  if (!command.ok()) {
    co_await CloseWith(*channel, command.error());
    co_return StreamedAnswer();
  }
  auto call = std::make_shared<ExecCall>(&request->agent());
  ExecConversation conversation(exchange, *channel, std::move(call),
                                [=] { return MayGoOn(request, pattern, *token); });
  co_await conversation.Run(std::move(*command));
  co_return StreamedAnswer();
}

Co<Answer> ExecInTask(ApiRequest* request) { return Converse(request, kExecPattern); }
Co<Answer> RunAction(ApiRequest* request) { return Converse(request, kActionPattern); }

}  // namespace

std::vector<Route> ExecRoutes() {
  return {
      {"GET", kExecPattern, ExecInTask, Access::kOpen},
      {"GET", kActionPattern, RunAction, Access::kOpen},
  };
}

}  // namespace drover
