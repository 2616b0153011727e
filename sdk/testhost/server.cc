// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "sdk/testhost/server.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

#include "sdk/testhost/answers.h"

namespace drover {

using Json = nlohmann::json;

Server::Server(RealLoop* loop, TestedDriver* driver, Context context)
    : loop_(loop), driver_(driver), context_(std::move(context)), calls_(loop), arrived_(loop) {
  driver_->OnProgress([this](const Json& line) { Give(line); });
}

void Server::StartReader() {
  std::thread([this] {
    // std::cin would hold the lock of stdin, and the end of the process flushes all streams.
    std::string text;
    std::vector<char> buffer(64 * 1024);
    for (ssize_t n;
         (n = read(STDIN_FILENO, buffer.data(), buffer.size())) > 0 || (n < 0 && errno == EINTR);) {
      std::size_t searched = text.size();
      if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
      std::size_t begin = 0;
      for (std::size_t end; (end = text.find('\n', searched)) != std::string::npos;) {
        Take(text.substr(begin, end - begin));
        begin = searched = end + 1;
      }
      text.erase(0, begin);
    }
    if (!text.empty()) Take(text);
    loop_->Post([this] {
      end_ = true;
      arrived_.Set();
    });
    // Wait until the test closes its end of standard output, or is killed. Then cancel all requests
    // of the test.
    pollfd out = {STDOUT_FILENO, 0, 0};
    while (poll(&out, 1, -1) <= 0) {
    }
    loop_->Post([this] { context_.Cancel("nobody reads the answers"); });
  }).detach();
}

void Server::Take(std::string line) {
  loop_->Post([this, line = std::move(line)] {
    lines_.push_back(line);
    arrived_.Set();
  });
}

void Server::Give(const Json& answer) {
  const std::string text = answer.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return context_.Cancel("nobody reads the answers");
    done += static_cast<std::size_t>(n);
  }
}

Co<void> Server::Answer(std::string line) {
  Json answer;
  Result<Request> request = Request::Parse(line);
  Result<Json> result = Json();
  if (request.ok()) {
    answer["id"] = request->Value("id");
    (void)request->Flag("async", false);
    const std::string call = request->Text("call");
    const auto limit = std::chrono::milliseconds(request->Number("timeout_ms", 30'000));
    const Context context = context_.WithTimeout(limit);
    result = co_await driver_->Call(context, call, &*request);
  } else {
    result = request.error();
  }
  result.ok() ? answer["result"] = std::move(*result) : answer["error"] = ErrorJson(result.error());
  Give(answer);
}

Co<void> Server::Serve() {
  Give({{"result", driver_->Describe()}});
  StartReader();
  while (!context_.cancelled()) {
    if (lines_.empty() && end_) break;
    if (lines_.empty()) {
      arrived_.Reset();
      if (!(co_await arrived_.Wait(context_)).ok()) break;
      continue;
    }
    const std::string line = std::move(lines_.front());
    lines_.pop_front();
    Result<Request> request = Request::Parse(line);
    if (request.ok() && request->Flag("async", false)) {
      calls_.Spawn(Answer(line));
    } else {
      co_await Answer(line);
    }
  }
  context_.Cancel("there are no more requests");
  co_await calls_.Close();
}

}  // namespace drover
