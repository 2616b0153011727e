// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/router.h"
#include "host/stats/metric_registry.h"
#include "host/stats/prometheus_text.h"

namespace drover {
namespace {

using nlohmann::json;

// Returns TIME in the form "2026-11-22 08:15:30 +0000 UTC".
std::string MetricsTime(WallTime time) {
  const std::time_t seconds = time / 1'000'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S +0000 UTC", &parts);
  return text;
}

// Encodes the metrics in Nomad's format. AGE is the time in seconds since the agent started. Nomad
// describes a counter as a series of values. Here each of these values is 1, so the sum equals the
// count.
json EncodeMetrics(const std::vector<Metric>& metrics, json samples, WallTime now, double age) {
  json gauges = json::array(), counters = json::array();
  for (const Metric& metric : metrics) {
    if (metric.kind == Metric::Kind::kGauge) {
      gauges.push_back({{"Name", metric.name}, {"Value", metric.value}, {"Labels", metric.labels}});
      continue;
    }
    const double each = metric.value > 0 ? 1 : 0;
    counters.push_back({{"Name", metric.name},
                        {"Count", static_cast<std::uint64_t>(metric.value)},
                        {"Rate", age > 0 ? metric.value / age : 0},
                        {"Sum", metric.value},
                        {"Min", each},
                        {"Max", each},
                        {"Mean", each},
                        {"Stddev", 0},
                        {"Labels", metric.labels}});
  }
  return {{"Timestamp", MetricsTime(now)},
          {"Gauges", std::move(gauges)},
          {"Points", json::array()},
          {"Counters", std::move(counters)},
          {"Samples", std::move(samples)}};
}

// Encodes the durations that METRICS measured in the last complete SampleWindow, in milliseconds.
json EncodeSamples(const MetricRegistry& metrics, const std::string& host, TimePoint now) {
  json samples = json::array();
  const double seconds = std::chrono::duration<double>(SampleWindow::kLength).count();
  for (const auto& [name, seen] : metrics.Samples(now)) {
    if (seen.count == 0) continue;
    samples.push_back({{"Name", name},
                       {"Count", seen.count},
                       {"Rate", seen.sum / seconds},
                       {"Sum", seen.sum},
                       {"Min", seen.least},
                       {"Max", seen.most},
                       {"Mean", seen.Mean()},
                       {"Stddev", seen.Deviation()},
                       {"Labels", {{"host", host}}}});
  }
  return samples;
}

Co<Answer> ReadMetrics(ApiRequest* request) {
  const ApiAgent& agent = request->agent();
  const bool prometheus = request->Text("format") == "prometheus";
  const std::shared_ptr<const ApiSettings> settings = agent.settings.Get();
  if (prometheus && !settings->prometheus) co_return ErrorAnswer(415, "Prometheus is not enabled");
  std::vector<Metric> metrics = agent.metrics->Look();
  if (settings->alloc_metrics) {
    DROVER_CO_ASSIGN(std::vector<Metric> more, co_await request->Control(settings->alloc_metrics));
    for (Metric& metric : more) metrics.push_back(std::move(metric));
  }
  for (Metric& metric : metrics) metric.labels["host"] = agent.name;
  Loop* const loop = request->exchange()->loop();
  if (!prometheus) {
    const std::chrono::duration<double> age = loop->Now() - agent.started;
    json samples = EncodeSamples(*agent.metrics, agent.name, loop->Now());
    co_return JsonAnswer(EncodeMetrics(metrics, std::move(samples), loop->Wall(), age.count()));
  }
  Answer answer;
  answer.reply.content_type = kPrometheusType;
  answer.reply.body = PrometheusText(std::move(metrics));
  co_return answer;
}

}  // namespace

std::vector<Route> MetricsRoutes() { return {{"GET", "/v1/metrics", ReadMetrics}}; }

}  // namespace drover
