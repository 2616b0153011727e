// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "drover/drover.h"
#include "engine/container_info.h"
#include "engine/engine_error.h"
#include "engine/engine_event.h"
#include "engine/fake_engine_for_test.h"
#include "engine/frames.h"
#include "engine/image_ref.h"
#include "engine/json_read.h"
#include "engine/pull_progress.h"
#include "engine/registry_auth.h"
#include "engine/stats.h"

namespace drover_docker {
namespace {

using nlohmann::json;

TEST(FramesTest, SplitsWhateverThePieces) {
  const std::string bytes = FrameForTest(1, "out") + FrameForTest(2, "") +
                            FrameForTest(2, "error") + FrameForTest(1, "more");
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    FrameSplitter frames;
    std::string output, error;
    int ended = 0;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      EXPECT_TRUE(frames.Put(std::string_view(bytes).substr(at, size),
                             [&](OutputKind kind, std::string_view piece, bool, bool last) {
                               (kind == OutputKind::kError ? error : output) += piece;
                               ended += last ? 1 : 0;
                             }));
    }
    EXPECT_EQ(output, "outmore");
    EXPECT_EQ(error, "error");
    EXPECT_EQ(ended, 4);
    EXPECT_TRUE(frames.between_frames());
  }
}

TEST(FramesTest, RefusesWhatIsNoFrame) {
  const auto nothing = [](OutputKind, std::string_view, bool, bool) {};
  for (const std::string& wrong :
       {std::string("\3\0\0\0\0\0\0\1x", 9), std::string("\1\0\1\0\0\0\0\1x", 9),
        std::string("\1\0\0\0\x7F\0\0\0", 8), std::string("plain text")}) {
    FrameSplitter frames;
    EXPECT_FALSE(frames.Put(wrong, nothing));
    EXPECT_FALSE(frames.mistake().empty());
    EXPECT_FALSE(frames.Put("x", nothing));
  }
}

TEST(ImageRefTest, NormalForms) {
  const std::string digest = "sha256:" + std::string(64, 'a');
  const std::vector<std::pair<std::string, std::string>> forms = {
      {"redis", "docker.io/library/redis:latest"},
      {"redis:7", "docker.io/library/redis:7"},
      {"team/app", "docker.io/team/app:latest"},
      {"docker.io/redis", "docker.io/library/redis:latest"},
      {"index.docker.io/library/redis:7", "docker.io/library/redis:7"},
      {"https://quay.io/a/b:1", "quay.io/a/b:1"},
      {"registry:5000/a:1", "registry:5000/a:1"},
      {"localhost/a", "localhost/a:latest"},
      {"[::1]:5000/a", "[::1]:5000/a:latest"},
      {"a__b/c-d.e", "docker.io/a__b/c-d.e:latest"},
      {"redis@" + digest, "docker.io/library/redis@" + digest},
      {"redis:7@" + digest, "docker.io/library/redis:7@" + digest}};
  for (const auto& [text, normal] : forms) {
    const ImageRef ref = ImageRef::Parse(text);
    EXPECT_EQ(ref.Text(), normal) << text;
    EXPECT_EQ(ImageRef::Parse(ref.Text()), ref) << text;
  }
  EXPECT_EQ(ImageRef::Parse("redis:7").Familiar(), "redis:7");
  EXPECT_EQ(ImageRef::Parse("redis:7@" + digest).PullTag(), digest);
}

TEST(ImageRefTest, RefusesHostileOnes) {
  for (const std::string& wrong : {std::string(),
                                   std::string("Redis"),
                                   std::string("a//b"),
                                   std::string("/a"),
                                   std::string("a/"),
                                   std::string("a:"),
                                   std::string("a:b c"),
                                   std::string("a@sha256:12"),
                                   std::string("a@md5:00"),
                                   std::string("../etc"),
                                   std::string("a/../b"),
                                   std::string("-a"),
                                   std::string("a_-b"),
                                   std::string("a?b=c"),
                                   std::string("a\nb"),
                                   std::string("a\0b", 3),
                                   std::string("host:99999/a"),
                                   std::string("host:/a"),
                                   std::string("..x.io/a"),
                                   std::string(64, 'a'),
                                   std::string(300, 'a'),
                                   "a:" + std::string(129, 'x'),
                                   std::string("a&tag=x"),
                                   std::string("user:pass@host.io/a")}) {
    EXPECT_THROW(ImageRef::Parse(wrong), drover::Error) << wrong;
  }
  EXPECT_TRUE(IsImageId("sha256:" + std::string(64, '0')));
  EXPECT_FALSE(IsImageId("redis"));
}

TEST(AuthTest, Base64) {
  for (const std::string& text : {std::string(), std::string("a"), std::string("ab"),
                                  std::string("abc"), std::string("\xFF\xFE\xFD?>")}) {
    EXPECT_EQ(DecodeBase64(EncodeBase64(text, true)), text);
    EXPECT_EQ(DecodeBase64(EncodeBase64(text, false)), text);
  }
  EXPECT_EQ(EncodeBase64("user:pass", false), "dXNlcjpwYXNz");
  EXPECT_EQ(DecodeBase64("a*b"), std::nullopt);
}

TEST(AuthTest, TheJobComesFirst) {
  AuthSources sources;
  sources.job = RegistryAuth{"me", "secret", "", "", ""};
  sources.config_text = "not read";
  const auto auth = FindAuth(sources, ImageRef::Parse("redis"));
  ASSERT_TRUE(auth.has_value());
  EXPECT_EQ(auth->server_address, "https://index.docker.io/v1/");
  const json header = json::parse(*DecodeBase64(auth->Header()));
  EXPECT_EQ(header["username"], "me");
  EXPECT_EQ(header["password"], "secret");
}

TEST(AuthTest, ReadsTheFile) {
  AuthSources sources;
  sources.config_text = R"({"auths": {
      "https://index.docker.io/v1/": {"auth": "aHViOnB3"},
      "quay.io": {"username": "q", "password": "p:w"},
      "quay.io/team": {"auth": "dGVhbTp4"},
      "http://reg:5000/v2/": {"identitytoken": "tok"}}})";
  EXPECT_EQ(FindAuth(sources, ImageRef::Parse("redis"))->username, "hub");
  EXPECT_EQ(FindAuth(sources, ImageRef::Parse("quay.io/a/b"))->password, "p:w");
  EXPECT_EQ(FindAuth(sources, ImageRef::Parse("quay.io/team/b"))->username, "team");
  EXPECT_EQ(FindAuth(sources, ImageRef::Parse("quay.io/teams/b"))->username, "q");
  EXPECT_EQ(FindAuth(sources, ImageRef::Parse("reg:5000/a"))->identity_token, "tok");
  EXPECT_EQ(FindAuth(sources, ImageRef::Parse("other.io/a")), std::nullopt);
  for (const char* wrong : {"[]", "{", R"({"auths":{"quay.io":{"auth":"*"}}})",
                            R"({"auths":{"quay.io":{"auth":"bm9jb2xvbg=="}}})"}) {
    sources.config_text = wrong;
    EXPECT_THROW(FindAuth(sources, ImageRef::Parse("quay.io/a")), drover::Error) << wrong;
  }
}

TEST(AuthTest, AsksHelpers) {
  std::vector<std::string> asked;
  AuthSources sources;
  sources.config_text = R"({"credsStore": "store", "credHelpers": {"quay.io": "quay"}})";
  sources.run = [&](std::vector<std::string> argv, std::string input) -> std::string {
    asked.push_back(argv.at(0) + " " + argv.at(1) + " " + input);
    if (input == "none.io") {
      throw drover::Error(drover::Code::kInternal, "credentials not found in native keychain");
    }
    if (input == "bad.io") return R"({"Username": "u", "Secret": )";
    if (input == "quay.io") return R"({"Username": "<token>", "Secret": "t"})";
    return R"({"ServerURL": "x", "Username": "u", "Secret": "s"})";
  };
  EXPECT_EQ(FindAuth(sources, ImageRef::Parse("quay.io/a"))->identity_token, "t");
  EXPECT_EQ(FindAuth(sources, ImageRef::Parse("redis"))->password, "s");
  EXPECT_EQ(FindAuth(sources, ImageRef::Parse("none.io/a")), std::nullopt);
  EXPECT_THROW(FindAuth(sources, ImageRef::Parse("bad.io/a")), drover::Error);
  EXPECT_EQ(asked.at(0), "docker-credential-quay get quay.io");
  EXPECT_EQ(asked.at(1), "docker-credential-store get https://index.docker.io/v1/");
  sources.config_text = R"({"credsStore": "../../bin/sh"})";
  EXPECT_THROW(FindAuth(sources, ImageRef::Parse("redis")), drover::Error);
}

TEST(StatsTest, CgroupsOfVersion1) {
  StatsReader reader(1000);
  const json sample = json::parse(R"({"read": "2024-05-01T10:00:01Z",
      "preread": "2024-05-01T10:00:00Z", "pids_stats": {"current": 3},
      "cpu_stats": {"cpu_usage": {"total_usage": 600, "usage_in_kernelmode": 150,
          "usage_in_usermode": 450, "percpu_usage": [1, 2]},
          "system_cpu_usage": 3000, "online_cpus": 2,
          "throttling_data": {"throttled_periods": 5, "throttled_time": 6}},
      "precpu_stats": {"cpu_usage": {"total_usage": 100, "usage_in_kernelmode": 50,
          "usage_in_usermode": 50}, "system_cpu_usage": 2000, "online_cpus": 2},
      "memory_stats": {"usage": 1000, "max_usage": 2000,
          "stats": {"rss": 300, "cache": 500, "swap": 7, "total_inactive_file": 400,
                    "mapped_file": 9}}})");
  const auto stats = reader.Read(sample);
  ASSERT_TRUE(stats.has_value());
  EXPECT_DOUBLE_EQ(stats->total.percent, 100);
  EXPECT_DOUBLE_EQ(stats->total.user_mode, 80);
  EXPECT_DOUBLE_EQ(stats->total.system_mode, 20);
  EXPECT_DOUBLE_EQ(stats->total.total_ticks, 1000);
  EXPECT_EQ(stats->total.usage, 600u);
  EXPECT_EQ(stats->total.max_usage, 2000u);
  EXPECT_EQ(stats->total.rss, 300u);
  EXPECT_EQ(stats->total.swap, 7u);
  EXPECT_EQ(stats->total.throttled_time, 6u);
  EXPECT_EQ(stats->timestamp, 1714557601000000000);
  EXPECT_EQ(PidsOf(sample), 3u);
}

TEST(StatsTest, CgroupsOfVersion2AndTheTimeBetweenSamples) {
  StatsReader reader;
  json sample = json::parse(R"({"read": "2024-05-01T10:00:00Z",
      "cpu_stats": {"cpu_usage": {"total_usage": 1000000000}},
      "precpu_stats": {"cpu_usage": {"total_usage": 0}},
      "memory_stats": {"usage": 1000, "stats": {"anon": 300, "file": 600, "inactive_file": 200}}})");
  auto stats = reader.Read(sample);
  ASSERT_TRUE(stats.has_value());
  EXPECT_EQ(stats->total.measured & DROVER_STAT_PERCENT, 0u);
  EXPECT_EQ(stats->total.usage, 800u);
  EXPECT_EQ(stats->total.rss, 300u);
  EXPECT_EQ(stats->total.cache, 600u);
  EXPECT_EQ(stats->total.measured & DROVER_STAT_SWAP, 0u);
  sample["read"] = "2024-05-01T10:00:02Z";
  sample["cpu_stats"]["cpu_usage"]["total_usage"] = 2000000000;
  stats = reader.Read(sample);
  EXPECT_DOUBLE_EQ(stats->total.percent, 50);
}

TEST(StatsTest, WhatIsNoSample) {
  StatsReader reader;
  EXPECT_EQ(reader.Read(json::parse("[]")), std::nullopt);
  EXPECT_EQ(reader.Read(json::parse(R"({"read": "0001-01-01T00:00:00Z", "cpu_stats": {},
                                        "memory_stats": {}})")),
            std::nullopt);
  const auto odd = reader.Read(json::parse(R"({"cpu_stats": {"cpu_usage": {"total_usage": -5},
      "system_cpu_usage": 1e300}, "memory_stats": {"usage": 5, "stats": "none"}})"));
  ASSERT_TRUE(odd.has_value());
  EXPECT_EQ(odd->total.usage, 5u);
}

TEST(PullReaderTest, SumsLayersWhateverThePieces) {
  const std::string text =
      "{\"status\":\"Pulling from library/redis\",\"id\":\"7\"}\r\n"
      "{\"status\":\"Pulling fs layer\",\"progressDetail\":{},\"id\":\"a\"}\r\n"
      "{\"status\":\"Downloading\",\"progressDetail\":{\"current\":10,\"total\":100},\"id\":\"a\"}"
      "{\"status\":\"Downloading\",\"progressDetail\":{\"current\":5,\"total\":50},\"id\":\"b\"}\n"
      "{\"status\":\"Already exists\",\"progressDetail\":{},\"id\":\"c\"}"
      "{\"status\":\"Pull complete\",\"progressDetail\":{},\"id\":\"b\"}";
  for (std::size_t size = 1; size < text.size(); size += 7) {
    PullReader reader;
    for (std::size_t at = 0; at < text.size(); at += size) {
      reader.Put(std::string_view(text).substr(at, size));
    }
    reader.End();
    EXPECT_EQ(reader.progress().done, 60u);
    EXPECT_EQ(reader.progress().total, 150u);
    EXPECT_EQ(reader.progress().layers, 3u);
    EXPECT_EQ(reader.progress().complete, 2u);
    EXPECT_FALSE(reader.error().has_value());
  }
}

TEST(PullReaderTest, ErrorsAndLies) {
  PullReader reader;
  reader.Put(R"({"errorDetail":{"message":"manifest unknown"},"error":"manifest unknown"})");
  EXPECT_EQ(reader.error(), "manifest unknown");
  EXPECT_THROW(PullReader().Put("no json"), drover::Error);
  EXPECT_THROW(PullReader().Put(R"({"a" "b"})"), drover::Error);
  PullReader cut;
  cut.Put(R"({"status":)");
  EXPECT_THROW(cut.End(), drover::Error);
  PullReader endless;
  endless.Put("{\"status\":\"");
  EXPECT_THROW(for (int i = 0; i < 3000; ++i) endless.Put(std::string(1000, 'x')), drover::Error);
  PullReader many;
  for (int i = 0; i < 3000; ++i) {
    many.Put(
        R"({"status":"Downloading","progressDetail":{"current":1,"total":18446744073709551615},)"
        R"("id":")" +
        std::to_string(i) + "\"}");
  }
  EXPECT_EQ(many.progress().layers, PullReader::kMostLayers);
  EXPECT_LE(many.progress().done, 3000u);
}

TEST(PullReaderTest, NamesOfLoadedImages) {
  PullReader reader;
  reader.Put(R"({"stream":"Loaded image: a:1\n"}{"stream":"Loaded image(s): b:1,c:2\n"})");
  EXPECT_EQ(reader.images(), (std::vector<std::string>{"a:1", "b:1", "c:2"}));
}

TEST(EventTest, ReadsEventsAndIgnoresOthers) {
  const auto event = ReadEvent(
      R"({"Type":"container","Action":"die","Actor":{"ID":"abc","Attributes":{"exitCode":"3"}},)"
      R"("timeNano":1700000000000000001})");
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->id, "abc");
  EXPECT_EQ(event->attributes.at("exitCode"), "3");
  EXPECT_EQ(event->time, 1700000000000000001);
  EXPECT_EQ(ReadEvent("{}"), std::nullopt);
  EXPECT_EQ(ReadEvent("{\"Type\":1,\"Action\":[]}"), std::nullopt);
  EXPECT_EQ(ReadEvent("{{"), std::nullopt);
}

TEST(JsonTest, TimesAndDepth) {
  EXPECT_EQ(ParseTime("1970-01-01T00:00:01.5Z"), 1500000000);
  EXPECT_EQ(ParseTime("2024-02-29T12:00:00.000000001+02:00"), 1709200800000000001);
  for (const char* none :
       {"", "0001-01-01T00:00:00Z", "2024-13-01T00:00:00Z", "2024-01-01", "2024-01-01T00:00:00",
        "2024-01-01T00:00:00.Z", "9999-01-01T00:00:00Z"}) {
    EXPECT_EQ(ParseTime(none), 0) << none;
  }
  EXPECT_THROW(ParseJson(std::string(100000, '['), "x"), drover::Error);
  EXPECT_THROW(ParseJson(std::string(200, '[') + std::string(200, ']'), "x"), drover::Error);
  EXPECT_EQ(TextAt(json::parse(R"({"a":{"b":"c"}})"), {"a", "b"}), "c");
  EXPECT_EQ(TextAt(json::parse(R"({"a":["b"]})"), {"a", "b"}, "none"), "none");
}

TEST(ErrorTest, StatusAndWords) {
  const EngineError error =
      ErrorOf(HttpResponse{HttpHead{404, {}}, R"({"message":"No such container: x"})"}, "inspect");
  EXPECT_TRUE(error.not_found());
  EXPECT_EQ(error.code(), drover::Code::kNotFound);
  EXPECT_EQ(error.message(), "inspect: No such container: x");
  const EngineError podman = ErrorOf(
      HttpResponse{HttpHead{500, {}}, R"({"cause":"no space","message":"write","response":500})"},
      "pull");
  EXPECT_TRUE(podman.recoverable());
  EXPECT_EQ(podman.reason(), "write: no space");
  EXPECT_EQ(Printable("a\x1B[31m\nb\xFF"), "a?[31m b?");
}

TEST(ContainerTest, AListedContainerHasItsOwnNameAndNotThatOfALink) {
  const ContainerInfo info = ReadListedContainer(
      json::parse(R"({"Id":"abc","Names":["/other/db","/db-1"],"State":"running"})"));
  EXPECT_EQ(info.name, "db-1");
}

TEST(ContainerTest, ReadsAnInspection) {
  const ContainerInfo info =
      ReadContainer(json::parse(R"({"Id":"abc","Name":"/web","Image":"sha256:1",
      "Config":{"Image":"redis","Labels":{"a":"b"},"Tty":true},
      "State":{"Status":"exited","Running":false,"OOMKilled":true,"ExitCode":137,
               "FinishedAt":"2024-05-01T10:00:00Z"},
      "NetworkSettings":{"Networks":{"bridge":{"IPAddress":"172.17.0.2"}}}})"));
  EXPECT_EQ(info.name, "web");
  EXPECT_TRUE(info.ended());
  EXPECT_TRUE(info.tty);
  EXPECT_TRUE(info.Exit().oom_killed);
  EXPECT_EQ(info.Exit().exit_code, 137);
  EXPECT_EQ(info.ip, "172.17.0.2");
  EXPECT_EQ(info.labels.at("a"), "b");
  EXPECT_THROW(ReadContainer(json::parse("[]")), drover::Error);
  EXPECT_THROW(ReadContainer(json::parse(R"({"Id":"x"})")), drover::Error);
  EXPECT_THROW(ReadContainer(json::parse(R"({"Id":"x","State":{"ExitCode":0}})")), drover::Error);
}

TEST(ContainerTest, WithoutAnExitCodeAnEndIsNoSuccess) {
  for (const char* code : {R"("0")", "null", "0.0", "{}", "2147483648", "4294967296", "-2147483649",
                           "18446744073709551615"}) {
    const ContainerInfo info = ReadContainer(json::parse(
        std::string(R"({"Id":"x","State":{"Status":"exited","ExitCode":)") + code + "}}"));
    EXPECT_EQ(info.Exit().exit_code, -1) << code;
    EXPECT_EQ(info.Exit().error, kNoExitCode) << code;
  }
  const ContainerInfo missing =
      ReadContainer(json::parse(R"({"Id":"x","State":{"Running":false,"Error":"no such file"}})"));
  EXPECT_EQ(missing.Exit().exit_code, -1);
  EXPECT_EQ(missing.Exit().error, std::string("no such file: ") + kNoExitCode);
  const ContainerInfo runs =
      ReadContainer(json::parse(R"({"Id":"x","State":{"Status":"running"}})"));
  EXPECT_TRUE(runs.running);
  EXPECT_EQ(runs.error, "");
  EXPECT_EQ(ExitCodeAt(json::parse(R"({"ExitCode":-2147483648})")), INT32_MIN);
}

}  // namespace
}  // namespace drover_docker
