// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/http_download.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/client/scripted_server_for_test.h"

namespace drover {
namespace {

using testing::HasSubstr;
using testing::Not;

struct HttpDownloadTest : testing::Test {
  Status Get(const std::string& url) {
    HttpDownload download;
    download.url = ParseSourceUrl(url).value();
    download.headers = headers;
    download.limit = limit;
    download.take = [this](std::string_view bytes) -> Status {
      body += bytes;
      if (body.size() <= most) return {};
      return Error(Code::kResourceExhausted, "too much");
    };
    download.take_size = [this](std::uint64_t bytes) { size = bytes; };
    return DownloadByHttp(std::move(download));
  }

  std::map<std::string, std::string> headers;
  Duration limit = 20s;
  std::size_t most = 1 << 20;
  std::string body;
  std::uint64_t size = 0;
};

std::string WithUser(const ScriptedServer& server, const std::string& user) {
  return "http://" + user + "@" + server.address().substr(7);
}

TEST_F(HttpDownloadTest, TheRequestHasTheHeadersAndTheUser) {
  std::string head;
  ScriptedServer server([&head](ScriptedPeer* peer, int) {
    head = peer->ReadHead();
    peer->Reply("content");
  });
  headers = {{"X-Key", "k"}, {"user-agent", "mine"}};
  const Status got = Get(WithUser(server, "us%65r:pass") + "/a%20b?x=1&y=a+b");
  ASSERT_TRUE(got.ok()) << got.error().message();
  EXPECT_EQ(body, "content");
  EXPECT_EQ(size, 7u);
  EXPECT_THAT(head, HasSubstr("GET /a%20b?x=1&y=a+b HTTP/1.1\r\n"));
  EXPECT_THAT(head, HasSubstr("X-Key: k\r\n"));
  EXPECT_THAT(head, HasSubstr("user-agent: mine\r\n"));
  EXPECT_THAT(head, HasSubstr("Authorization: Basic dXNlcjpwYXNz\r\n"));
  EXPECT_THAT(head, HasSubstr("Accept: */*\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Drover")));
}

TEST_F(HttpDownloadTest, ARedirectIsFollowedWithoutSecrets) {
  std::string head;
  ScriptedServer target([&head](ScriptedPeer* peer, int) {
    head = peer->ReadHead();
    peer->Reply("content");
  });
  ScriptedServer server([&target](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Send("HTTP/1.1 302 Found\r\nLocation: " + target.address() +
               "/next\r\nContent-Length: 4\r\n\r\nbody");
  });
  headers = {{"X-Key", "hunter2"}};
  const Status got = Get(WithUser(server, "me:hunter2") + "/a");
  ASSERT_TRUE(got.ok()) << got.error().message();
  EXPECT_EQ(body, "content");
  EXPECT_THAT(head, HasSubstr("GET /next HTTP/1.1"));
  EXPECT_THAT(head, Not(HasSubstr("X-Key")));
  EXPECT_THAT(head, Not(HasSubstr("Authorization")));
}

TEST_F(HttpDownloadTest, ServersThatFailAreNamedWithoutSecrets) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    const std::string head = peer->ReadHead();
    if (head.find("/missing") != head.npos) {
      peer->Send("HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nno!");
    } else if (head.find("/short") != head.npos) {
      peer->Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    } else if (head.find("/loop") != head.npos) {
      peer->Send(
          "HTTP/1.1 301 Moved\r\nLocation: /loop?secret=hunter2\r\nContent-Length: 0\r\n\r\n");
    } else if (head.find("/nowhere") != head.npos) {
      peer->Send("HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n");
    } else {
      peer->Send("SSH-2.0-OpenSSH_9.2\r\n\r\n");
    }
  });
  const std::string base = WithUser(server, "me:hunter2");
  const auto error = [&](const std::string& path) {
    const Status got = Get(base + path + "?token=hunter2");
    const std::string message = got.ok() ? "" : got.error().message();
    EXPECT_THAT(message, Not(HasSubstr("hunter2")));
    return message;
  };
  EXPECT_THAT(error("/missing"), HasSubstr(server.address() + "/missing: the server answers with "
                                                              "status 404"));
  EXPECT_THAT(error("/short"), HasSubstr("closed the connection before its answer was complete"));
  EXPECT_THAT(error("/loop"), HasSubstr("redirects more than 10 times"));
  EXPECT_THAT(error("/nowhere"), HasSubstr("redirects to nowhere"));
  EXPECT_THAT(error("/ssh"), HasSubstr("does not speak HTTP/1.1"));
}

TEST_F(HttpDownloadTest, AnEndlessAnswerEndsAtTheLimit) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Send("HTTP/1.1 200 OK\r\n\r\n");
    while (peer->Send(std::string(65536, 'x'))) {
    }
  });
  const Status got = Get(server.address() + "/a");
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().message(), "too much");
}

TEST_F(HttpDownloadTest, AServerThatStopsSendingEndsAtTheTimeLimit) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nslow");
    peer->ReadToEnd();
  });
  limit = 300ms;
  const Status got = Get(server.address() + "/a");
  EXPECT_EQ(got.code(), Code::kTimeout);
}

TEST(RedirectedUrlTest, LocationsAreResolved) {
  const SourceUrl url = ParseSourceUrl("https://u:p@x/a/b?c=1").value();
  EXPECT_EQ(RedirectedUrl(url, "https://y/z")->Text(), "https://y/z");
  EXPECT_EQ(RedirectedUrl(url, "//y/z")->Text(), "https://y/z");
  EXPECT_EQ(RedirectedUrl(url, "/z?d=2#e")->Text(), "https://u:p@x/z?d=2");
  EXPECT_EQ(RedirectedUrl(url, "z")->Text(), "https://u:p@x/a/z");
  for (const char* location :
       {"", "http://x/a", "file:///etc/passwd", "javascript:x", "http://x:p"}) {
    EXPECT_FALSE(RedirectedUrl(url, location).ok()) << location;
  }
}

}  // namespace
}  // namespace drover
