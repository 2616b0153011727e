// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/stats/prometheus_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace drover {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string CleanName(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && out.empty()) out += '_';
    out += IsLetter(c) || digit ? c : '_';
  }
  return out;
}

std::string Quoted(const std::string& value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace

std::string PrometheusText(std::vector<Metric> metrics) {
  std::map<std::string, std::string> help;  // original names, by the names that CleanName returns
  for (Metric& metric : metrics) {
    std::string clean = CleanName(metric.name);
    help.emplace(clean, metric.name);
    metric.name = std::move(clean);
  }
  std::sort(metrics.begin(), metrics.end(), [](const Metric& a, const Metric& b) {
    return std::tie(a.name, a.labels) < std::tie(b.name, b.labels);
  });
  std::string out;
  const std::string* last = nullptr;
  for (const Metric& metric : metrics) {
    if (last == nullptr || *last != metric.name) {
      out += "# HELP " + metric.name + ' ' + help[metric.name] + "\n# TYPE " + metric.name +
             (metric.kind == Metric::Kind::kCounter ? " counter\n" : " gauge\n");
      last = &metric.name;
    }
    out += metric.name;
    char before = '{';
    for (const auto& [name, value] : metric.labels) {
      out += before + CleanName(name) + '=' + Quoted(value);
      before = ',';
    }
    if (!metric.labels.empty()) out += '}';
    out += ' ' + NumberText(metric.value) + '\n';
  }
  return out;
}

}  // namespace drover
