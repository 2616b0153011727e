// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/http_download.h"

#include <memory>
#include <utility>
#include <vector>

#include "host/base/base64.h"
#include "host/base/context.h"
#include "host/base/loop.h"
#include "host/base/text.h"
#include "host/client/endpoint.h"
#include "host/client/http_client.h"
#include "host/http/http_message.h"

namespace drover {
namespace {

constexpr int kMostRedirects = 10;
constexpr char kNoLocation[] = "redirects to nowhere";

bool IsRedirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

const std::string* HeaderOf(const ReplyHead& head, std::string_view name) {
  for (const auto& [field, value] : head.headers) {
    if (EqualsIgnoringCase(field, name)) return &value;
  }
  return nullptr;
}

// What one server has answered.
struct HttpAnswer {
  int status = 0;
  std::string location;
  Status taken;  // an error of HttpDownload::take
};

// Any other success has no file, or only a part of one, as none was asked for.
bool HasFile(const HttpAnswer& answer) { return answer.status == 200; }

class HttpDownloader {
 public:
  HttpDownloader(Loop* loop, HttpDownload download)
      : loop_(loop), download_(std::move(download)), origin_(download_.url.Origin()) {}

  static Co<void> Run(HttpDownloader* self, Status* done) { *done = co_await self->Follow(); }

 private:
  Co<Status> Follow() {
    const Context whole(loop_);
    const Context context = whole.WithTimeout(download_.limit);
    for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
      DROVER_CO_ASSIGN(const HttpAnswer answer, co_await Ask(context));
      DROVER_CO_TRY(answer.taken);
      if (HasFile(answer)) co_return Status();
      if (!IsRedirect(answer.status)) {
        co_return Fail("the server answers with status " + std::to_string(answer.status));
      }
      Result<SourceUrl> next = RedirectedUrl(download_.url, answer.location);
      if (!next.ok()) co_return Fail("the server " + next.error().message());
      download_.url = std::move(*next);
    }
    co_return Fail("the server redirects more than " + std::to_string(kMostRedirects) + " times");
  }

  Co<Result<HttpAnswer>> Ask(Context context) {
    ClientOptions options;
    options.address = download_.url.Origin();
    options.tls_skip_verify = download_.insecure;
    options.advice = "does the server run?";
    options.uses_proxy = true;
    DROVER_CO_ASSIGN(std::shared_ptr<const Endpoint> endpoint, Endpoint::Create(options));
    DROVER_CO_ASSIGN(ClientRequest request, MakeRequest());
    HttpAnswer answer;
    Context asking = context.Child();
    request.take_head = [&](const ReplyHead& head) { TakeHead(head, &answer); };
    request.take = [&](std::string_view bytes) {
      if (HasFile(answer) && answer.taken.ok()) answer.taken = download_.take(bytes);
      // The body of any other answer is of no use.
      if (!HasFile(answer) || !answer.taken.ok()) asking.Cancel("the body is not needed");
    };
    HttpClient client(endpoint);
    const Result<ClientReply> reply = co_await client.Ask(asking, std::move(request));
    const bool needs_body = answer.status == 0 || HasFile(answer);
    if (!reply.ok() && answer.taken.ok() && needs_body) co_return reply.error();
    co_return answer;
  }

  Result<ClientRequest> MakeRequest() const {
    const SourceUrl& url = download_.url;
    ClientRequest request;
    const std::string path = url.EscapedPath();
    const std::string query = url.QueryText();
    request.path = (path.starts_with('/') ? "" : "/") + path + (query.empty() ? "" : "?" + query);
    request.headers = {{"Accept", "*/*"}, {"User-Agent", "Drover"}};
    if (url.Origin() != origin_) return request;
    if (!url.user.empty()) {
      DROVER_ASSIGN(std::string authorization, BasicAuthorization(url));
      request.headers.emplace_back("Authorization", std::move(authorization));
    }
    for (const auto& [name, value] : download_.headers) {
      // The value may hold what a variable has, such as the metadata of a dispatch.
      if (value.find_first_of(std::string_view("\r\n\0", 3)) != value.npos) {
        return Error(Code::kInvalidArgument, "the header " + name + " has more than one line");
      }
      std::erase_if(request.headers, [&wanted = name](const auto& field) {
        return EqualsIgnoringCase(field.first, wanted);
      });
      request.headers.emplace_back(name, value);
    }
    return request;
  }

  void TakeHead(const ReplyHead& head, HttpAnswer* answer) {
    answer->status = head.status;
    if (const std::string* location = HeaderOf(head, "Location")) answer->location = *location;
    const std::string* const length = HeaderOf(head, "Content-Length");
    if (!HasFile(*answer) || length == nullptr || !download_.take_size) return;
    if (const auto size = ParseNumber<std::uint64_t>(*length)) download_.take_size(*size);
  }

  Error Fail(const std::string& why) const {
    return Error(Code::kUnavailable, download_.url.Shown() + ": " + why, true);
  }

  Loop* const loop_;
  HttpDownload download_;
  const std::string origin_;
};

}  // namespace

Result<std::string> BasicAuthorization(const SourceUrl& url) {
  DROVER_ASSIGN(std::string user, PercentDecode(url.user));
  if (url.user.find(':') == std::string::npos) user += ':';
  return "Basic " + Base64(user);
}

Result<SourceUrl> RedirectedUrl(const SourceUrl& url, const std::string& location) {
  const Error nowhere(Code::kUnavailable, kNoLocation, true);
  if (location.empty()) return nowhere;
  Result<SourceUrl> next = ParseSourceUrl(location);
  if (!next.ok() || next->opaque) return nowhere;
  if (next->scheme.empty()) next->scheme = url.scheme;
  if (next->host.empty()) {
    next->host = url.host;
    next->user = url.user;
    if (!next->path.starts_with('/')) {
      next->path = url.path.substr(0, url.path.rfind('/') + 1) + next->path;
      next->raw_path = url.raw_path.substr(0, url.raw_path.rfind('/') + 1) + next->raw_path;
    }
  }
  next->fragment.clear();
  if (next->scheme != "http" && next->scheme != "https") {
    return Error(Code::kUnavailable, "redirects to the scheme \"" + next->scheme + "\"", true);
  }
  if (url.scheme == "https" && next->scheme == "http") {
    return Error(Code::kUnavailable, "redirects from https to http, which is not followed", true);
  }
  return next;
}

Status DownloadByHttp(HttpDownload download) {
  RealLoop loop;
  const Duration limit = download.limit;
  HttpDownloader downloader(&loop, std::move(download));
  Status done =
      Error(Code::kTimeout, "the download takes longer than " + FormatDuration(limit), true);
  (void)loop.RunToEnd(HttpDownloader::Run(&downloader, &done), limit + 5s);
  return done;
}

}  // namespace drover
