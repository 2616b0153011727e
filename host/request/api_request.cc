// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/request/api_request.h"

#include <algorithm>
#include <random>

#include "host/base/text.h"
#include "host/filter/list_filter.h"
#include "host/request/admission_watch.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

// The maximum size in bytes of a body that the JSON parser accepts. The HTTP server refuses much
// smaller bodies, so no body reaches this limit.
constexpr std::size_t kMaxBody = std::size_t{1} << 30;
// The number of list elements that are encoded before other requests on the same thread continue.
constexpr int kSlice = 32;
constexpr Duration kLongestWait = std::chrono::minutes(5);

int StatusOf(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return 400;
    case Code::kNotFound:
      return 404;
    case Code::kPermissionDenied:
      return 403;
    case Code::kUnimplemented:
      return 501;
    default:
      return 500;
  }
}

}  // namespace

Result<std::uint64_t> WantedIndex(const ApiRequest& request) {
  const std::string text = request.Text("index");
  if (text.empty()) return std::uint64_t{0};
  const auto index = ParseNumber<std::uint64_t>(text);
  if (!index) return Error(Code::kInvalidArgument, "Invalid index");
  return *index;
}

Result<Duration> WantedWait(const ApiRequest& request) {
  const std::string text = request.Text("wait");
  Duration wait = kLongestWait;
  if (!text.empty()) {
    const Result<Duration> parsed = ParseDuration(text);
    if (!parsed.ok() || *parsed < Duration(0)) {
      return Error(Code::kInvalidArgument, "Invalid wait time");
    }
    if (*parsed > Duration(0)) wait = std::min(*parsed, kLongestWait);
  }
  // A random time is added to the maximum wait, so that requests that began to wait together do not
  // all end their wait together.
  static thread_local std::minstd_rand random{std::random_device{}()};
  const Duration spread(std::uniform_int_distribution<Duration::rep>(0, wait.count() / 16)(random));
  return wait + spread;
}

Answer::Answer(const Error& error) : reply(TextReply(StatusOf(error.code()), error.message())) {}

Answer ErrorAnswer(int status, const std::string& text) { return Answer(TextReply(status, text)); }

Answer JsonAnswer(const nlohmann::json& body, std::optional<std::uint64_t> index) {
  Answer answer;
  answer.reply.body = JsonText(body);
  answer.index = index;
  return answer;
}

Answer EmptyAnswer() {
  Answer answer;
  answer.reply.content_type.clear();
  return answer;
}

Answer DeniedAnswer() { return ErrorAnswer(403, "Permission denied"); }

Answer StreamedAnswer() {
  Answer answer;
  answer.streamed = true;
  return answer;
}

std::string ApiRequest::Text(const char* name) const {
  const std::string* value = http().Query(name);
  return value == nullptr ? "" : *value;
}

Result<std::optional<std::uint64_t>> ApiRequest::Number(const char* name) const {
  const std::string text = Text(name);
  if (text.empty()) return std::optional<std::uint64_t>();
  const auto number = ParseNumber<std::uint64_t>(text);
  if (!number) {
    return Error(Code::kInvalidArgument, std::string("Failed to parse value of \"") + name +
                                             "\": \"" + text + "\" is not a number");
  }
  return number;
}

bool ApiRequest::Flag(const char* name, bool missing) const {
  return ParseBool(Text(name)).value_or(missing);
}

std::string NamespaceInQuery(const HttpRequest& http) {
  const std::string* const name = http.Query("namespace");
  return name == nullptr || name->empty() ? "default" : *name;
}

Result<nlohmann::json> ApiRequest::Body() const {
  if (http().body.empty()) return Error(Code::kInvalidArgument, "Request body is empty");
  DROVER_ASSIGN(nlohmann::json body, ParseStrictJson(http().body, {.bytes = kMaxBody}));
  if (!body.is_object()) {
    return Error(Code::kInvalidArgument, "the body must be a JSON object");
  }
  return body;
}

Co<Answer> AnswerRead(ApiRequest* request, TableMask mask, Look look) {
  DROVER_CO_ASSIGN(const std::uint64_t newer_than, WantedIndex(*request));
  DROVER_CO_ASSIGN(const Duration wait, WantedWait(*request));
  const Context& context = request->exchange()->context();
  const Context limited = context.WithTimeout(wait);
  StateStore* const store = request->agent().store;
  std::uint64_t seen = newer_than;  // index up to which the last read saw all changes
  AdmissionWatch watch(request);
  while (true) {
    bool late = true;
    if (newer_than > 0) {
      const Status newer = co_await store->WaitNewer(limited, mask, seen);
      if (context.cancelled()) co_return ErrorAnswer(500, context.status().error().message());
      late = !newer.ok();
      // The client may have lost its right while it waited.
      DROVER_CO_TRY(watch.Check());
    }
    Found found;
    store->Read([&](const Tables& tables) {
      found = look(tables);
      seen = tables.IndexOf(mask);
    });
    found.index = std::max<std::uint64_t>(found.index, 1);
    if (!late && found.index <= newer_than) continue;
    Answer answer = co_await found.encode();
    answer.index = found.index;
    co_return answer;
  }
}

Co<Answer> AnswerNoList(ApiRequest* request) {
  constexpr TableMask kNone = 0;
  return AnswerRead(request, kNone, [](const Tables& tables) {
    return Found{tables.IndexOf(kNone), [] { return JsonAnswer(nlohmann::json::array()); }};
  });
}

void JsonListText::Add(const nlohmann::json& element) {
  if (size_++ > 0) text_ += ',';
  text_ += JsonText(element);
}

Answer JsonListText::Take() && {
  Answer answer;
  answer.reply.body = std::move(text_) + "]";
  return answer;
}

Co<Answer> ListAnswer(ApiRequest* request, std::vector<ListItem> items) {
  std::optional<ListFilter> filter;
  if (const std::string text = request->Text("filter"); !text.empty()) {
    Result<ListFilter> parsed = ListFilter::Parse(text);
    if (!parsed.ok()) co_return parsed.error();
    filter = std::move(*parsed);
  }
  if (request->Flag("reverse")) std::reverse(items.begin(), items.end());
  std::size_t per_page = 0;
  if (const std::string text = request->Text("per_page"); !text.empty()) {
    const auto number = ParseNumber<std::size_t>(text);
    if (!number) co_return ErrorAnswer(400, "Invalid per_page: " + text + " is not a number");
    per_page = *number;
  }
  auto first = items.begin();
  if (const std::string token = request->Text("next_token"); !token.empty()) {
    first = std::find_if(items.begin(), items.end(),
                         [&](const ListItem& item) { return item.key == token; });
    // If the element that next_token names no longer exists, the page begins with the next element
    // in the order of the list.
    if (first == items.end()) {
      const bool reverse = request->Flag("reverse");
      first = std::find_if(items.begin(), items.end(), [&](const ListItem& item) {
        return reverse ? item.key < token : item.key > token;
      });
    }
  }
  Answer answer;
  ListFilter::Budget budget;
  JsonListText list;
  int looked = 0;
  for (; first != items.end(); ++first) {
    if (++looked % kSlice == 0) co_await NextTurn(request->exchange()->loop());
    const bool full = per_page > 0 && list.size() == per_page;
    if (full && !filter) {
      answer.next_token = first->key;
      break;
    }
    if (filter) {
      DROVER_CO_ASSIGN(
          const bool chosen,
          filter->Chooses(first->whole ? first->whole(*filter) : first->encode(), &budget));
      if (!chosen) continue;
    }
    // The filter has chosen the current element. If the page is full, this element is the first of
    // the next page, and next_token names it.
    if (full) {
      answer.next_token = first->key;
      break;
    }
    list.Add(first->encode());
  }
  answer.reply = std::move(list).Take().reply;
  co_return answer;
}

std::uint64_t LastIndex(const ApiRequest& request) {
  std::uint64_t index = 0;
  request.agent().store->Read([&](const Tables& tables) { index = tables.last_index; });
  return index;
}

std::shared_ptr<const AllocRecord> FindAlloc(const ApiRequest& request, const std::string& id) {
  std::shared_ptr<const AllocRecord> record;
  request.agent().store->Read(
      [&](const Tables& tables) { record = Tables::Find(tables.allocs, id); });
  return record;
}

}  // namespace drover
