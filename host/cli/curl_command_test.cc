// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/curl_command.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

ClientRequest RequestFor(const std::string& path) {
  ClientRequest request;
  request.path = path;
  return request;
}

ClientOptions OptionsFor(const std::string& address) {
  ClientOptions options;
  options.address = address;
  return options;
}

TEST(CurlCommandTest, APlainRequest) {
  EXPECT_EQ(*CurlCommand(RequestFor("/v1/jobs"), OptionsFor("http://127.0.0.1:4646"), "", false),
            "curl \\\n  -X GET \\\n  'http://127.0.0.1:4646/v1/jobs'");
}

TEST(CurlCommandTest, EveryPartOfARequest) {
  ClientRequest request = RequestFor("/v1/jobs?a=b");
  request.method = "PUT";
  request.body = "{}";
  request.headers = {{"X-Who", "it's me"}};
  request.query = {{"filter", "ID == \"a\""}};
  ClientOptions options = OptionsFor("https://host:4646/behind");
  options.token = "secret";
  options.ca_cert = "ca.pem";
  options.ca_path = "/etc/ca's";
  options.client_cert = "cert.pem";
  options.client_key = "key.pem";
  options.tls_skip_verify = true;
  const std::string begin =
      "curl \\\n"
      "  --verbose \\\n"
      "  -X PUT \\\n"
      "  --data-binary @- \\\n"
      "  -H 'Content-Type: application/json' \\\n"
      "  --cacert 'ca.pem' \\\n"
      "  --capath '/etc/ca'\\''s' \\\n"
      "  --cert 'cert.pem' \\\n"
      "  --key 'key.pem' \\\n"
      "  --insecure \\\n"
      "  -H 'X-Who: it'\\''s me' \\\n";
  const std::string end =
      " \\\n  'https://host:4646/behind/v1/jobs?a=b&filter=ID%20%3D%3D%20%22a%22'";
  EXPECT_EQ(*CurlCommand(request, options, "NOMAD_TOKEN", true),
            begin + "  -H \"X-Nomad-Token: ${NOMAD_TOKEN}\"" + end);
  EXPECT_EQ(*CurlCommand(request, options, "", true), begin + "  -H 'X-Nomad-Token: secret'" + end);
}

TEST(CurlCommandTest, HeadersOfTheUserReplaceOthers) {
  ClientRequest request = RequestFor("/v1/jobs");
  request.body = "x";
  request.headers = {{"x-nomad-token", "other"}, {"content-type", "text/plain"}};
  ClientOptions options = OptionsFor("http://h");
  options.token = "secret";
  EXPECT_EQ(*CurlCommand(request, options, "NOMAD_TOKEN", false),
            "curl \\\n  -X GET \\\n  --data-binary @- \\\n  -H 'x-nomad-token: other' \\\n"
            "  -H 'content-type: text/plain' \\\n  'http://h/v1/jobs'");
}

TEST(CurlCommandTest, SocketsAndUsers) {
  EXPECT_EQ(*CurlCommand(RequestFor("/v1/jobs"), OptionsFor("unix:///run/d.sock"), "", false),
            "curl \\\n  -X GET \\\n  --unix-socket '/run/d.sock' \\\n"
            "  'http://localhost/v1/jobs'");
  EXPECT_EQ(*CurlCommand(RequestFor("/v1/jobs"), OptionsFor("http://me%40x:pass@h/p"), "", false),
            "curl \\\n  -X GET \\\n  -u 'me@x' \\\n  'http://h/p/v1/jobs'");
  EXPECT_FALSE(CurlCommand(RequestFor("/v1/jobs"), OptionsFor("http://"), "", false).ok());
}

}  // namespace
}  // namespace drover
