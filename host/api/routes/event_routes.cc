// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "host/api/routes/encode.h"
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

json Payload(const std::shared_ptr<const JobRecord>& job) { return {{"Job", EncodeJob(*job)}}; }
json Payload(const std::shared_ptr<const Evaluation>& eval) {
  return {{"Evaluation", EncodeEval(*eval)}};
}
json Payload(const std::shared_ptr<const AllocRecord>& alloc) {
  return {{"Allocation", EncodeAllocWithoutJob(*alloc)}};
}
json Payload(const std::shared_ptr<const NodeRecord>& node) {
  return {{"Node", EncodeNode(*node)}};
}

json EncodeEvent(const EventBatch& batch, const StateEvent& event) {
  json payload = std::visit([](const auto& record) { return Payload(record); }, event.record);
  if (event.erased) payload["Deleted"] = true;
  return {{"Topic", TopicName(event.topic())},
          {"Type", batch.TypeOf(event)},
          {"Key", event.Key()},
          {"Namespace", event.Namespace()},
          {"FilterKeys", event.FilterKeys()},
          {"Index", batch.index},
          {"Payload", std::move(payload)}};
}

std::string Line(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

// Tells the events of BATCH that FILTER wants.
Co<Status> Tell(LiveStream* stream, const EventFilter* filter,
                std::shared_ptr<const EventBatch> batch) {
  json events = json::array();
  for (std::size_t i = 0; i < batch->events.size(); ++i) {
    const StateEvent& event = batch->events[i];
    if (filter->Wants(event)) events.push_back(EncodeEvent(*batch, event));
    const bool last = i + 1 == batch->events.size();
    if (events.empty() || (events.size() < kMostEvents && !last)) continue;
    std::string line = Line({{"Index", batch->index}, {"Events", std::move(events)}});
    events = json::array();
    DROVER_CO_TRY(co_await stream->Write(std::move(line)));
  }
  co_return Status();
}

// Until the client has gone, or was too slow for what is kept.
Co<Status> Follow(LiveStream* stream, const EventFilter* filter, StateStore* store,
                  std::uint64_t next) {
  bool first = true;
  while (true) {
    const EventLog::Page page = store->events().From(next);
    if (!page.complete && !first) {
      std::string line = Line({{"Error",
                                "events were written faster than this client has read "
                                "them, and some are gone: subscribe again"}});
      co_return co_await stream->Write(std::move(line));
    }
    first = false;
    for (const std::shared_ptr<const EventBatch>& batch : page.batches) {
      DROVER_CO_TRY(co_await Tell(stream, filter, batch));
    }
    next = page.next;
    if (!page.batches.empty()) continue;
    const Context context = stream->context();
    DROVER_CO_TRY(co_await store->WaitEvents(context, next - 1));
  }
}

Co<Answer> StreamEvents(ApiRequest* request) {
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
  if (told.ok())
    told = co_await Follow(&stream, &*filter, request->agent().store,
                           std::max<std::uint64_t>(index, 1));
  co_await stream.End();
  co_return StreamedAnswer();
}

}  // namespace

std::vector<Route> EventRoutes() { return {{"GET", "/v1/event/stream", StreamEvents}}; }

}  // namespace drover
