// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/curl_request.h"

#include <strings.h>

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace drover {
namespace {

constexpr std::size_t kMaxReply = std::size_t{1} << 30;
constexpr long kConnectSeconds = 10;

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

// Hosts that are reached without a proxy: this one, and those that the user names.
std::string WithoutProxy() {
  constexpr char kThisHost[] = "localhost,127.0.0.1,::1";
  for (const char* name : {"no_proxy", "NO_PROXY"}) {
    const char* hosts = std::getenv(name);
    if (hosts != nullptr && *hosts != '\0') return std::string(hosts) + "," + kThisHost;
  }
  return kThisHost;
}

}  // namespace

std::string UrlEscaped(std::string_view text) {
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

std::string ApiUrl(const ClientOptions& options, const std::string& path, const Query& query) {
  const bool socket = options.address.starts_with("unix://");
  std::string url = (socket ? "http://localhost" : options.address) + path;
  char separator = '?';
  for (const auto& [name, value] : query) {
    url += separator + name + "=" + UrlEscaped(value);
    separator = '&';
  }
  return url;
}

Error CurlRequest::NoMemory() {
  return Error(Code::kResourceExhausted, "libcurl is out of memory");
}

CurlRequest::CurlRequest(const CurlLibrary* curl, CURL* handle, const ClientOptions* options)
    : curl_(curl), handle_(handle), options_(options) {
  curl_->reset(handle_);
}

CurlRequest::~CurlRequest() {
  Set(CURLOPT_ERRORBUFFER, nullptr);
  curl_->slist_free_all(headers_);
}

void CurlRequest::SetBody(std::string body) {
  body_ = std::move(body);
  has_body_ = true;
}

void CurlRequest::SetConnection() {
  Set(CURLOPT_NOSIGNAL, 1L);
  Set(CURLOPT_PROTOCOLS_STR, "http,https");
  Set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  Set(CURLOPT_TCP_KEEPALIVE, 1L);
  Set(CURLOPT_NOPROXY, WithoutProxy().c_str());
  Set(CURLOPT_ERRORBUFFER, complaint_);
  if (IsSocket()) {
    Set(CURLOPT_UNIX_SOCKET_PATH, options_->address.c_str() + std::strlen("unix://"));
  }
  const auto set_file = [&](CURLoption option, const std::string& file) {
    if (!file.empty()) Set(option, file.c_str());
  };
  set_file(CURLOPT_CAINFO, options_->ca_cert);
  set_file(CURLOPT_CAPATH, options_->ca_path);
  set_file(CURLOPT_SSLCERT, options_->client_cert);
  set_file(CURLOPT_SSLKEY, options_->client_key);
  if (options_->tls_skip_verify) {
    Set(CURLOPT_SSL_VERIFYPEER, 0L);
    Set(CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

void CurlRequest::Prepare(const char* method, const std::string& path, const Query& query,
                          long seconds) {
  what_ = std::string(method) + " " + path;
  const auto add = [&](const std::string& line) {
    headers_ = curl_->slist_append(headers_, line.c_str());
  };
  add("Accept: application/json");
  add("Expect:");
  if (has_body_) add("Content-Type: application/json");
  if (!options_->token.empty()) add("X-Nomad-Token: " + options_->token);
  SetConnection();
  Set(CURLOPT_URL, ApiUrl(*options_, path, query).c_str());
  Set(CURLOPT_CUSTOMREQUEST, method);
  Set(CURLOPT_HTTPHEADER, headers_);
  Set(CURLOPT_TIMEOUT, seconds);
  Set(CURLOPT_WRITEFUNCTION, &OnBody);
  Set(CURLOPT_WRITEDATA, this);
  Set(CURLOPT_HEADERFUNCTION, &OnHeader);
  Set(CURLOPT_HEADERDATA, this);
  if (has_body_) {
    Set(CURLOPT_POSTFIELDS, body_.data());
    Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
  }
}

Result<CurlReply> CurlRequest::Finish(CURLcode code) {
  if (code != CURLE_OK) return Unreachable(code);
  long status = 0;
  curl_->getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  if (status >= 200 && status < 300) return std::move(reply_);
  return Refused(status);
}

Status CurlRequest::Connect() {
  SetConnection();
  Set(CURLOPT_URL, ApiUrl(*options_, "", {}).c_str());
  Set(CURLOPT_CONNECT_ONLY, 1L);
  Set(CURLOPT_FRESH_CONNECT, 1L);
  Set(CURLOPT_HTTPPROXYTUNNEL, 1L);
  Set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  const CURLcode code = curl_->perform(handle_);
  if (code != CURLE_OK) return Unreachable(code);
  return {};
}

std::size_t CurlRequest::OnBody(char* data, std::size_t, std::size_t size, void* to) {
  auto* const self = static_cast<CurlRequest*>(to);
  if (self->take_ && self->success_) {
    self->take_(std::string_view(data, size));
    return size;
  }
  std::string& body = self->reply_.body;
  if (body.size() + size > kMaxReply) return 0;  // ends the transfer
  body.append(data, size);
  return size;
}

std::size_t CurlRequest::OnHeader(char* data, std::size_t, std::size_t size, void* to) {
  constexpr std::string_view kName = "X-Nomad-Index:";
  auto* const self = static_cast<CurlRequest*>(to);
  const std::string_view line(data, size);
  if (line.starts_with("HTTP/")) {
    const std::size_t space = line.find(' ');
    self->success_ = space != std::string_view::npos && line.substr(space + 1, 1) == "2";
  }
  if (line.size() > kName.size() && strncasecmp(data, kName.data(), kName.size()) == 0) {
    std::string_view value = line.substr(kName.size());
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    std::from_chars(value.data(), value.data() + value.size(), self->reply_.index);
  }
  return size;
}

Error CurlRequest::Unreachable(CURLcode code) const {
  const std::string text = "cannot reach " + options_->address + ": ";
  if (code == CURLE_COULDNT_CONNECT) {
    long number = 0;
    curl_->getinfo(handle_, CURLINFO_OS_ERRNO, &number);
    const std::string why = number == 0 ? complaint_ : std::strerror(static_cast<int>(number));
    return Error(Code::kUnavailable,
                 text + why + ": is an agent running? drover agent --dev starts one", true);
  }
  if (code == CURLE_WRITE_ERROR) {
    return Error(Code::kResourceExhausted, text + "its answer is larger than 1 GiB");
  }
  const bool timed_out = code == CURLE_OPERATION_TIMEDOUT;
  return Error(timed_out ? Code::kTimeout : Code::kUnavailable,
               text + (*complaint_ != '\0' ? complaint_ : curl_->strerror(code)), timed_out);
}

Error CurlRequest::Refused(long status) const {
  std::string text = reply_.body;
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.pop_back();
  }
  if (status == 403) text += ": see --token and NOMAD_TOKEN";
  if (text.empty()) {
    text = what_ + ": HTTP status " + std::to_string(status) + " from " + options_->address +
           ": is it an agent?";
  }
  return Error(CodeOf(status), text);
}

}  // namespace drover
