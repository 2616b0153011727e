// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/websocket_client.h"

#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <memory>
#include <string>
#include <utility>

#include "host/base/base64.h"
#include "host/client/scripted_server_for_test.h"

namespace drover {
namespace {

enum Opcode { kMore = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10 };

std::string Frame(int opcode, const std::string& payload, bool last = true) {
  const std::size_t size = payload.size();
  std::string frame(1, static_cast<char>((last ? 0x80 : 0) | opcode));
  if (size < 126) return frame + static_cast<char>(size) + payload;
  if (size < 0x10000) {
    frame += '\x7e';
    frame += static_cast<char>(size >> 8);
    return frame + static_cast<char>(size & 0xff) + payload;
  }
  frame += '\x7f';
  for (int shift = 56; shift >= 0; shift -= 8) frame += static_cast<char>(size >> shift & 0xff);
  return frame + payload;
}

std::string CloseFrame(int code, const std::string& reason) {
  return Frame(kClose, std::string{static_cast<char>(code >> 8), static_cast<char>(code)} + reason);
}

// Reads a frame of a client, which is masked.
std::string ReadFrame(ScriptedPeer* peer, int* opcode) {
  const std::string head = peer->ReadExactly(2);
  if (head.size() < 2) return "";
  *opcode = head[0] & 0x0f;
  EXPECT_NE(head[1] & 0x80, 0) << "clients mask";
  std::size_t size = head[1] & 0x7f;
  if (size >= 126) {
    const std::string width = peer->ReadExactly(size == 126 ? 2 : 8);
    size = 0;
    for (const char byte : width) size = size << 8 | static_cast<unsigned char>(byte);
  }
  const std::string mask = peer->ReadExactly(4);
  std::string payload = peer->ReadExactly(size);
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] ^= mask[i % 4];
  return payload;
}

// Answers the request for a websocket; returns its head.
std::string Accept(ScriptedPeer* peer, bool right = true) {
  const std::string head = peer->ReadHead();
  const std::string name = "Sec-WebSocket-Key: ";
  const std::size_t at = head.find(name) + name.size();
  const std::string text =
      head.substr(at, head.find('\r', at) - at) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::string digest(SHA_DIGEST_LENGTH, '\0');
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       reinterpret_cast<unsigned char*>(digest.data()));
  peer->Send(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: " +
      Base64(right ? digest : std::string(SHA_DIGEST_LENGTH, 'x')) + "\r\n\r\n");
  return head;
}

Result<std::unique_ptr<WebSocketClient>> Open(const std::string& address) {
  ClientOptions options;
  options.address = address;
  options.token = "secret";
  return WebSocketClient::Open(**Endpoint::Create(std::move(options)), "/exec?a=b");
}

// The next message, or the error after the last one.
Result<std::string> Next(WebSocketClient* socket) {
  for (int i = 0; i < 1000; ++i) {
    DROVER_ASSIGN(const std::optional<std::string> message, socket->Receive());
    if (message) return *message;
    DROVER_TRY(socket->Wait({}, 20s));
  }
  return Error(Code::kTimeout, "nothing comes");
}

TEST(WebSocketClientTest, AsksForTheWebsocketAndExchangesMessages) {
  std::string head;
  ScriptedServer server([&head](ScriptedPeer* peer, int) {
    head = Accept(peer);
    int opcode = 0;
    for (int i = 0; i < 3; ++i) {
      const std::string text = ReadFrame(peer, &opcode);
      EXPECT_EQ(opcode, kText);
      peer->Send(Frame(i == 1 ? kBinary : kText, "re: " + text));
    }
    peer->ReadToEnd();
  });
  auto socket = Open(server.address());
  ASSERT_TRUE(socket.ok()) << socket.error().message();
  const std::string large(3'000'000, 'x');
  for (const std::string& text : {std::string("one"), std::string(), large}) {
    (*socket)->Send(text);
    EXPECT_EQ((*socket)->unsent(), text.size());
    const Result<std::string> answer = Next(socket->get());
    ASSERT_TRUE(answer.ok()) << answer.error().message();
    EXPECT_EQ(*answer, "re: " + text);
    EXPECT_EQ((*socket)->unsent(), 0U);
  }
  socket->reset();
  EXPECT_TRUE(head.starts_with("GET /exec?a=b HTTP/1.1\r\n")) << head;
  EXPECT_NE(head.find("X-Nomad-Token: secret\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("Host: " + server.address().substr(7) + "\r\n"), std::string::npos) << head;
}

TEST(WebSocketClientTest, PutsFragmentsTogetherAndAnswersPings) {
  std::string pong;
  ScriptedServer server([&pong](ScriptedPeer* peer, int) {
    Accept(peer);
    peer->Send(Frame(kText, "one, ", false) + Frame(kPing, "are you there?"));
    int opcode = 0;
    pong = ReadFrame(peer, &opcode);
    EXPECT_EQ(opcode, kPong);
    peer->Send(Frame(kMore, "two") + Frame(kText, "three"));
    peer->ReadToEnd();
  });
  auto socket = Open(server.address());
  ASSERT_TRUE(socket.ok()) << socket.error().message();
  EXPECT_EQ(Next(socket->get()).value_or(""), "one, two");
  EXPECT_EQ(Next(socket->get()).value_or(""), "three");
  EXPECT_EQ(pong, "are you there?");
  socket->reset();
}

TEST(WebSocketClientTest, TheReasonOfACloseIsTheError) {
  struct Case {
    std::string frame;
    Code code;
    std::string text;
  };
  for (const Case& one :
       {Case{CloseFrame(1000, ""), Code::kCancelled, "the agent has closed the websocket"},
        Case{Frame(kClose, ""), Code::kCancelled, "the agent has closed the websocket"},
        Case{CloseFrame(1011, "no such task"), Code::kFailedPrecondition, "no such task"},
        Case{CloseFrame(4000, "x"), Code::kFailedPrecondition, "x"}}) {
    ScriptedServer server([&one](ScriptedPeer* peer, int) {
      Accept(peer);
      peer->Send(Frame(kText, "last") + one.frame);
      peer->ReadToEnd();
    });
    auto socket = Open(server.address());
    ASSERT_TRUE(socket.ok()) << socket.error().message();
    EXPECT_EQ(Next(socket->get()).value_or(""), "last");
    for (int i = 0; i < 2; ++i) {
      const Result<std::string> end = Next(socket->get());
      EXPECT_EQ(end.code(), one.code);
      EXPECT_EQ(end.error().message(), one.text);
    }
    socket->reset();
  }
}

TEST(WebSocketClientTest, AnEndWithoutACloseIsALoss) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    Accept(peer);
    peer->Send("\x81\x05hal");
  });
  auto socket = Open(server.address());
  ASSERT_TRUE(socket.ok()) << socket.error().message();
  const Result<std::string> end = Next(socket->get());
  EXPECT_EQ(end.code(), Code::kUnavailable);
  EXPECT_EQ(end.error().message(), "the connection to the agent is lost: it was closed");
}

TEST(WebSocketClientTest, FramesThatAreNone) {
  const std::string bad[] = {std::string("\x81\x85") + "abcdhello",  // servers do not mask
                             std::string("\x8f\x01x"),               // no such opcode
                             Frame(kMore, "of what?"),
                             "\x81\x7f" + std::string("\0\0\0\0\x01\0\0\x01", 8)};  // 16 MiB and 1
  for (const std::string& frame : bad) {
    ScriptedServer server([&frame](ScriptedPeer* peer, int) {
      Accept(peer);
      peer->Send(frame);
      peer->ReadToEnd();
    });
    auto socket = Open(server.address());
    ASSERT_TRUE(socket.ok()) << socket.error().message();
    EXPECT_EQ(Next(socket->get()).code(), Code::kUnavailable);
    socket->reset();
  }
}

TEST(WebSocketClientTest, ARefusalHasItsText) {
  for (const auto& [answer, text] :
       {std::pair("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno", "no"),
        std::pair("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
                  "the agent answers HTTP/1.1 404 Not Found"),
        std::pair("SSH-2.0-OpenSSH_9.2\r\n\r\n", "bad version")}) {
    ScriptedServer server([reply = std::string(answer)](ScriptedPeer* peer, int) {
      peer->ReadHead();
      peer->Send(reply);
    });
    const auto socket = Open(server.address());
    ASSERT_FALSE(socket.ok());
    EXPECT_TRUE(socket.error().message().ends_with(text)) << socket.error().message();
  }
}

TEST(WebSocketClientTest, AnAnswerWithTheWrongKey) {
  ScriptedServer server([](ScriptedPeer* peer, int) { Accept(peer, false); });
  const auto socket = Open(server.address());
  EXPECT_EQ(socket.code(), Code::kInternal);
  EXPECT_EQ(socket.error().message(), "the answer is that of no websocket: is it an agent?");
}

}  // namespace
}  // namespace drover
