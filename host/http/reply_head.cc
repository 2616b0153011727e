// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/reply_head.h"

#include <array>
#include <boost/beast/http/status.hpp>
#include <cstdio>
#include <ctime>

namespace drover {
namespace {

// Values can come from jobs. Control characters are replaced, so that no part of a value begins a
// new line.
void AddField(std::string* head, std::string_view name, std::string_view value) {
  head->append(name).append(": ");
  for (const char c : value) {
    const unsigned char u = c;
    head->push_back((u < ' ' && c != '\t') || u == 0x7f ? '?' : c);
  }
  head->append("\r\n");
}

}  // namespace

bool StatusHasBody(int status) { return status >= 200 && status != 204 && status != 304; }

std::string HttpDate(WallTime time) {
  static constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t seconds = time / 1'000'000'000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT", kDays[utc.tm_wday],
                utc.tm_mday, kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min,
                utc.tm_sec);
  return text.data();
}

std::string ReplyHead(const HttpReply& reply, const ReplyFraming& framing, WallTime now) {
  const auto reason =
      boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(reply.status));
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " ";
  head.append(reason.data(), reason.size()).append("\r\n");
  AddField(&head, "Date", HttpDate(now));
  if (!reply.content_type.empty()) AddField(&head, "Content-Type", reply.content_type);
  // Browsers must not replace the media type of a task's output by a type that they guess.
  AddField(&head, "X-Content-Type-Options", "nosniff");
  AddField(&head, "Vary", "Accept-Encoding");
  for (const auto& [name, value] : reply.headers) AddField(&head, name, value);
  if (framing.gzip) AddField(&head, "Content-Encoding", "gzip");
  if (framing.length) AddField(&head, "Content-Length", std::to_string(*framing.length));
  if (framing.chunked) AddField(&head, "Transfer-Encoding", "chunked");
  if (framing.close) AddField(&head, "Connection", "close");
  head.append("\r\n");
  return head;
}

}  // namespace drover
