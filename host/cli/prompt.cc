// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/prompt.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "host/base/printable.h"
#include "host/base/text.h"

namespace drover {
namespace {

constexpr std::size_t kLongestAnswer = 4096;

}  // namespace

std::optional<PromptAnswer> ReadAnswer(std::string_view text, bool default_yes,
                                       bool takes_duration) {
  using Kind = PromptAnswer::Kind;
  std::string word;
  for (const char c : Trim(text)) {
    if (c == '\r') continue;
    word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (word.empty()) return PromptAnswer{default_yes ? Kind::kYes : Kind::kNo};
  if (word == "y" || word == "yes") return PromptAnswer{Kind::kYes};
  if (word == "n" || word == "no") return PromptAnswer{Kind::kNo};
  if (!takes_duration) return std::nullopt;
  const Result<Duration> duration = ParseDuration(word);
  if (!duration.ok() || *duration < 0s) return std::nullopt;
  return PromptAnswer{Kind::kDuration, *duration};
}

bool Prompt::IsInteractive() { return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1; }

std::optional<std::string> Prompt::ReadLine(PromptAnswer::Kind* kind) {
  for (;;) {
    const std::size_t end = rest_.find('\n');
    if (end != std::string::npos) {
      std::string line = rest_.substr(0, end);
      rest_.erase(0, end + 1);
      return line;
    }
    pollfd both[] = {{STDIN_FILENO, POLLIN, 0}, {signals_->fd(), POLLIN, 0}};
    if (poll(both, 2, -1) < 0 && errno != EINTR) break;
    while (const int number = signals_->Next()) {
      if (number == SIGWINCH) continue;
      *kind = number == SIGINT ? PromptAnswer::Kind::kInterrupted : PromptAnswer::Kind::kKilled;
      rest_.clear();
      return std::nullopt;
    }
    if (both[0].revents == 0) continue;
    char buffer[512];
    const ssize_t size = read(STDIN_FILENO, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    rest_.append(buffer, static_cast<std::size_t>(size));
    if (rest_.size() > kLongestAnswer && rest_.find('\n') == std::string::npos) rest_.clear();
  }
  *kind = PromptAnswer::Kind::kEnded;
  return std::nullopt;
}

PromptAnswer Prompt::Ask(const std::string& question, bool default_yes, bool takes_duration) {
  const std::string choices =
      std::string(default_yes ? "[Y/n" : "[y/N") + (takes_duration ? "/<wait duration>]" : "]");
  for (;;) {
    std::printf("%s %s ", Printable(question).c_str(), choices.c_str());
    std::fflush(stdout);
    PromptAnswer none;
    const std::optional<std::string> line = ReadLine(&none.kind);
    if (!line) {
      std::printf("\n");
      std::fflush(stdout);
      return none;
    }
    if (const auto answer = ReadAnswer(*line, default_yes, takes_duration)) return *answer;
    std::printf("Invalid answer \"%s\"\n", Printable(Trim(*line)).c_str());
  }
}

}  // namespace drover
