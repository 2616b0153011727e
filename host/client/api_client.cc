// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/api_client.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/client/api_streams.h"
#include "host/client/loop_wait.h"
#include "host/client/websocket_client.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 200;
// The time limit of a GET. If the GET waits for a newer index, its limit is this time plus twice
// the time of the wait.
constexpr Duration kReadTime = 60s;

// Sets DONE when the reply is kept.
Co<void> Keep(HttpClient* http, Context context, ClientRequest request,
              std::optional<Result<ClientReply>>* reply, Event* done) {
  *reply = co_await http->Ask(context, std::move(request));
  done->Set();
}

Result<json> Decoded(const std::string& address, const ClientReply& reply) {
  if (reply.body.empty()) return json(nullptr);
  // Drops the parts of the JSON that are nested too deeply to be printed with a small stack.
  const auto keep = [](int depth, json::parse_event_t, const json&) { return depth < kMaxDepth; };
  json body = json::parse(reply.body, keep, false);
  if (!body.is_discarded()) return body;
  return Error(Code::kInternal, "the answer of " + address + " is no JSON: is it an agent?");
}

}  // namespace

// The connection of an ApiClient. Its loop runs only while a request waits.
class ApiClient::Connection {
 public:
  explicit Connection(std::shared_ptr<const Endpoint> to)
      : endpoint(std::move(to)), http_(endpoint) {}

  // Sends REQUEST and returns its reply. If MOST is not given, waits as long as the agent needs.
  Result<ClientReply> Ask(ClientRequest request, std::optional<Duration> most = std::nullopt) {
    DROVER_TRY(CheckRegion());
    return Send(std::move(request), most);
  }

  // Fails if the options name a region and the agent belongs to another one. Asks the agent once.
  Status CheckRegion() {
    const std::string& wanted = endpoint->options().region;
    if (wanted.empty() || region_is_right_) return {};
    const std::string& address = endpoint->options().address;
    ClientRequest request;
    request.path = "/v1/regions";
    DROVER_ASSIGN(const ClientReply reply, Send(std::move(request), kReadTime));
    DROVER_ASSIGN(const json regions, Decoded(address, reply));
    const bool one = regions.is_array() && regions.size() == 1 && regions[0].is_string();
    if (!one) {
      return Error(Code::kInternal,
                   "the answer of " + address + " to /v1/regions names no single region");
    }
    const std::string region = regions[0].get<std::string>();
    region_is_right_ = region == wanted;
    if (region_is_right_) return {};
    return Error(Code::kInvalidArgument, "the agent at " + address + " is in the region \"" +
                                             region + "\", not in \"" + wanted +
                                             "\": see --region and NOMAD_REGION");
  }

  void Watch(int fd, std::function<bool()> stops, Duration most) {
    watched_ = fd;
    stops_ = std::move(stops);
    watched_most_ = most;
  }

  const std::shared_ptr<const Endpoint> endpoint;

 private:
  Result<ClientReply> Send(ClientRequest request, std::optional<Duration> most) {
    if (watched_ >= 0) return SendWatched(std::move(request), most);
    Context context(&loop_);
    if (most) context = context.WithTimeout(*most);
    std::optional<Result<ClientReply>> reply;
    Event done(&loop_);
    loop_.RunToEnd(Keep(&http_, context, std::move(request), &reply, &done), kForever);
    return *std::move(reply);
  }

  Result<ClientReply> SendWatched(ClientRequest request, std::optional<Duration> most) {
    const bool changes = request.method != "GET";
    Duration left = std::min(most.value_or(watched_most_), watched_most_);
    Context context(&loop_);
    std::optional<Result<ClientReply>> reply;
    Event done(&loop_);
    Gate gate(&loop_);
    gate.Spawn(Keep(&http_, context, std::move(request), &reply, &done));
    bool late = false;
    while (!reply) {
      const TimePoint began = loop_.Now();
      const Status waited = RunUntil(&loop_, &done, {watched_}, left);
      left -= loop_.Now() - began;
      if (reply) break;
      late = waited.ok() && left <= 0s;
      if (!waited.ok() || late || stops_()) context.Cancel();
      if (context.cancelled()) break;
    }
    loop_.RunToEnd(gate.Close(), kForever);
    if (!late || reply->ok()) return *std::move(reply);
    return endpoint->Unreachable(
        std::string("it has not answered in time") +
            (changes ? ", and it is unknown whether the request was carried out" : ""),
        Code::kTimeout);
  }

  bool region_is_right_ = false;
  int watched_ = -1;  // what Watch has set
  std::function<bool()> stops_;
  Duration watched_most_{0};
  RealLoop loop_;
  HttpClient http_;
};

Result<ApiClient> ApiClient::Create(const ClientOptions& options) {
  DROVER_ASSIGN(ClientOptions complete, WithEnvironment(options));
  DROVER_ASSIGN(std::shared_ptr<const Endpoint> endpoint, Endpoint::Create(std::move(complete)));
  return ApiClient(std::make_unique<Connection>(std::move(endpoint)));
}

ApiClient::ApiClient(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
ApiClient::ApiClient(ApiClient&&) noexcept = default;
ApiClient::~ApiClient() = default;

Result<json> ApiClient::Get(const std::string& path, Query query, std::uint64_t* index,
                            Duration wait) {
  Duration most = kReadTime;
  if (index != nullptr && *index > 0) {
    query.emplace_back("index", std::to_string(*index));
    query.emplace_back("wait", FormatDuration(wait));
    most += 2 * wait;
  }
  ClientRequest request;
  request.path = path;
  request.query = std::move(query);
  DROVER_ASSIGN(const ClientReply reply, connection_->Ask(std::move(request), most));
  if (index != nullptr && reply.index == 0) {
    // An answer without an index is an error. Otherwise a caller that waits for a newer index would
    // send one request after another without a pause.
    return Error(Code::kInternal, "the answer of " + options().address + " to " + path +
                                      " has no X-Nomad-Index: is it an agent?");
  }
  if (index != nullptr) *index = reply.index;
  return Decoded(options().address, reply);
}

Result<json> ApiClient::GetPage(const std::string& path, Query query, std::string* next) {
  ClientRequest request;
  request.path = path;
  request.query = std::move(query);
  DROVER_ASSIGN(const ClientReply reply, connection_->Ask(std::move(request), kReadTime));
  *next = reply.next_token;
  return Decoded(options().address, reply);
}

Result<json> ApiClient::Change(const char* method, const std::string& path, const json* body,
                               Query query) {
  ClientRequest request;
  request.method = method;
  request.path = path;
  request.query = std::move(query);
  if (body != nullptr) {
    request.body =
        body->is_null() ? "" : body->dump(-1, ' ', false, json::error_handler_t::replace);
  }
  DROVER_ASSIGN(const ClientReply reply, connection_->Ask(std::move(request)));
  return Decoded(options().address, reply);
}

Result<json> ApiClient::Put(const std::string& path, const json& body, Query query) {
  return Change("PUT", path, &body, std::move(query));
}

Result<json> ApiClient::Delete(const std::string& path, Query query) {
  return Change("DELETE", path, nullptr, std::move(query));
}

Result<json> ApiClient::DeleteThose(const std::string& path, const json& body, Query query) {
  return Change("DELETE", path, &body, std::move(query));
}

Status ApiClient::Stream(const std::string& path, Query query, const TakeBytes& take) {
  ClientRequest request;
  request.path = path;
  request.query = std::move(query);
  request.take = take;
  DROVER_TRY(connection_->Ask(std::move(request)));
  return {};
}

Result<ClientReply> ApiClient::Send(ClientRequest request) {
  return connection_->Ask(std::move(request));
}

Result<std::unique_ptr<WebSocketClient>> ApiClient::OpenWebSocket(const std::string& path,
                                                                  const Query& query) {
  DROVER_TRY(connection_->CheckRegion());
  return WebSocketClient::Open(*connection_->endpoint, WithQuery(path, query));
}

Result<ApiStreams> ApiClient::OpenStreams() const {
  DROVER_TRY(connection_->CheckRegion());
  return ApiStreams(connection_->endpoint);
}

void ApiClient::Watch(int fd, std::function<bool()> stops, Duration most) {
  connection_->Watch(fd, std::move(stops), most);
}

std::string ApiClient::SearchedNamespace() const {
  return options().job_namespace.empty() ? "*" : options().job_namespace;
}

const ClientOptions& ApiClient::options() const { return connection_->endpoint->options(); }

}  // namespace drover
