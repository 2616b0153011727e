// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/api_client.h"

#include <strings.h>

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "host/cli/curl_library.h"
#include "host/cli/websocket_client.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxReply = std::size_t{1} << 30;
constexpr int kMaxDepth = 200;
constexpr long kConnectSeconds = 10;
constexpr long kReadSeconds = 60;  // beyond what a read waits for something newer

void FromEnvironment(std::string* value, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* text = value->empty() ? std::getenv(name) : nullptr;
    if (text != nullptr) *value = text;
  }
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::strchr("-._~", c) != nullptr) {
      out += c;
    } else {
      constexpr char kDigits[] = "0123456789ABCDEF";
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

Code CodeOf(long status) {
  switch (status) {
    case 400:
      return Code::kInvalidArgument;
    case 401:
    case 403:
      return Code::kPermissionDenied;
    case 404:
      return Code::kNotFound;
    case 501:
      return Code::kUnimplemented;
    default:
      return Code::kInternal;
  }
}

using Take = std::function<void(std::string_view)>;

struct Reply {
  std::string body;
  std::uint64_t index = 0;
  const Take* take = nullptr;  // who gets the body of a success; null: it is kept
  bool success = false;        // as the first line says
};

std::size_t TakeBody(char* data, std::size_t, std::size_t size, void* to) {
  auto* const reply = static_cast<Reply*>(to);
  if (reply->take != nullptr && reply->success) {
    (*reply->take)(std::string_view(data, size));
    return size;
  }
  std::string& body = reply->body;
  if (body.size() + size > kMaxReply) return 0;  // ends the transfer
  body.append(data, size);
  return size;
}

std::size_t TakeHeader(char* data, std::size_t, std::size_t size, void* to) {
  constexpr std::string_view kName = "X-Nomad-Index:";
  auto* const reply = static_cast<Reply*>(to);
  const std::string_view line(data, size);
  if (line.starts_with("HTTP/")) {
    const std::size_t space = line.find(' ');
    reply->success = space != std::string_view::npos && line.substr(space + 1, 1) == "2";
  }
  if (line.size() > kName.size() && strncasecmp(data, kName.data(), kName.size()) == 0) {
    std::string_view value = line.substr(kName.size());
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    std::from_chars(value.data(), value.data() + value.size(), reply->index);
  }
  return size;
}

// Hosts that are reached without a proxy: this one, and those that the user names.
std::string WithoutProxy() {
  std::string hosts;
  FromEnvironment(&hosts, {"no_proxy", "NO_PROXY"});
  return hosts + (hosts.empty() ? "" : ",") + "localhost,127.0.0.1,::1";
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
  return base + "/" + Escaped(id) + rest;
}

class ApiClient::Connection {
 public:
  Connection(CurlLibrary curl, ClientOptions options) : curl_(curl), options_(std::move(options)) {
    handle_ = curl_.init();
  }
  ~Connection() { curl_.cleanup(handle_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const ClientOptions& options() const { return options_; }

  // SECONDS: 0 for as long as it takes. BODY: null for none. TAKE: null keeps what is answered.
  Result<Reply> Ask(const char* method, const std::string& path, const Query& query,
                    const std::string* body, long seconds, const Take* take = nullptr) {
    if (handle_ == nullptr) return Error(Code::kResourceExhausted, "libcurl is out of memory");
    curl_.reset(handle_);  // connections stay open
    Reply reply;
    reply.take = take;
    char complaint[CURL_ERROR_SIZE] = "";
    const std::string url = Url(path, query);
    curl_slist* headers = Headers(body != nullptr);
    SetConnection();
    Set(CURLOPT_URL, url.c_str());
    Set(CURLOPT_CUSTOMREQUEST, method);
    Set(CURLOPT_HTTPHEADER, headers);
    Set(CURLOPT_ERRORBUFFER, complaint);
    Set(CURLOPT_TIMEOUT, seconds);
    Set(CURLOPT_WRITEFUNCTION, &TakeBody);
    Set(CURLOPT_WRITEDATA, &reply);
    Set(CURLOPT_HEADERFUNCTION, &TakeHeader);
    Set(CURLOPT_HEADERDATA, &reply);
    if (body != nullptr) {
      Set(CURLOPT_POSTFIELDS, body->data());
      Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body->size()));
    }
    const CURLcode code = curl_.perform(handle_);
    curl_.slist_free_all(headers);
    if (code != CURLE_OK) return Unreachable(code, complaint);
    long status = 0;
    curl_.getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200 && status < 300) return reply;
    return Refused(method, path, status, std::move(reply.body));
  }

  Result<std::unique_ptr<WebSocketClient>> OpenWebSocket(const std::string& path,
                                                         const Query& query) {
    if (handle_ == nullptr) return Error(Code::kResourceExhausted, "libcurl is out of memory");
    curl_.reset(handle_);
    char complaint[CURL_ERROR_SIZE] = "";
    const std::string url = Url("", {});
    SetConnection();
    Set(CURLOPT_URL, url.c_str());
    Set(CURLOPT_ERRORBUFFER, complaint);
    Set(CURLOPT_CONNECT_ONLY, 1L);
    Set(CURLOPT_FRESH_CONNECT, 1L);
    Set(CURLOPT_HTTPPROXYTUNNEL, 1L);
    Set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    const CURLcode code = curl_.perform(handle_);
    if (code != CURLE_OK) return Unreachable(code, complaint);
    Set(CURLOPT_ERRORBUFFER, nullptr);
    auto socket = std::make_unique<WebSocketClient>(curl_, handle_);
    handle_ = curl_.init();  // for what is asked next
    const std::string token = options_.token.empty() ? "" : "X-Nomad-Token: " + options_.token;
    DROVER_TRY(socket->Open(url.substr(url.find("://") + 3), Url(path, query).substr(url.size()),
                            token + (token.empty() ? "" : "\r\n")));
    return socket;
  }

 private:
  template <typename Value>
  void Set(CURLoption option, Value value) {
    curl_.setopt(handle_, option, value);
  }

  void SetConnection() {
    Set(CURLOPT_NOSIGNAL, 1L);
    Set(CURLOPT_PROTOCOLS_STR, "http,https");
    Set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    Set(CURLOPT_TCP_KEEPALIVE, 1L);
    Set(CURLOPT_NOPROXY, WithoutProxy().c_str());
    if (IsSocket())
      Set(CURLOPT_UNIX_SOCKET_PATH, options_.address.c_str() + std::strlen("unix://"));
    const auto set_file = [&](CURLoption option, const std::string& file) {
      if (!file.empty()) Set(option, file.c_str());
    };
    set_file(CURLOPT_CAINFO, options_.ca_cert);
    set_file(CURLOPT_CAPATH, options_.ca_path);
    set_file(CURLOPT_SSLCERT, options_.client_cert);
    set_file(CURLOPT_SSLKEY, options_.client_key);
    if (options_.tls_skip_verify) {
      Set(CURLOPT_SSL_VERIFYPEER, 0L);
      Set(CURLOPT_SSL_VERIFYHOST, 0L);
    }
  }

  curl_slist* Headers(bool with_body) const {
    curl_slist* headers = nullptr;
    const auto add = [&](const std::string& line) {
      headers = curl_.slist_append(headers, line.c_str());
    };
    add("Accept: application/json");
    add("Expect:");
    if (with_body) add("Content-Type: application/json");
    if (!options_.token.empty()) add("X-Nomad-Token: " + options_.token);
    return headers;
  }

  bool IsSocket() const { return options_.address.starts_with("unix://"); }

  std::string Url(const std::string& path, const Query& query) const {
    std::string url = (IsSocket() ? "http://localhost" : options_.address) + path;
    char separator = '?';
    for (const auto& [name, value] : query) {
      url += separator + name + "=" + Escaped(value);
      separator = '&';
    }
    return url;
  }

  Error Unreachable(CURLcode code, const char* complaint) const {
    const std::string text = "cannot reach " + options_.address + ": ";
    if (code == CURLE_COULDNT_CONNECT) {
      long number = 0;
      curl_.getinfo(handle_, CURLINFO_OS_ERRNO, &number);
      const std::string why = number == 0 ? complaint : std::strerror(static_cast<int>(number));
      return Error(Code::kUnavailable,
                   text + why + ": is an agent running? drover agent --dev starts one", true);
    }
    if (code == CURLE_WRITE_ERROR) {
      return Error(Code::kResourceExhausted, text + "its answer is larger than 1 GiB");
    }
    const bool timed_out = code == CURLE_OPERATION_TIMEDOUT;
    return Error(timed_out ? Code::kTimeout : Code::kUnavailable,
                 text + (*complaint != '\0' ? complaint : curl_.strerror(code)), timed_out);
  }

  Error Refused(const char* method, const std::string& path, long status, std::string text) const {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
      text.pop_back();
    }
    if (status == 403) text += ": see --token and NOMAD_TOKEN";
    if (text.empty()) {
      text = std::string(method) + " " + path + ": HTTP status " + std::to_string(status) +
             " from " + options_.address + ": is it an agent?";
    }
    return Error(CodeOf(status), text);
  }

  const CurlLibrary curl_;
  const ClientOptions options_;
  CURL* handle_ = nullptr;
};

namespace {

Result<json> Decoded(const std::string& address, const Reply& reply) {
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
  DROVER_ASSIGN(const Reply reply, connection_->Ask("GET", path, query, nullptr, seconds));
  if (index != nullptr) *index = reply.index;
  return Decoded(options().address, reply);
}

Result<json> ApiClient::Put(const std::string& path, const json& body, Query query) {
  const std::string text =
      body.is_null() ? "" : body.dump(-1, ' ', false, json::error_handler_t::replace);
  DROVER_ASSIGN(const Reply reply, connection_->Ask("PUT", path, query, &text, 0));
  return Decoded(options().address, reply);
}

Result<json> ApiClient::Delete(const std::string& path, Query query) {
  DROVER_ASSIGN(const Reply reply, connection_->Ask("DELETE", path, query, nullptr, 0));
  return Decoded(options().address, reply);
}

Status ApiClient::Stream(const std::string& path, Query query, const Take& take) {
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

const ClientOptions& ApiClient::options() const { return connection_->options(); }

}  // namespace drover
