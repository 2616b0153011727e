// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/cli/api_client.h"
#include "host/cli/curl_library.h"

namespace drover {

struct CurlReply {
  std::string body;         // unless somebody took it as it came
  std::uint64_t index = 0;  // X-Nomad-Index; 0: there was none
};

// TEXT with its odd characters escaped for a URL.
std::string UrlEscaped(std::string_view text);
// Where OPTIONS have the agent answer PATH.
std::string ApiUrl(const ClientOptions& options, const std::string& path, const Query& query);

// One request of a handle of libcurl, which holds pointers into this for as long as it lives.
class CurlRequest {
 public:
  static Error NoMemory();

  // The pointers outlive this. HANDLE's connections stay open, all else of it is set anew.
  CurlRequest(const CurlLibrary* curl, CURL* handle, const ClientOptions* options);
  CurlRequest(const CurlRequest&) = delete;
  CurlRequest& operator=(const CurlRequest&) = delete;
  ~CurlRequest();

  // Before Prepare: who gets the body of a success as it comes, and what is sent.
  void SetTake(TakeBytes take) { take_ = std::move(take); }
  void SetBody(std::string body);
  // SECONDS: 0 for as long as it takes.
  void Prepare(const char* method, const std::string& path, const Query& query, long seconds);
  // What came of it, CODE being what libcurl says of it.
  Result<CurlReply> Finish(CURLcode code);

  // In place of the three: only connects, so that the handle can be read and written.
  Status Connect();

 private:
  template <typename Value>
  void Set(CURLoption option, Value value) {
    curl_->setopt(handle_, option, value);
  }
  void SetConnection();
  bool IsSocket() const { return options_->address.starts_with("unix://"); }
  static std::size_t OnBody(char* data, std::size_t, std::size_t size, void* to);
  static std::size_t OnHeader(char* data, std::size_t, std::size_t size, void* to);
  Error Unreachable(CURLcode code) const;
  Error Refused(long status) const;

  const CurlLibrary* const curl_;
  CURL* const handle_;
  const ClientOptions* const options_;
  TakeBytes take_;
  std::string what_;  // the method and the path
  std::string body_;
  bool has_body_ = false;
  curl_slist* headers_ = nullptr;
  char complaint_[CURL_ERROR_SIZE] = "";
  bool success_ = false;  // as the first line of the answer says
  CurlReply reply_;
};

}  // namespace drover
