// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/api_streams.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "host/cli/curl_request.h"

namespace drover {

class ApiStreams::Set {
 public:
  Set(CurlLibrary curl, ClientOptions options)
      : curl_(curl), options_(std::move(options)), multi_(curl_.multi_init()) {
    if (!usable()) return;
    curl_.multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, kMostConnections);
  }
  ~Set() {
    while (!streams_.empty()) Drop(streams_.begin()->first);
    curl_.multi_cleanup(multi_);
  }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;

  bool usable() const { return multi_ != nullptr; }

  std::uint64_t Ask(const char* method, const std::string& path, const Query& query, TakeBytes take,
                    End end, const std::string* body) {
    auto stream = std::make_shared<Stream>();
    stream->take = std::move(take);
    stream->end = std::move(end);
    stream->handle = curl_.init();
    const std::uint64_t id = ++last_;
    streams_[id] = stream;
    if (stream->handle == nullptr) {
      stream->ended = CurlRequest::NoMemory();
      return id;
    }
    stream->request.emplace(&curl_, stream->handle, &options_);
    // libcurl must not be called while it calls: what comes is handed out when it has returned.
    stream->request->SetTake([to = stream.get()](std::string_view some) { to->came += some; });
    if (body != nullptr) stream->request->SetBody(*body);
    stream->request->Prepare(method, path, query, 0);
    curl_.multi_add_handle(multi_, stream->handle);
    return id;
  }

  void Drop(std::uint64_t id) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) return;
    const std::shared_ptr<Stream> stream = found->second;
    streams_.erase(found);
    stream->dropped = true;
    if (stream->handle == nullptr) return;
    curl_.multi_remove_handle(multi_, stream->handle);
    stream->request.reset();
    curl_.cleanup(std::exchange(stream->handle, nullptr));
  }

  Status Wait(int fd, Duration most) {
    HandOut();
    curl_waitfd also{fd, CURL_WAIT_POLLIN, 0};
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(most).count();
    int running = 0;
    CURLMcode code = curl_.multi_perform(multi_, &running);
    if (code == CURLM_OK && !NoteEnds()) {
      code = curl_.multi_poll(multi_, &also, 1, static_cast<int>(wait), nullptr);
      if (code == CURLM_OK) code = curl_.multi_perform(multi_, &running);
    }
    if (code != CURLM_OK) {
      return Error(Code::kInternal, "libcurl: error " + std::to_string(static_cast<int>(code)));
    }
    NoteEnds();
    HandOut();
    return {};
  }

 private:
  struct Stream {
    TakeBytes take;
    End end;
    CURL* handle = nullptr;
    std::optional<CurlRequest> request;
    std::string came;  // and was not handed out yet
    std::optional<Status> ended;
    bool dropped = false;
  };

  // Whether a request has ended or something has come.
  bool NoteEnds() {
    int left = 0;
    while (const CURLMsg* const message = curl_.multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      for (const auto& [id, stream] : streams_) {
        if (stream->handle != message->easy_handle) continue;
        const Result<CurlReply> reply = stream->request->Finish(message->data.result);
        stream->ended = reply.ok() ? Status() : Status(reply.error());
        break;
      }
    }
    return std::any_of(streams_.begin(), streams_.end(), [](const auto& entry) {
      return entry.second->ended.has_value() || !entry.second->came.empty();
    });
  }

  void HandOut() {
    std::vector<std::pair<std::uint64_t, std::shared_ptr<Stream>>> all(streams_.begin(),
                                                                       streams_.end());
    for (const auto& [id, stream] : all) {
      const std::string came = std::exchange(stream->came, std::string());
      if (!stream->dropped && !came.empty() && stream->take) stream->take(came);
      if (stream->dropped || !stream->ended) continue;
      Drop(id);
      if (stream->end) stream->end(*stream->ended);
    }
  }

  const CurlLibrary curl_;
  const ClientOptions options_;
  CURLM* const multi_;
  std::map<std::uint64_t, std::shared_ptr<Stream>> streams_;
  std::uint64_t last_ = 0;
};

Result<ApiStreams> ApiStreams::Create(const CurlLibrary& curl, const ClientOptions& options) {
  auto set = std::make_unique<Set>(curl, options);
  if (!set->usable()) return CurlRequest::NoMemory();
  return ApiStreams(std::move(set));
}

ApiStreams::ApiStreams(std::unique_ptr<Set> set) : set_(std::move(set)) {}
ApiStreams::ApiStreams(ApiStreams&&) noexcept = default;
ApiStreams::~ApiStreams() = default;

std::uint64_t ApiStreams::Ask(const char* method, const std::string& path, const Query& query,
                              TakeBytes take, End end, const std::string* body) {
  return set_->Ask(method, path, query, std::move(take), std::move(end), body);
}

void ApiStreams::Drop(std::uint64_t id) { set_->Drop(id); }

Status ApiStreams::Wait(int fd, Duration most) { return set_->Wait(fd, most); }

}  // namespace drover
