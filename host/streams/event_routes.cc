// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "host/base/text.h"
#include "host/request/access.h"
#include "host/request/admission.h"
#include "host/streams/event_feed.h"
#include "host/streams/event_filter.h"
#include "host/streams/live_stream.h"
#include "host/streams/stream_routes.h"

namespace drover {
namespace {

constexpr Duration kEventHeartbeat = 10s;
constexpr char kBeat[] = "{}\n";
constexpr char kTooSlow[] =
    "{\"Error\":\"events were written faster than this client has read them, and some are gone: "
    "subscribe again\"}\n";
constexpr char kRevoked[] = "{\"Error\":\"Permission denied\"}\n";
// The maximum number of events in a line of the event stream. A line also ends when it has
// kLongLine bytes. The remaining events of a write follow in further lines with the same index.
constexpr std::size_t kMostEvents = 256;
constexpr std::size_t kLongLine = std::size_t{1} << 20;
// The size in bytes at which a piece of the event stream is sent. A piece ends with a whole line,
// so it may be larger.
constexpr std::size_t kChunk = 256 << 10;

// Reads the events of the store only as fast as the client receives them. While the reader waits
// for the client, it stores no events.
class EventReader {
 public:
  EventReader(const EventLog* log, EventFeed* feed, const EventFilter* filter, std::uint64_t next)
      : log_(log), feed_(feed), filter_(filter), at_{next, 0} {}

  enum class Found { kNothing, kSome, kGone };
  // Sets TEXT to the next events, up to about kChunk bytes. TEXT stays null if the client wants
  // none of these events. Returns kNothing if there are no more events, and kSome if there may be
  // more. Returns kGone if the log dropped some events before this reader read them.
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
  // Returns the index of the next write to read. All events with a lower index have been read.
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
  // Adds the remaining events of BATCH to LINES. Returns false if LINES becomes full before that.
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
  // Adds one line to TEXT, with the next events of BATCH that the client wants. Adds nothing if the
  // client wants none of them.
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
  bool first_ = true;  // true until the first read, which ignores dropped events
};

// The topics for whose events a client needs to read jobs.
constexpr std::string_view kTopicsOfJobs[] = {"Job",        "Evaluation", "Allocation",
                                              "Deployment", "Service",    "JobRestart"};

// Returns whether ACL may subscribe to TOPIC in NAME, a namespace or "*".
bool MaySubscribe(const Acl& acl, const std::string& topic, const std::string& name) {
  if (acl.is_management()) return true;
  if (std::find(std::begin(kTopicsOfJobs), std::end(kTopicsOfJobs), topic) !=
      std::end(kTopicsOfJobs)) {
    return acl.Allows(name, {Capability::kReadJob});
  }
  if (topic == "Variable") return acl.AllowsAnyVariable(name);
  if (topic == "HostVolume") return acl.Allows(name, {Capability::kHostVolumeRead});
  if (topic == "Node") return acl.Allows(AclArea::kNode, AclLevel::kRead);
  if (topic == "Operator") return acl.Allows(AclArea::kOperator, AclLevel::kRead);
  return false;  // all topics at once, and those about access
}

// Returns whether ACL may see EVENT, which has a namespace.
bool MaySeeEvent(const Acl& acl, const StateEvent& event) {
  if (event.topic() == Topic::kVariable) {
    return acl.AllowsVariable(event.Namespace(), event.Key(), VariableRight::kList);
  }
  if (event.topic() == Topic::kVolume) {
    return acl.Allows(event.Namespace(), {Capability::kHostVolumeRead});
  }
  return acl.Allows(event.Namespace(), {Capability::kReadJob});
}

// What the client of a stream may see, which may change while the stream goes on.
class StreamAccess {
 public:
  StreamAccess(ApiRequest* request, EventFilter* filter) : request_(request), filter_(filter) {}

  // Limits the filter to what the client may see now. Returns an error if the client may not have
  // the stream any more. Costs nothing if no token, policy, role or setting has changed.
  Status Renew() {
    const ApiAgent& agent = request_->agent();
    if (agent.resolver == nullptr) return {};
    const HttpRequest& http = request_->http();
    Loop* const loop = request_->exchange()->loop();
    const AclResolver::Stamp stamp = agent.resolver->StampNow();
    const AclPrincipal& before = request_->caller().principal;
    // A token ends with its time, and the identity of a task with its allocation.
    const bool may_have_ended =
        before.acl->task() || (before.token != nullptr && before.token->IsExpired(loop->Wall()));
    if (stamp_ == stamp && !may_have_ended) return {};
    DROVER_ASSIGN(AclPrincipal principal,
                  WhoAsks(agent, request_->caller().entrance, http, GivenToken(http), loop));
    request_->SetPrincipal(principal);
    for (const std::string& topic : filter_->Topics()) {
      if (!MaySubscribe(*principal.acl, topic, request_->Namespace())) {
        return Error(Code::kPermissionDenied, "Permission denied");
      }
    }
    if (!principal.acl->is_management()) {
      const std::string version =
          std::to_string(stamp.state) + "." + std::to_string(stamp.settings);
      filter_->LimitTo(
          principal.name + "@" + version,
          [acl = principal.acl](const StateEvent& event) { return MaySeeEvent(*acl, event); });
    }
    stamp_ = stamp;
    return {};
  }

 private:
  ApiRequest* const request_;
  EventFilter* const filter_;
  std::optional<AclResolver::Stamp> stamp_;  // of the last look; absent before the first
};

// Writes the events that exist now. The next call writes the events that are added during this
// call. Sets WROTE to true if the client wanted any of the events, and otherwise to false.
Co<Status> WriteAll(LiveStream* stream, EventReader* reader, const EventLog* log, bool* wrote) {
  const std::uint64_t last = log->last_index();
  *wrote = false;
  do {
    std::shared_ptr<const SharedPiece> text;
    const EventReader::Found found = reader->Read(&text);
    if (found == EventReader::Found::kNothing) break;
    if (found == EventReader::Found::kGone) {
      DROVER_CO_TRY(co_await stream->Write(kTooSlow));
      co_return Error(Code::kUnavailable, "the client is too slow");
    }
    if (text == nullptr) continue;
    *wrote = true;
    DROVER_CO_TRY(co_await stream->WriteShared(std::move(text)));
  } while (reader->next() <= last);
  co_return Status();
}

// Writes events to STREAM until the client has disconnected, or until events were dropped before
// the slow client received them.
Co<Status> Follow(LiveStream* stream, EventReader* reader, StateStore* store, const EventFeed* feed,
                  StreamAccess* access) {
  const Context context = stream->context();
  while (true) {
    bool wrote = false;
    const Status may = access->Renew();
    if (!may.ok()) {
      DROVER_CO_TRY(co_await stream->Write(kRevoked));
      co_return may;
    }
    DROVER_CO_TRY(co_await WriteAll(stream, reader, &store->events(), &wrote));
    const Duration pause = wrote ? feed->Pause() : Duration(0);
    if (pause > Duration(0)) DROVER_CO_TRY(co_await Sleep(context, pause));
    DROVER_CO_TRY(co_await store->WaitEvents(context, reader->next() - 1));
  }
}

Co<Answer> StreamEvents(ApiRequest* request, std::shared_ptr<EventFeed> feed) {
  const std::string text = request->Text("index");
  const auto index = ParseNumber<std::uint64_t>(text.empty() ? "0" : text);
  if (!index) {
    co_return ErrorAnswer(400, "Unable to parse index: \"" + text + "\" is not a number");
  }
  DROVER_CO_ASSIGN(EventFilter filter,
                   EventFilter::Parse(request->http().query, request->Namespace()));
  StreamAccess access(request, &filter);
  DROVER_CO_TRY(access.Renew());
  LiveStream stream(request->exchange());
  HttpReply head;
  Status sent = co_await stream.Start(std::move(head), kBeat, kEventHeartbeat);
  // Sends a heartbeat at once, so that clients see that the stream works.
  if (sent.ok()) sent = co_await stream.Write(kBeat);
  // An error of Follow is ignored. Either the client has disconnected, or the stream has already
  // sent the error to the client.
  StateStore* const store = request->agent().store;
  const EventFeed::Follower follower(feed.get());
  EventReader reader(&store->events(), feed.get(), &filter, std::max<std::uint64_t>(*index, 1));
  if (sent.ok()) (void)co_await Follow(&stream, &reader, store, feed.get(), &access);
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
