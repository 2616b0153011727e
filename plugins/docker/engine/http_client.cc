// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/http_client.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "engine/response_parser.h"

namespace drover_docker {
namespace {

constexpr std::size_t kMostRefusal = 64u << 10;  // bytes of the body of a refusal
constexpr std::size_t kPieceSize = 16u << 10;

std::string HostHeader(const EngineAddress& address) {
  if (!address.path.empty()) return "localhost";
  return address.Text().substr(sizeof("tcp://") - 1);
}

std::string Seconds(drover::Duration time) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
}

}  // namespace

// One request and its answer on one connection.
class HttpClient::Exchange {
 public:
  Exchange(const HttpClient& client, const HttpRequest& request, const HttpLimits& limits,
           const CancelToken& cancel, bool upgrade)
      : client_(client),
        request_(request),
        limits_(limits),
        cancel_(cancel),
        upgrade_(upgrade),
        end_(DeadlineAfter(limits.total)),
        parser_(request.method != "HEAD", upgrade) {}

  // Returns whether the connection is one that had been kept.
  bool Connect(bool fresh) {
    if (!fresh) connection_ = client_.TakeIdle();
    if (connection_ != nullptr) return true;
    const SteadyTime deadline = std::min(end_, DeadlineAfter(limits_.connect));
    connection_ = Connection::Open(client_.address_, deadline, cancel_, &client_.closing_);
    return false;
  }

  void Write() {
    const std::string head = RequestHead(request_, HostHeader(client_.address_), upgrade_) +
                             (request_.body_fd < 0 ? request_.body : std::string());
    WriteAll(head);
    if (request_.body_fd < 0) return;
    try {
      WriteChunks();
    } catch (const drover::Error& error) {
      // The engine may have refused the request before it had all of it: its answer says why.
      if (error.code() != drover::Code::kUnavailable) throw;
      write_error_ = error;
    }
  }

  // Passes the pieces of the body to TAKE until it returns false. Returns whether the answer is
  // complete.
  bool ReadBody(const TakeChunk& take) {
    while (!parser_.done()) {
      std::string_view piece;
      if (!ReadPiece(&piece)) continue;
      if (!piece.empty() && !take(piece)) return false;
    }
    return true;
  }
  void ReadHead() {
    std::string_view piece;
    while (!parser_.has_head()) ReadPiece(&piece);
    // A head is parsed alone, so PIECE is empty.
  }

  const ResponseParser& parser() const { return parser_; }
  bool begun() const { return parser_.begun(); }
  std::string rest() const { return std::string(bytes_); }
  std::unique_ptr<Connection> TakeConnection() { return std::move(connection_); }
  // A connection with bytes that nobody has asked for is of no more use.
  bool reusable() const {
    return parser_.done() && parser_.keep_alive() && bytes_.empty() && !write_error_;
  }

 private:
  // Parses some bytes. Returns false if PIECE was not set.
  bool ReadPiece(std::string_view* piece) {
    *piece = {};
    if (bytes_.empty() && !Fill()) return false;
    const std::size_t taken = parser_.Put(bytes_, piece);
    bytes_.remove_prefix(taken);
    CheckParser();
    return true;
  }

  void CheckParser() const {
    if (parser_.mistake().empty()) return;
    if (write_error_ && !parser_.has_head()) write_error_->Throw();
    throw drover::Error(
        drover::Code::kUnavailable,
        "the container engine at " + client_.address_.Text() + ": " + parser_.mistake(), true);
  }

  // Returns false at the end of the connection, which the parser has noticed.
  bool Fill() {
    for (;;) {
      Connection::IoResult got;
      try {
        got = connection_->Read(buffer_.data(), buffer_.size());
      } catch (const drover::Error&) {
        if (write_error_) write_error_->Throw();
        throw;
      }
      switch (got.io) {
        case Connection::Io::kDone:
          bytes_ = std::string_view(buffer_.data(), got.size);
          return true;
        case Connection::Io::kEnd:
          parser_.PutEnd();
          CheckParser();
          return false;
        case Connection::Io::kWantRead:
          Wait(connection_->fd(), POLLIN, parser_.begun() ? limits_.silence : limits_.first_byte);
          break;
        case Connection::Io::kWantWrite:
          Wait(connection_->fd(), POLLOUT, limits_.silence);
          break;
      }
    }
  }

  void WriteAll(std::string_view bytes) {
    while (!bytes.empty()) {
      const Connection::IoResult sent = connection_->Write(bytes);
      switch (sent.io) {
        case Connection::Io::kDone:
          bytes.remove_prefix(sent.size);
          break;
        case Connection::Io::kWantRead:
          Wait(connection_->fd(), POLLIN, limits_.silence);
          break;
        case Connection::Io::kWantWrite:
          Wait(connection_->fd(), POLLOUT, limits_.silence);
          break;
        case Connection::Io::kEnd:
          throw drover::Error(drover::Code::kUnavailable,
                              "the container engine at " + client_.address_.Text() +
                                  " closed the connection before it had the request",
                              true);
      }
    }
  }

  void WriteChunks() {
    std::array<char, kPieceSize> piece;
    for (;;) {
      Wait(request_.body_fd, POLLIN, limits_.silence);
      const ssize_t got = ::read(request_.body_fd, piece.data(), piece.size());
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got < 0) {
        throw drover::Error(
            drover::Code::kInternal,
            std::string("the data for the engine cannot be read: ") + std::strerror(errno));
      }
      if (got == 0) break;
      char size[24];
      std::snprintf(size, sizeof size, "%zx\r\n", static_cast<std::size_t>(got));
      WriteAll(size);
      WriteAll(std::string_view(piece.data(), static_cast<std::size_t>(got)));
      WriteAll("\r\n");
    }
    WriteAll("0\r\n\r\n");
  }

  void Wait(int fd, short events, drover::Duration limit) {
    const SteadyTime deadline = std::min(end_, DeadlineAfter(limit));
    if (WaitFor(fd, events, deadline, cancel_, &client_.closing_) != 0) return;
    const bool whole = std::chrono::steady_clock::now() >= end_;
    throw drover::Error(drover::Code::kTimeout,
                        "the container engine at " + client_.address_.Text() + " has not " +
                            (whole ? "completed " : "gone on with ") + request_.method + " " +
                            request_.target.substr(0, request_.target.find('?')) + " within " +
                            Seconds(whole ? limits_.total : limit),
                        true);
  }

  const HttpClient& client_;
  const HttpRequest& request_;
  const HttpLimits& limits_;
  const CancelToken& cancel_;
  const bool upgrade_;
  const SteadyTime end_;
  ResponseParser parser_;
  std::unique_ptr<Connection> connection_;
  std::array<char, kPieceSize> buffer_;
  std::string_view bytes_;  // bytes of BUFFER_ that are not parsed
  std::optional<drover::Error> write_error_;
};

HttpClient::HttpClient(EngineAddress address) : address_(std::move(address)) {}
HttpClient::~HttpClient() = default;

std::unique_ptr<Connection> HttpClient::TakeIdle() const {
  std::lock_guard<std::mutex> lock(mutex_);
  while (!idle_.empty()) {
    std::unique_ptr<Connection> out = std::move(idle_.back());
    idle_.pop_back();
    // A connection that the engine has closed, or that has unasked bytes, is readable.
    pollfd ready{out->fd(), POLLIN, 0};
    if (!out->pending() && ::poll(&ready, 1, 0) == 0) return out;
  }
  return nullptr;
}

void HttpClient::Keep(std::unique_ptr<Connection> connection) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.size() < kMostIdle && !closing_.cancelled()) idle_.push_back(std::move(connection));
}

HttpResponse HttpClient::Send(const HttpRequest& request, const HttpLimits& limits,
                              const CancelToken& cancel) const {
  std::string body;
  HttpResponse out = Stream(request, limits, cancel, [&](std::string_view piece) {
    if (body.size() + piece.size() > limits.max_body) {
      throw drover::Error(drover::Code::kResourceExhausted,
                          "the answer of the container engine at " + address_.Text() + " to " +
                              request.target.substr(0, request.target.find('?')) +
                              " is larger than " + std::to_string(limits.max_body) + " bytes");
    }
    body += piece;
    return true;
  });
  if (out.body.empty()) out.body = std::move(body);
  return out;
}

HttpResponse HttpClient::Stream(const HttpRequest& request, const HttpLimits& limits,
                                const CancelToken& cancel, const TakeChunk& take) const {
  cancel.Check();
  closing_.Check();
  const bool repeatable = request.method == "GET" || request.method == "HEAD";
  for (bool fresh = request.body_fd >= 0;; fresh = true) {
    Exchange exchange(*this, request, limits, cancel, false);
    bool kept = false;
    try {
      kept = exchange.Connect(fresh);
      exchange.Write();
      exchange.ReadHead();
    } catch (const drover::Error& error) {
      // The engine may close a kept connection just when a request is sent.
      const bool again =
          kept && repeatable && !exchange.begun() && error.code() == drover::Code::kUnavailable;
      if (!again) throw;
      continue;
    }
    HttpResponse out;
    out.head = exchange.parser().head();
    const bool good = out.head.status / 100 == 2;
    const bool complete = exchange.ReadBody([&](std::string_view piece) {
      if (good) return take(piece);
      out.body += piece.substr(0, kMostRefusal - std::min(kMostRefusal, out.body.size()));
      return out.body.size() < kMostRefusal;
    });
    if (complete && exchange.reusable()) Keep(exchange.TakeConnection());
    return out;
  }
}

HttpClient::Hijacked HttpClient::Hijack(const HttpRequest& request, const HttpLimits& limits,
                                        const CancelToken& cancel) const {
  cancel.Check();
  closing_.Check();
  Exchange exchange(*this, request, limits, cancel, true);
  exchange.Connect(true);
  exchange.Write();
  exchange.ReadHead();
  Hijacked out;
  out.response.head = exchange.parser().head();
  const int status = out.response.head.status;
  if (exchange.parser().done() && (status == 101 || status == 200)) {
    out.stream = std::make_unique<HijackedStream>(exchange.TakeConnection(), out.response.head,
                                                  exchange.rest(), closing_);
    return out;
  }
  exchange.ReadBody([&](std::string_view piece) {
    out.response.body +=
        piece.substr(0, kMostRefusal - std::min(kMostRefusal, out.response.body.size()));
    return out.response.body.size() < kMostRefusal;
  });
  return out;
}

std::unique_ptr<Connection> HttpClient::Begin(const HttpRequest& request, const HttpLimits& limits,
                                              const CancelToken& cancel) const {
  cancel.Check();
  closing_.Check();
  HttpLimits endless = limits;
  endless.total = drover::Duration(0);
  Exchange exchange(*this, request, endless, cancel, false);
  exchange.Connect(true);
  exchange.Write();
  return exchange.TakeConnection();
}

HijackedStream::HijackedStream(std::unique_ptr<Connection> connection, HttpHead head,
                               std::string first, CancelToken closing)
    : connection_(std::move(connection)),
      head_(std::move(head)),
      first_(std::move(first)),
      closing_(std::move(closing)) {}
HijackedStream::~HijackedStream() = default;

std::size_t HijackedStream::Read(char* to, std::size_t size, const CancelToken& cancel) {
  for (;;) {
    Connection::IoResult got;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!first_.empty()) {
        const std::size_t taken = std::min(size, first_.size());
        std::memcpy(to, first_.data(), taken);
        first_.erase(0, taken);
        return taken;
      }
      got = connection_->Read(to, size);
    }
    if (got.io == Connection::Io::kDone) return got.size;
    if (got.io == Connection::Io::kEnd) return 0;
    const short events = got.io == Connection::Io::kWantRead ? POLLIN : POLLOUT;
    WaitFor(connection_->fd(), events, SteadyTime::max(), cancel, &closing_);
  }
}

void HijackedStream::Write(std::string_view bytes, const CancelToken& cancel,
                           drover::Duration silence) {
  while (!bytes.empty()) {
    Connection::IoResult sent;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      sent = connection_->Write(bytes);
    }
    if (sent.io == Connection::Io::kDone) {
      bytes.remove_prefix(sent.size);
      continue;
    }
    if (sent.io == Connection::Io::kEnd) {
      throw drover::Error(drover::Code::kUnavailable, "the container engine takes no more input",
                          true);
    }
    const short events = sent.io == Connection::Io::kWantRead ? POLLIN : POLLOUT;
    if (WaitFor(connection_->fd(), events, DeadlineAfter(silence), cancel, &closing_) == 0) {
      throw drover::Error(drover::Code::kTimeout,
                          "the container engine has taken no input for " + Seconds(silence), true);
    }
  }
}

void HijackedStream::CloseWrite() {
  std::lock_guard<std::mutex> lock(mutex_);
  connection_->CloseWrite();
}

}  // namespace drover_docker
