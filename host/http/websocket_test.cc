// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/websocket.h"

#include <gtest/gtest.h>

#include <future>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/base/gate.h"
#include "host/base/loop.h"
#include "host/http/http_test_client.h"

namespace drover {
namespace {

enum Opcode { kContinuation = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10 };

// A client that writes frames by hand, right or wrong.
class FrameClient : public HttpTestClient {
 public:
  explicit FrameClient(int port) : HttpTestClient(port) {}

  static std::string Handshake(const std::string& path, const std::string& headers = "") {
    return "GET " + path +
           " HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, Upgrade\r\n"
           "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
           headers + "\r\n";
  }
  void Open(const std::string& path) {
    Send(Handshake(path));
    const std::string head = ReadUntil("\r\n\r\n");
    EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
    EXPECT_NE(head.find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), head.npos) << head;  // of RFC 6455
    EXPECT_EQ(head.find("Beast"), head.npos) << head;
  }

  static std::string Frame(int opcode, const std::string& payload, bool last = true,
                           bool masked = true) {
    std::string frame(1, static_cast<char>((last ? 0x80 : 0) | opcode));
    const int mask = masked ? 0x80 : 0;
    const std::size_t size = payload.size();
    if (size < 126) {
      frame += static_cast<char>(mask | size);
    } else if (size < 0x10000) {
      frame += static_cast<char>(mask | 126);
      frame += static_cast<char>(size >> 8);
      frame += static_cast<char>(size & 0xff);
    } else {
      frame += static_cast<char>(mask | 127);
      for (int shift = 56; shift >= 0; shift -= 8) frame += static_cast<char>(size >> shift & 0xff);
    }
    if (!masked) return frame + payload;
    const std::string key = "\x12\x34\x56\x78";
    frame += key;
    for (std::size_t i = 0; i < size; ++i) frame += static_cast<char>(payload[i] ^ key[i % 4]);
    return frame;
  }
  bool SendFrame(int opcode, const std::string& payload, bool last = true) {
    return Send(Frame(opcode, payload, last));
  }

  struct Received {
    int opcode = -1;
    std::string payload;
    // The code of a close frame.
    int code() const {
      if (opcode != kClose || payload.size() < 2) return -1;
      return static_cast<unsigned char>(payload[0]) * 256 + static_cast<unsigned char>(payload[1]);
    }
  };
  Received ReadFrame() {
    Received received;
    const std::string head = ReadExactly(2);
    if (head.size() < 2) return received;
    EXPECT_NE(head[0] & 0x80, 0) << "a fragment";
    received.opcode = head[0] & 0x0f;
    std::size_t size = head[1] & 0x7f;
    if (size >= 126) {
      const std::string wide = ReadExactly(size == 126 ? 2 : 8);
      size = 0;
      for (const char c : wide) size = size << 8 | static_cast<unsigned char>(c);
    }
    received.payload = ReadExactly(size);
    return received;
  }
};

// /echo sends each message back until the client closes; /bye closes; /throw throws; /wait waits;
// /many has ten writers at once; /timeout is an /echo whose first read has timed out; /stranger is
// an /echo that trusts its client after the first message.
struct Site {
  std::promise<std::string> ended;

  static Co<void> WriteTwenty(WebSocketChannel* channel, Context context, char name) {
    for (int i = 0; i < 20; ++i) {
      const Status sent = co_await channel->Write(context, true, std::string(5000, name));
      EXPECT_TRUE(sent.ok());
    }
  }
  static Co<void> Handle(Site* site, HttpExchange* exchange) {
    const Context context = exchange->context();
    const std::string path = exchange->request().path;
    auto accepted = co_await exchange->AcceptWebSocket();
    if (!accepted) {
      HttpReply reply = TextReply(400, accepted.error().message());
      (void)co_await exchange->Reply(std::move(reply));
      co_return;
    }
    WebSocketChannel* channel = *accepted;
    if (path == "/stranger") {
      const auto first = co_await channel->Read(context);
      if (!first.ok()) co_return;
      EXPECT_EQ(first->bytes, "the key");
    }
    exchange->Trust();
    if (path == "/bye") {
      const Status closed = co_await channel->Close(4001, "bye");
      EXPECT_TRUE(closed.ok());
      const auto after = co_await channel->Read(context);
      EXPECT_EQ(after.code(), Code::kUnavailable);
      co_return;
    }
    if (path == "/leave") {
      (void)co_await channel->Close(4001, "bye");
      co_return;
    }
    if (path == "/many") {
      std::vector<Co<void>> writers;
      for (char name = 'a'; name <= 'j'; ++name)
        writers.push_back(WriteTwenty(channel, context, name));
      co_await InParallel(exchange->loop(), std::move(writers));
    }
    if (path == "/throw") throw std::runtime_error("broken");
    if (path == "/wait") {
      co_await context.Cancelled();
      site->ended.set_value(context.status().error().message());
      co_return;
    }
    if (path == "/timeout") {
      const Context soon = context.WithTimeout(50ms);
      const auto nothing = co_await channel->Read(soon);
      EXPECT_EQ(nothing.code(), Code::kTimeout);
      const Status asked = co_await channel->Write(context, true, "now");
      EXPECT_TRUE(asked.ok());
    }
    for (;;) {
      auto message = co_await channel->Read(context);
      if (!message) break;
      const Status sent =
          co_await channel->Write(context, message->text, std::move(message->bytes));
      if (!sent) break;
    }
  }
};

std::unique_ptr<HttpServer> StartSite(Site* site, HttpServerOptions options = {}) {
  return StartTestServer(std::move(options),
                         [site](HttpExchange* exchange) { return Site::Handle(site, exchange); });
}

TEST(WebSocket, CarriesMessagesBothWays) {
  Site site;
  const auto server = StartSite(&site);
  FrameClient client(server->port());
  client.Open("/echo");
  client.SendFrame(kText, "hello");
  auto frame = client.ReadFrame();
  EXPECT_EQ(frame.opcode, kText);
  EXPECT_EQ(frame.payload, "hello");
  const std::string large(200'000, '\xff');
  client.SendFrame(kBinary, large);
  frame = client.ReadFrame();
  EXPECT_EQ(frame.opcode, kBinary);
  EXPECT_EQ(frame.payload, large);
  client.SendFrame(kText, "", true);
  EXPECT_EQ(client.ReadFrame().payload, "");
  // In fragments, with a ping between them.
  client.SendFrame(kText, "one,", false);
  client.SendFrame(kPing, "are you there");
  client.SendFrame(kContinuation, "two");
  frame = client.ReadFrame();
  EXPECT_EQ(frame.opcode, kPong);
  EXPECT_EQ(frame.payload, "are you there");
  EXPECT_EQ(client.ReadFrame().payload, "one,two");
  client.SendFrame(kClose, "\x03\xe8");
  EXPECT_EQ(client.ReadFrame().code(), 1000);
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(WebSocket, MessagesThatCameWithTheHandshakeAreNotLost) {
  Site site;
  const auto server = StartSite(&site);
  FrameClient client(server->port());
  // A client that is trusted by then is also trusted with a large one.
  const std::string large(200'000, 'x');
  std::string all = FrameClient::Handshake("/echo") + FrameClient::Frame(kText, large);
  for (int i = 0; i < 100; ++i) all += FrameClient::Frame(kText, std::to_string(i));
  client.Send(all);
  client.ReadUntil("\r\n\r\n");
  EXPECT_EQ(client.ReadFrame().payload, large);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(client.ReadFrame().payload, std::to_string(i));
}

TEST(WebSocket, AStrangersMessageIsSmallAndTheOnlyOneThatIsRead) {
  Site site;
  const auto server = StartSite(&site);
  FrameClient large(server->port());
  large.Open("/stranger");
  large.SendFrame(kText, std::string(HttpServerOptions().max_first_message_bytes + 1, 'x'));
  EXPECT_EQ(large.ReadFrame().code(), 1009);
  FrameClient pieces(server->port());
  pieces.Open("/stranger");
  pieces.SendFrame(kText, std::string(4000, 'x'), false);
  pieces.SendFrame(kContinuation, std::string(4000, 'x'), false);
  EXPECT_EQ(pieces.ReadFrame().code(), 1009);
  // The first message vouches for the bytes that come with it.
  FrameClient friendly(server->port());
  friendly.Open("/stranger");
  const std::string long_text(200'000, 'x');
  friendly.Send(FrameClient::Frame(kText, "the key") + FrameClient::Frame(kText, long_text));
  EXPECT_EQ(friendly.ReadFrame().payload, long_text);
}

TEST(WebSocket, AReadThatTimesOutLosesNothing) {
  Site site;
  const auto server = StartSite(&site);
  FrameClient client(server->port());
  client.Open("/timeout");
  EXPECT_EQ(client.ReadFrame().payload, "now");
  client.SendFrame(kText, "after");
  EXPECT_EQ(client.ReadFrame().payload, "after");
}

TEST(WebSocket, TheServerClosesWithItsReason) {
  Site site;
  const auto server = StartSite(&site);
  FrameClient client(server->port());
  client.Open("/bye");
  const auto frame = client.ReadFrame();
  EXPECT_EQ(frame.code(), 4001);
  EXPECT_EQ(frame.payload.substr(2), "bye");
  client.SendFrame(kClose, frame.payload);
  EXPECT_EQ(client.ReadAll(), "");
  FrameClient failed(server->port());
  failed.Open("/throw");
  EXPECT_EQ(failed.ReadFrame().code(), 1011);
}

TEST(WebSocket, AWrongFrameAfterTheServersCloseDoesNotHoldIt) {
  Site site;
  HttpServerOptions options;
  options.max_message_bytes = 1000;
  options.linger_time = 50ms;
  const auto server = StartSite(&site, std::move(options));
  FrameClient client(server->port());
  client.Open("/leave");
  EXPECT_EQ(client.ReadFrame().code(), 4001);
  client.SendFrame(kText, std::string(5000, 'x'));
  EXPECT_EQ(client.ReadAll(), "");
}

// A connection whose bytes the test brings, at the moment that it chooses.
class ScriptedStream : public ByteStream {
 public:
  explicit ScriptedStream(Loop* loop) : loop_(loop) {}

  Co<ErrorCode> Handshake() override { co_return ErrorCode(); }
  void AsyncReadSome(boost::asio::mutable_buffer buffer, Handler handler) override {
    space_ = buffer;
    reader_ = std::make_unique<Handler>(std::move(handler));
    if (closed_) Close();
  }
  void AsyncWriteSome(boost::asio::const_buffer buffer, Handler handler) override {
    written += std::string(static_cast<const char*>(buffer.data()), buffer.size());
    auto shared = std::make_shared<Handler>(std::move(handler));
    loop_->Post([shared, size = buffer.size()] { std::move (*shared)(ErrorCode(), size); });
  }
  Co<void> ShutdownSend() override { co_return; }
  void Close() override {
    closed_ = true;
    Complete(boost::asio::error::operation_aborted, 0);
  }

  // The reader has the bytes before this returns.
  void Bring(const std::string& bytes) {
    ASSERT_TRUE(reader_);
    Complete(ErrorCode(), boost::asio::buffer_copy(space_, boost::asio::buffer(bytes)));
  }

  std::string written;

 private:
  void Complete(ErrorCode error, std::size_t size) {
    if (const auto reader = std::exchange(reader_, nullptr)) std::move (*reader)(error, size);
  }

  Loop* loop_;
  boost::asio::mutable_buffer space_;
  std::unique_ptr<Handler> reader_;  // a handler cannot be assigned in Boost 1.81
  bool closed_ = false;
};

// The frame has been read, and what reads it is about to run, when the close begins. Beast's close
// waits for the end of that read then, and the read for the end of the close.
TEST(WebSocket, AWrongFrameThatIsReadAsTheServerClosesDoesNotHoldIt) {
  SimLoop loop;
  ScriptedStream stream(&loop);
  ByteInput input(&loop, &stream, 64 << 10);
  ByteOutput output(&loop, &stream, 10s);
  HttpServerOptions options;
  options.linger_time = 50ms;
  WebSocket socket({&loop, &stream, &input, &output, &options, nullptr});
  Gate gate(&loop);
  gate.Spawn(input.Pump());
  HttpRequest request;
  request.method = "GET";
  request.path = "/";
  request.headers = {{"Host", "localhost"},
                     {"Connection", "Upgrade"},
                     {"Upgrade", "websocket"},
                     {"Sec-WebSocket-Version", "13"},
                     {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}};
  bool accepted = false;
  gate.Spawn([](WebSocket* one, HttpRequest asked, bool* done) -> Co<void> {
    *done = (co_await one->Accept(std::move(asked))).ok();
    one->Trust();
  }(&socket, std::move(request), &accepted));
  loop.RunReady();
  ASSERT_TRUE(accepted) << stream.written;
  bool over = false;
  loop.Post([&] {
    stream.Bring(FrameClient::Frame(3, "a"));  // no such opcode
    gate.Spawn([](WebSocket* one, bool* done) -> Co<void> {
      co_await one->End(4001);
      *done = true;
    }(&socket, &over));
  });
  loop.RunReady();
  loop.Advance(options.linger_time);
  EXPECT_TRUE(over);
  stream.Close();
  loop.RunReady();
}

TEST(WebSocket, WrongFramesEndIt) {
  Site site;
  HttpServerOptions options;
  options.max_message_bytes = 1000;
  const auto server = StartSite(&site, options);
  const std::string kilo(1001, 'x');
  const std::vector<std::pair<std::string, int>> cases = {
      {FrameClient::Frame(kText, "a", true, false), 1002},       // not masked
      {FrameClient::Frame(3, "a"), 1002},                        // no such opcode
      {FrameClient::Frame(kContinuation, "a"), 1002},            // of nothing
      {FrameClient::Frame(kPing, "a", false), 1002},             // a control frame in pieces
      {FrameClient::Frame(kPing, std::string(126, 'a')), 1002},  // a long one
      {FrameClient::Frame(kText | 0x40, "a"), 1002},             // compressed; not agreed upon
      {FrameClient::Frame(kText, "\xff\xfe"), 1007},             // not UTF-8
      {FrameClient::Frame(kClose, "\x03"), 1002},                // half a code
      {FrameClient::Frame(kBinary, kilo), 1009},                 // too large
      {FrameClient::Frame(kBinary, kilo.substr(1), false) + FrameClient::Frame(kContinuation, "x"),
       1009},
      {std::string("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 10) + "key!", 1009},  // endless
  };
  for (const auto& [bytes, code] : cases) {
    FrameClient client(server->port());
    client.Open("/echo");
    client.Send(bytes);
    EXPECT_EQ(client.ReadFrame().code(), code) << testing::PrintToString(bytes.substr(0, 20));
    EXPECT_EQ(client.ReadAll(), "");
  }
}

TEST(WebSocket, WritersTakeTurns) {
  Site site;
  const auto server = StartSite(&site);
  FrameClient client(server->port());
  client.Open("/many");
  std::map<char, int> messages;
  for (int i = 0; i < 200; ++i) {
    const auto frame = client.ReadFrame();
    ASSERT_EQ(frame.payload, std::string(5000, frame.payload.empty() ? '-' : frame.payload[0]));
    ++messages[frame.payload[0]];
  }
  EXPECT_EQ(messages.size(), 10u);
  for (const auto& [name, count] : messages) EXPECT_EQ(count, 20) << name;
}

// The server survives any frames, in any pieces.
TEST(WebSocket, DamagedFramesHurtNobody) {
  Site site;
  HttpServerOptions options;
  options.max_message_bytes = 1000;
  options.linger_time = 10ms;
  const auto server = StartSite(&site, options);
  const std::vector<std::string> seeds = {FrameClient::Frame(kText, "h\xc3\xa4llo"),
                                          FrameClient::Frame(kBinary, std::string(200, 'x'), false),
                                          FrameClient::Frame(kContinuation, "end"),
                                          FrameClient::Frame(kPing, "ping"),
                                          FrameClient::Frame(kPong, ""),
                                          FrameClient::Frame(kClose, "\x03\xe8why"),
                                          FrameClient::Frame(kBinary, "")};
  std::mt19937 random(11);
  const auto below = [&random](std::size_t end) { return random() % end; };
  for (int round = 0; round < 300; ++round) {
    std::string bytes;
    for (std::size_t frames = 1 + below(8); frames > 0; --frames) bytes += seeds[below(7)];
    for (std::size_t changes = below(4); changes > 0; --changes) {
      const std::size_t at = below(bytes.size());
      if (below(2) == 0) {
        bytes[at] = static_cast<char>(random());
      } else {
        bytes.erase(at, 1 + below(5));
      }
      if (bytes.empty()) bytes = "x";
    }
    FrameClient client(server->port());
    client.Open("/echo");
    const std::size_t cut = below(bytes.size());
    client.Send(bytes.substr(0, cut));
    client.Send(bytes.substr(cut));
    client.ShutdownSend();
    client.ReadAll();
  }
  FrameClient client(server->port());
  client.Open("/echo");
  client.SendFrame(kText, "still here");
  EXPECT_EQ(client.ReadFrame().payload, "still here");
}

TEST(WebSocket, WhatIsNoUpgradeIsAnsweredByTheHandler) {
  Site site;
  const auto server = StartSite(&site);
  const std::string good = FrameClient::Handshake("/echo");
  const auto without = [&good](const std::string& line) {
    std::string bad = good;
    bad.erase(bad.find(line), line.size() + 2);
    return bad;
  };
  for (const std::string& bad :
       {without("Upgrade: websocket"), without("Sec-WebSocket-Version: 13"),
        without("Connection: keep-alive, Upgrade"),
        without("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")}) {
    HttpTestClient client(server->port());
    client.Send(bad);
    EXPECT_EQ(client.ReadAnswer().body, "this is not a request for a websocket of version 13")
        << bad;
  }
  HttpTestClient page(server->port());
  page.Send(FrameClient::Handshake("/echo", "Origin: http://evil.example\r\n"));
  EXPECT_EQ(page.ReadAnswer().status, 403);
}

TEST(WebSocket, TheContextEndsWhenTheClientGoes) {
  for (const bool politely : {true, false}) {
    Site site;
    const auto server = StartSite(&site);
    FrameClient client(server->port());
    client.Open("/wait");
    if (politely) {
      client.SendFrame(kClose, "");
    } else {
      client.Close();
    }
    auto ended = site.ended.get_future();
    ASSERT_EQ(ended.wait_for(20s), std::future_status::ready);
    EXPECT_EQ(ended.get(), "the client has gone");
  }
}

TEST(WebSocket, AClientIsPingedAndGoneWhenItIsSilent) {
  Site site;
  HttpServerOptions options;
  options.ping_interval = 400ms;
  const auto server = StartSite(&site, options);
  FrameClient client(server->port());
  client.Open("/wait");
  for (int i = 0; i < 3; ++i) {  // more than two intervals: the answers count
    EXPECT_EQ(client.ReadFrame().opcode, kPing);
    client.SendFrame(kPong, "");
  }
  auto ended = site.ended.get_future();
  ASSERT_EQ(ended.wait_for(20s), std::future_status::ready);
  EXPECT_EQ(ended.get(), "the client has gone");
}

// Messages that nobody reads stay with the client.
TEST(WebSocket, AFloodIsHeldBack) {
  Site site;
  HttpServerOptions options;
  options.linger_time = options.stop_time = 50ms;
  options.ping_interval = 300ms;  // a waiting client does not count as gone
  const auto server = StartSite(&site, options);
  FrameClient client(server->port());
  client.Open("/wait");
  const timeval soon{0, 500'000};
  setsockopt(client.fd(), SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof soon);
  const std::string block = FrameClient::Frame(kBinary, std::string(100'000, 'x'));
  int sent = 0;
  while (sent < 1000 && client.Send(block)) ++sent;
  EXPECT_LT(sent, 1000) << "100 MB went somewhere";
  auto ended = site.ended.get_future();
  EXPECT_EQ(ended.wait_for(0s), std::future_status::timeout);
  server->Stop();
  EXPECT_EQ(ended.get(), "the server stops");
}

}  // namespace
}  // namespace drover
