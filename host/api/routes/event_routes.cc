// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <utility>

#include "host/api/routes/event_feed.h"
#include "host/api/routes/event_filter.h"
#include "host/api/routes/live_stream.h"
#include "host/api/routes/router.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr Duration kHeartbeat = 10s;
constexpr char kBeat[] = "{}\n";
// Of a line: a write that has changed more is told in several, all with its index.
constexpr std::size_t kMostEvents = 256;
constexpr std::size_t kLongLine = std::size_t{1} << 20;
// What is written at a time: one more line may follow.
constexpr std::size_t kChunk = 256 << 10;

std::string Line(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

// Reads the store's events at the pace of its client. It holds none of them while the client makes
// it wait.
class EventReader {
 public:
  EventReader(const EventLog* log, EventFeed* feed, const EventFilter* filter, std::uint64_t next)
      : log_(log), feed_(feed), filter_(filter), at_{next, 0} {}

  enum class Found { kNothing, kSome, kGone };
  // What there is now is put into TEXT, up to about kChunk; null when none of it is wanted. kSome:
  // there may be more. kGone: some have been dropped before this read them.
  Found Read(std::shared_ptr<const SharedPiece>* text) {
    const EventFeed::Position begin = at_;
    if (std::optional<EventFeed::Piece> known = feed_->Find(filter_->key(), begin)) {
      at_ = known->end;
      first_ = false;
      *text = std::move(known->text);
      return Found::kSome;
    }
    std::string lines;
    const Found found = Collect(&lines);
    if (found != Found::kSome) return found;
    if (!lines.empty()) *text = std::make_shared<const SharedPiece>(lines);
    feed_->Keep(filter_->key(), begin, {*text, at_});
    return found;
  }
  // All below this index has been read.
  std::uint64_t next() const { return at_.next; }

 private:
  Found Collect(std::string* lines) {
    Found found = Found::kNothing;
    while (lines->size() < kChunk) {
      const EventLog::Page page = log_->From(at_.next);
      if (!page.complete && !first_) return found == Found::kSome ? found : Found::kGone;
      first_ = false;
      if (page.batches.empty()) break;
      found = Found::kSome;
      for (const std::shared_ptr<const EventBatch>& batch : page.batches) {
        if (!AddLines(batch, lines)) return found;
      }
    }
    return found;
  }
  // The rest of BATCH, unless there is enough.
  bool AddLines(const std::shared_ptr<const EventBatch>& batch, std::string* lines) {
    if (batch->index != at_.next) at_.done = 0;
    at_.next = batch->index;
    while (at_.done < batch->events.size()) {
      if (lines->size() >= kChunk) return false;
      AddLine(batch, lines);
    }
    ++at_.next;
    at_.done = 0;
    return true;
  }
  // One line with those events behind the first done ones that the client wants, or none.
  void AddLine(const std::shared_ptr<const EventBatch>& batch, std::string* text) {
    std::shared_ptr<EncodedBatch> encoded;
    std::size_t events = 0, bytes = 0;
    for (; at_.done < batch->events.size() && events < kMostEvents && bytes < kLongLine;
         ++at_.done) {
      if (!filter_->Wants(batch->events[at_.done])) continue;
      if (encoded == nullptr) encoded = feed_->Encoded(batch);
      const std::string& event = encoded->Text(at_.done);
      *text += events == 0 ? "{\"Events\":[" : ",";
      *text += event;
      bytes += event.size();
      ++events;
    }
    if (events > 0) *text += "],\"Index\":" + std::to_string(batch->index) + "}\n";
  }

  const EventLog* const log_;
  EventFeed* const feed_;
  const EventFilter* const filter_;
  EventFeed::Position at_;
  bool first_ = true;  // what was dropped before is nobody's loss
};

// Writes what there is now. What comes meanwhile is for the next turn, so that it gathers. WROTE:
// some of it was wanted.
Co<Status> WriteAll(LiveStream* stream, EventReader* reader, const EventLog* log, bool* wrote) {
  const std::uint64_t last = log->last_index();
  *wrote = false;
  do {
    std::shared_ptr<const SharedPiece> text;
    const EventReader::Found found = reader->Read(&text);
    if (found == EventReader::Found::kNothing) break;
    if (found == EventReader::Found::kGone) {
      std::string line = Line({{"Error",
                                "events were written faster than this client has read "
                                "them, and some are gone: subscribe again"}});
      DROVER_CO_TRY(co_await stream->Write(std::move(line)));
      co_return Error(Code::kUnavailable, "the client is too slow");
    }
    if (text == nullptr) continue;
    *wrote = true;
    DROVER_CO_TRY(co_await stream->WriteShared(std::move(text)));
  } while (reader->next() <= last);
  co_return Status();
}

// Until the client has gone, or was too slow for what is kept.
Co<Status> Follow(LiveStream* stream, EventReader* reader, StateStore* store,
                  const EventFeed* feed) {
  const Context context = stream->context();
  while (true) {
    bool wrote = false;
    DROVER_CO_TRY(co_await WriteAll(stream, reader, &store->events(), &wrote));
    const Duration pause = wrote ? feed->Pause() : Duration(0);
    if (pause > Duration(0)) DROVER_CO_TRY(co_await Sleep(context, pause));
    const std::uint64_t last = reader->next() - 1;
    DROVER_CO_TRY(co_await store->WaitEvents(context, last));
  }
}

Co<Answer> StreamEvents(ApiRequest* request, std::shared_ptr<EventFeed> feed) {
  std::uint64_t index = 0;
  const std::string text = request->Text("index");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (!text.empty() && (error != std::errc() || end != text.data() + text.size())) {
    co_return ErrorAnswer(400, "Unable to parse index: \"" + text + "\" is no number");
  }
  const Result<EventFilter> filter =
      EventFilter::Parse(request->http().query, request->Namespace());
  if (!filter.ok()) co_return ErrorAnswer(filter.error());
  LiveStream stream(request->exchange());
  HttpReply head;
  Status told = co_await stream.Start(std::move(head), kBeat, kHeartbeat);
  std::string beat = kBeat;  // at once, so that clients know that they are heard
  if (told.ok()) told = co_await stream.Write(std::move(beat));
  // However it ends, the client knows or has gone.
  StateStore* const store = request->agent().store;
  const EventFeed::Follower follower(feed.get());
  EventReader reader(&store->events(), feed.get(), &*filter, std::max<std::uint64_t>(index, 1));
  if (told.ok()) told = co_await Follow(&stream, &reader, store, feed.get());
  co_await stream.End();
  co_return StreamedAnswer();
}

}  // namespace

std::vector<Route> EventRoutes() {
  const auto feed = std::make_shared<EventFeed>();
  return {{"GET", "/v1/event/stream",
           [feed](ApiRequest* request) { return StreamEvents(request, feed); }}};
}

}  // namespace drover
