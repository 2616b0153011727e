// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/api_client.h"

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "host/cli/api_streams.h"
#include "host/cli/curl_request.h"
#include "host/cli/websocket_client.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 200;
constexpr long kReadSeconds = 60;  // beyond what a read waits for something newer

void FromEnvironment(std::string* value, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* text = value->empty() ? std::getenv(name) : nullptr;
    if (text != nullptr) *value = text;
  }
}

}  // namespace

Result<ClientOptions> WithEnvironment(ClientOptions options) {
  FromEnvironment(&options.address, {"DROVER_ADDR", "NOMAD_ADDR"});
  FromEnvironment(&options.token, {"DROVER_TOKEN", "NOMAD_TOKEN"});
  FromEnvironment(&options.job_namespace, {"DROVER_NAMESPACE", "NOMAD_NAMESPACE"});
  FromEnvironment(&options.ca_cert, {"NOMAD_CACERT"});
  FromEnvironment(&options.ca_path, {"NOMAD_CAPATH"});
  FromEnvironment(&options.client_cert, {"NOMAD_CLIENT_CERT"});
  FromEnvironment(&options.client_key, {"NOMAD_CLIENT_KEY"});
  std::string skip;
  FromEnvironment(&skip, {"NOMAD_SKIP_VERIFY"});
  if (skip == "1" || skip == "true") options.tls_skip_verify = true;
  if (options.address.empty()) options.address = "http://127.0.0.1:4646";
  while (options.address.ends_with('/')) options.address.pop_back();
  for (const char* scheme : {"http://", "https://", "unix:///"}) {
    if (options.address.starts_with(scheme) && options.address.size() > std::strlen(scheme)) {
      return options;
    }
  }
  return Error(Code::kInvalidArgument, "the address \"" + options.address +
                                           "\" does not begin with http://, https:// or unix:///: "
                                           "see --address and DROVER_ADDR");
}

std::string ApiPath(const std::string& base, const std::string& id, const std::string& rest) {
  return base + "/" + UrlEscaped(id) + rest;
}

class ApiClient::Connection {
 public:
  Connection(CurlLibrary curl, ClientOptions options) : curl_(curl), options_(std::move(options)) {
    handle_ = curl_.init();
  }
  ~Connection() { curl_.cleanup(handle_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const CurlLibrary& curl() const { return curl_; }
  const ClientOptions& options() const { return options_; }

  // SECONDS: 0 for as long as it takes. BODY: null for none. TAKE: null keeps what is answered.
  Result<CurlReply> Ask(const char* method, const std::string& path, const Query& query,
                        const std::string* body, long seconds, const TakeBytes* take = nullptr) {
    if (handle_ == nullptr) return CurlRequest::NoMemory();
    CurlRequest request(&curl_, handle_, &options_);
    if (take != nullptr) request.SetTake(*take);
    if (body != nullptr) request.SetBody(*body);
    request.Prepare(method, path, query, seconds);
    return request.Finish(curl_.perform(handle_));
  }

  Result<std::unique_ptr<WebSocketClient>> OpenWebSocket(const std::string& path,
                                                         const Query& query) {
    if (handle_ == nullptr) return CurlRequest::NoMemory();
    {
      CurlRequest request(&curl_, handle_, &options_);
      DROVER_TRY(request.Connect());
    }
    auto socket = std::make_unique<WebSocketClient>(curl_, handle_);
    handle_ = curl_.init();  // for what is asked next
    const std::string url = ApiUrl(options_, "", {});
    const std::string token = options_.token.empty() ? "" : "X-Nomad-Token: " + options_.token;
    DROVER_TRY(socket->Open(url.substr(url.find("://") + 3),
                            ApiUrl(options_, path, query).substr(url.size()),
                            token + (token.empty() ? "" : "\r\n")));
    return socket;
  }

 private:
  const CurlLibrary curl_;
  const ClientOptions options_;
  CURL* handle_ = nullptr;
};

namespace {

std::string TextOf(const json& body) {
  return body.is_null() ? "" : body.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<json> Decoded(const std::string& address, const CurlReply& reply) {
  if (reply.body.empty()) return json(nullptr);
  // What is nested deeper is dropped: printing it would cost stack.
  const auto keep = [](int depth, json::parse_event_t, const json&) { return depth < kMaxDepth; };
  json body = json::parse(reply.body, keep, false);
  if (!body.is_discarded()) return body;
  return Error(Code::kInternal, "the answer of " + address + " is no JSON: is it an agent?");
}

}  // namespace

Result<ApiClient> ApiClient::Create(const ClientOptions& options) {
  DROVER_ASSIGN(ClientOptions complete, WithEnvironment(options));
  DROVER_ASSIGN(const CurlLibrary curl, CurlLibrary::Load());
  return ApiClient(std::make_unique<Connection>(curl, std::move(complete)));
}

ApiClient::ApiClient(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
ApiClient::ApiClient(ApiClient&&) noexcept = default;
ApiClient::~ApiClient() = default;

Result<json> ApiClient::Get(const std::string& path, Query query, std::uint64_t* index,
                            Duration wait) {
  long seconds = kReadSeconds;
  if (index != nullptr && *index > 0) {
    query.emplace_back("index", std::to_string(*index));
    query.emplace_back("wait", FormatDuration(wait));
    seconds += 2 * std::chrono::duration_cast<std::chrono::seconds>(wait).count();
  }
  DROVER_ASSIGN(const CurlReply reply, connection_->Ask("GET", path, query, nullptr, seconds));
  if (index != nullptr && reply.index == 0) {
    // Whoever waits for what is newer would ask again at once, for ever.
    return Error(Code::kInternal, "the answer of " + options().address + " to " + path +
                                      " has no X-Nomad-Index: is it an agent?");
  }
  if (index != nullptr) *index = reply.index;
  return Decoded(options().address, reply);
}

Result<json> ApiClient::Put(const std::string& path, const json& body, Query query) {
  const std::string text = TextOf(body);
  DROVER_ASSIGN(const CurlReply reply, connection_->Ask("PUT", path, query, &text, 0));
  return Decoded(options().address, reply);
}

Result<json> ApiClient::Delete(const std::string& path, Query query) {
  DROVER_ASSIGN(const CurlReply reply, connection_->Ask("DELETE", path, query, nullptr, 0));
  return Decoded(options().address, reply);
}

Result<json> ApiClient::DeleteThose(const std::string& path, const json& body, Query query) {
  const std::string text = TextOf(body);
  DROVER_ASSIGN(const CurlReply reply, connection_->Ask("DELETE", path, query, &text, 0));
  return Decoded(options().address, reply);
}

Status ApiClient::Stream(const std::string& path, Query query, const TakeBytes& take) {
  DROVER_TRY(connection_->Ask("GET", path, query, nullptr, 0, &take));
  return {};
}

Result<std::unique_ptr<WebSocketClient>> ApiClient::OpenWebSocket(const std::string& path,
                                                                  Query query) {
  return connection_->OpenWebSocket(path, query);
}

std::string ApiClient::SearchedNamespace() const {
  return options().job_namespace.empty() ? "*" : options().job_namespace;
}

Result<ApiStreams> ApiClient::OpenStreams() const {
  return ApiStreams::Create(connection_->curl(), options());
}

const ClientOptions& ApiClient::options() const { return connection_->options(); }

}  // namespace drover
