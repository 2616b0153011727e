// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/router.h"

#include <malloc.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "host/http/browser_check.h"
#include "host/request/admission.h"
#include "host/request/route_access.h"
#include "host/spec/json_cost.h"
#include "host/stats/metric_registry.h"
#include "host/streams/stream_routes.h"

namespace drover {
namespace {

std::vector<std::string_view> Split(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty() && path.front() == '/') path.remove_prefix(1);
  while (true) {
    const std::size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

std::string Join(const std::vector<std::string_view>& parts, std::size_t from, std::size_t count) {
  std::string out;
  for (std::size_t i = from; i < from + count; ++i) {
    if (i > from) out += '/';
    out += parts[i];
  }
  return out;
}

bool Allows(std::string_view methods, std::string_view method) {
  if (methods.empty()) return true;
  if (method == "HEAD") method = "GET";
  while (!methods.empty()) {
    const std::size_t space = methods.find(' ');
    if (methods.substr(0, space) == method) return true;
    if (space == std::string_view::npos) break;
    methods.remove_prefix(space + 1);
  }
  return false;
}

bool IsPretty(const HttpRequest& request) {
  const std::string* pretty = request.Query("pretty");
  return pretty != nullptr && *pretty != "0";
}

// Adds the headers that every reply has. Indents a JSON body if the query has ?pretty.
HttpReply Finish(const HttpRequest& request, Answer answer) {
  HttpReply reply = std::move(answer.reply);
  if (answer.index) {
    reply.headers.emplace_back("X-Nomad-Index", std::to_string(*answer.index));
    reply.headers.emplace_back("X-Nomad-LastContact", "0");
    reply.headers.emplace_back("X-Nomad-KnownLeader", "true");
  }
  if (!answer.next_token.empty()) {
    reply.headers.emplace_back("X-Nomad-NextToken", answer.next_token);
  }
  if (reply.content_type == "application/json" && IsPretty(request)) {
    const auto body = nlohmann::json::parse(reply.body, nullptr, false);
    if (!body.is_discarded()) reply.body = body.dump(4) + "\n";
  }
  return reply;
}

struct Target {
  const Route* route = nullptr;
  std::vector<std::string> stars;
  bool known = false;  // whether the path exists, perhaps only with other methods
};

Target FindRoute(const std::vector<Route>& routes, const std::string& path,
                 const std::string& method) {
  Target target, otherwise;
  // A path that equals a pattern is not an id in another pattern. For example, "pools" in
  // /v1/node/pools is not the id of a node.
  const auto named = std::find_if(routes.begin(), routes.end(), [&](const Route& route) {
    return route.pattern == path && Allows(route.methods, method) &&
           path.find('*') == std::string::npos;
  });
  if (named != routes.end()) return {&*named, {}, true};
  for (const Route& route : routes) {
    std::optional<std::vector<std::string>> stars = MatchPath(route.pattern, path);
    if (!stars) continue;
    Target& found = route.fit == Fit::kFirst ? target : otherwise;
    found.known = true;
    if (!Allows(route.methods, method)) continue;
    found.route = &route;
    found.stars = std::move(*stars);
    if (route.fit == Fit::kFirst) break;
  }
  return target.known ? target : otherwise;
}

// Decides whether the client may use TARGET. A route that is not in the table of what routes need
// is closed to everybody.
Admission AdmitTo(const Target& target, const ApiAgent& agent, Entrance entrance,
                  const HttpRequest& http, Loop* loop) {
  const RouteAccess* access = nullptr;
  if (target.route != nullptr) {
    access = FindRouteAccess(target.route->methods, target.route->pattern);
    if (access == nullptr) {
      Admission closed;
      closed.refusal = DeniedAnswer();
      return closed;
    }
  }
  return Admit(agent, entrance, http, access, target.stars, loop);
}

// How long a refused client waits for the answer on the socket of its task. So a task that asks
// without end takes little time from others. A task that has guessed too many tokens waits longer.
constexpr Duration kRefusalDelay = 10ms;
constexpr Duration kGuesserDelay = 100ms;

Co<Answer> Refuse(HttpExchange* exchange, Entrance entrance, Answer refusal) {
  if (entrance == Entrance::kTask) {
    const bool guesses = refusal.reply.status == 429;
    (void)co_await Sleep(exchange->context(), guesses ? kGuesserDelay : kRefusalDelay);
  }
  co_return refusal;
}

// The maximum time that a body waits for memory in which it can be parsed.
constexpr Duration kTreeWait = 30s;
// If a JSON tree or a reply has at least this many bytes, its memory is returned to the system
// immediately. Otherwise the allocator keeps the memory for the next request.
constexpr std::size_t kLargeTree = std::size_t{2} << 20;
constexpr std::size_t kLargeReply = std::size_t{4} << 20;

// Reserves memory for the JSON tree of the request's body. The memory suffices for hundreds of
// small bodies at a time.
Co<Status> TakeRoom(HttpExchange* exchange, const ApiAgent* agent, ByteBudget::Share* share) {
  const std::string& body = exchange->request().body;
  if (body.empty()) co_return Status();
  const Context limited = exchange->context().WithTimeout(kTreeWait);
  const std::size_t cost = JsonCost(body);
  DROVER_CO_ASSIGN(*share, co_await agent->trees->Take(limited, cost));
  co_return Status();
}

void GiveBackMemory(const std::string& body) {
  if (JsonCost(body) >= kLargeTree) malloc_trim(0);
}

Answer NoRoom(const Error& error) {
  if (error.code() != Code::kResourceExhausted) {
    return ErrorAnswer(503, "too many large requests at once; try again later");
  }
  return ErrorAnswer(413, "the body has too many values: they would take more than " +
                              std::to_string(ApiAgent::kTreeBytes >> 20) + " MiB of memory");
}

Co<Answer> Dispatch(const std::vector<Route>* routes, const ApiAgent* agent, Entrance entrance,
                    HttpExchange* exchange) {
  const HttpRequest& http = exchange->request();
  const Result<std::string> path = PercentDecode(http.path);
  if (!path.ok()) co_return path.error();
  if (*path == "/" && entrance == Entrance::kAgent) {
    Answer redirect = EmptyAnswer();
    redirect.reply.status = 307;
    redirect.reply.headers.emplace_back("Location", "/ui/");
    co_return redirect;
  }
  Target target = FindRoute(*routes, *path, http.method);
  Admission admission = AdmitTo(target, *agent, entrance, http, exchange->loop());
  if (admission.trusted) exchange->Trust();
  if (admission.refusal) {
    co_return co_await Refuse(exchange, entrance, std::move(*admission.refusal));
  }
  if (target.route == nullptr) {
    if (target.known) co_return ErrorAnswer(405, "Invalid method");
    Answer unknown = EmptyAnswer();
    unknown.reply.status = 404;
    co_return unknown;
  }
  if (target.route->effect == Effect::kChanges && Allows("GET", http.method) &&
      MayBeOfAPage(http)) {
    co_return ErrorAnswer(403, "a browser must send this request by PUT");
  }
  ApiRequest request(exchange, agent, std::move(target.stars), std::move(admission.caller));
  ByteBudget::Share tree;
  const Status room = co_await TakeRoom(exchange, agent, &tree);
  if (!room.ok()) co_return NoRoom(room.error());
  try {
    co_return co_await target.route->handler(&request);
  } catch (const WrongField& error) {
    co_return ErrorAnswer(400, std::string("Failed to decode body: ") + error.what());
  } catch (const nlohmann::json::exception& error) {
    // A field of the body does not have the type that the route expects.
    co_return ErrorAnswer(400, std::string("Failed to decode body: ") + error.what());
  }
}

}  // namespace

std::vector<Route> AllRoutes() {
  std::vector<Route> all;
  for (auto* some :
       {&ExecRoutes,       &JobChangeRoutes, &JobVersionRoutes, &JobStatusesRoutes, &JobParseRoutes,
        &JobRestartRoutes, &PeriodicRoutes,  &ServiceRoutes,    &DeploymentRoutes,  &JobRoutes,
        &AllocRoutes,      &EvalRoutes,      &NodeRoutes,       &ClientRoutes,      &FollowRoutes,
        &FileRoutes,       &AgentRoutes,     &NamespaceRoutes,  &PluginRoutes,      &SearchRoutes,
        &MetricsRoutes,    &EventRoutes,     &MonitorRoutes,    &VariableRoutes,    &KeyringRoutes,
        &AclRoutes,        &AclTokenRoutes,  &AclRoleRoutes,    &VolumeRoutes,      &ScalingRoutes,
        &UnsupportedRoutes}) {
    for (Route& route : some()) all.push_back(std::move(route));
  }
  return all;
}

std::optional<std::vector<std::string>> MatchPath(std::string_view pattern, std::string_view path) {
  const std::vector<std::string_view> wanted = Split(pattern);
  const std::vector<std::string_view> parts = Split(path);
  if (parts.size() < wanted.size()) return std::nullopt;
  // The number of parts that "**" matches beyond the first.
  const std::size_t more = parts.size() - wanted.size();
  std::vector<std::string> stars;
  std::size_t at = 0;
  bool stretched = false;
  for (const std::string_view part : wanted) {
    const std::size_t count = part == "**" ? 1 + more : 1;
    if (part == "*" || part == "**") {
      stars.push_back(Join(parts, at, count));
      if (stars.back().empty()) return std::nullopt;
    } else if (parts[at] != part) {
      return std::nullopt;
    }
    stretched = stretched || part == "**";
    at += count;
  }
  if (more > 0 && !stretched) return std::nullopt;
  return stars;
}

BodyCheck MakeBodyCheck(const ApiAgent* agent, Entrance entrance) {
  return
      [agent, entrance, routes = AllRoutes()](const HttpRequest& http, Loop* loop) -> Result<bool> {
        const Result<std::string> path = PercentDecode(http.path);
        if (!path.ok()) return false;  // the handler reports the error
        const Target target = FindRoute(routes, *path, http.method);
        const Admission admission = AdmitTo(target, *agent, entrance, http, loop);
        if (admission.refusal) {
          const HttpReply& reply = admission.refusal->reply;
          if (reply.status == 401) return false;  // the handler refuses with this status
          return Error(reply.status == 429 ? Code::kResourceExhausted : Code::kPermissionDenied,
                       reply.body);
        }
        const Route* const route = target.route;
        if (route == nullptr || route->access == Access::kOpen) return false;
        // A route that only reads needs no body. The body would stay in memory until the end of the
        // answer, and some answers never end.
        return route->effect == Effect::kChanges || !Allows("GET", http.method);
      };
}

namespace {

// Reports an answered request to operators. Its duration becomes a metric and, at level debug, a
// line in the log. The line does not have the query, which may hold private data.
void Note(const ApiAgent& agent, HttpExchange* exchange, int status, Duration took) {
  const HttpRequest& http = exchange->request();
  const double ms = std::chrono::duration<double, std::milli>(took).count();
  // The duration of a request with ?index depends on when the state changes, so it is no metric.
  const bool waits = http.Query("index") != nullptr;
  if (agent.metrics != nullptr && !waits) {
    agent.metrics->Sample("drover.http.request", exchange->loop()->Now(), ms);
  }
  spdlog::debug("http: request complete: method={} path={} status={} duration={:.3f}ms",
                http.method, http.path, status, ms);
}

// Answers one request. Shares ROUTES, because the handler may be destroyed while this coroutine
// runs.
Co<void> Serve(std::shared_ptr<const std::vector<Route>> routes, const ApiAgent* agent,
               Entrance entrance, HttpExchange* exchange) {
  const TimePoint began = exchange->loop()->Now();
  Answer answer = co_await Dispatch(routes.get(), agent, entrance, exchange);
  const std::string& body = exchange->request().body;
  if (body.size() > kLargeTree / 8) GiveBackMemory(body);
  if (answer.streamed) co_return;
  Note(*agent, exchange, answer.reply.status, exchange->loop()->Now() - began);
  HttpReply reply = Finish(exchange->request(), std::move(answer));
  const bool large = reply.body.size() >= kLargeReply;
  (void)co_await exchange->Reply(std::move(reply));
  if (large) malloc_trim(0);
}

}  // namespace

HttpHandler MakeApiHandler(const ApiAgent* agent, Entrance entrance) {
  const auto routes = std::make_shared<const std::vector<Route>>(AllRoutes());
  return [agent, entrance, routes](HttpExchange* exchange) {
    return Serve(routes, agent, entrance, exchange);
  };
}

}  // namespace drover
