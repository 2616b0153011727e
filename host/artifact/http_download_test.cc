// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/http_download.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <string>

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

TEST_F(HttpDownloadTest, AHeaderHasOneLine) {
  ScriptedServer server([](ScriptedPeer* peer, int) { peer->Reply("content"); });
  for (const char* value : {"k\r\nX-Other: hunter2", "k\n"}) {
    headers = {{"X-Key", value}};
    const Status got = Get(server.address() + "/a");
    EXPECT_EQ(got.code(), Code::kInvalidArgument);
    EXPECT_EQ(got.error().message(), "the header X-Key has more than one line");
  }
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
    } else if (head.find("/none") != head.npos) {
      peer->Send("HTTP/1.1 204 No Content\r\n\r\n");
    } else if (head.find("/part") != head.npos) {
      peer->Send("HTTP/1.1 206 Partial Content\r\nContent-Length: 3\r\n\r\nyes");
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
  EXPECT_THAT(error("/none"), HasSubstr("the server answers with status 204"));
  EXPECT_THAT(error("/part"), HasSubstr("the server answers with status 206"));
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

struct ProxiedDownloadTest : HttpDownloadTest {
  ProxiedDownloadTest() { Forget(); }
  ~ProxiedDownloadTest() override { Forget(); }
  static void Forget() {
    for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
                             "no_proxy", "NO_PROXY"}) {
      unsetenv(name);
    }
  }
};

TEST_F(ProxiedDownloadTest, AProxyGetsTheWholeUrlAndItsOwnUser) {
  std::string head;
  ScriptedServer proxy([&head](ScriptedPeer* peer, int) {
    head = peer->ReadHead();
    peer->Reply("content");
  });
  setenv("http_proxy", WithUser(proxy, "me:pass").c_str(), 1);
  const Status got = Get("http://files.example:81/a?k=1");
  ASSERT_TRUE(got.ok()) << got.error().message();
  EXPECT_EQ(body, "content");
  EXPECT_THAT(head, HasSubstr("GET http://files.example:81/a?k=1 HTTP/1.1\r\n"));
  EXPECT_THAT(head, HasSubstr("Host: files.example:81\r\n"));
  EXPECT_THAT(head, HasSubstr("Proxy-Authorization: Basic bWU6cGFzcw==\r\n"));
  EXPECT_TRUE(Get("http://127.0.0.2:1/a").ok());
  setenv("no_proxy", "127.0.0.2", 1);
  EXPECT_FALSE(Get("http://127.0.0.2:1/a").ok()) << "nobody listens there";
}

TEST_F(ProxiedDownloadTest, AProxyPassesTlsOn) {
  std::string head;
  std::promise<std::string> hello;
  ScriptedServer proxy([&](ScriptedPeer* peer, int number) {
    head = peer->ReadHead();
    if (number == 0) {
      peer->Send("HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n");
    } else if (number == 1) {
      peer->Send("HTTP/1.1 200 OK\r\n\r\nbefore the server");
    } else if (number == 2) {
      peer->Send("SSH-2.0-OpenSSH_9.2\r\n\r\n");
    } else {
      peer->Send("HTTP/1.1 200 Connected\r\n\r\n");
      hello.set_value(peer->ReadExactly(1));
    }
  });
  setenv("https_proxy", WithUser(proxy, "me:hunter2").c_str(), 1);
  const auto error = [&] {
    const std::string message = Get("https://files.example/a?token=hunter2").error().message();
    EXPECT_THAT(message, HasSubstr("cannot reach https://files.example: "));
    EXPECT_THAT(message, Not(HasSubstr("hunter2")));
    return message;
  };
  EXPECT_THAT(error(), HasSubstr("it makes no connection: HTTP status 407"));
  EXPECT_THAT(head, HasSubstr("CONNECT files.example:443 HTTP/1.1\r\n"));
  EXPECT_THAT(head, HasSubstr("Proxy-Authorization: Basic "));
  EXPECT_THAT(error(), HasSubstr("it makes no connection: HTTP status 200"));
  EXPECT_THAT(error(), HasSubstr("it does not speak HTTP/1.1"));
  (void)error();
  EXPECT_EQ(hello.get_future().get(), "\x16") << "the handshake of TLS begins";
}

TEST_F(ProxiedDownloadTest, AProxyOfAnotherKindIsAnErrorWithoutItsPassword) {
  for (const char* proxy : {"socks5://me:hunter2@p", "https://me:hunter2@p", "http://me:hunter2@",
                            "http://me:hunter2@p/path", "unix:///hunter2"}) {
    setenv("http_proxy", proxy, 1);
    const Status got = Get("http://files.example/a");
    ASSERT_FALSE(got.ok()) << proxy;
    EXPECT_THAT(got.error().message(), HasSubstr("the variable http_proxy names no proxy"));
    EXPECT_THAT(got.error().message(), Not(HasSubstr("hunter2")));
  }
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
