// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/cli/exec_terminal.h"

namespace drover {

// What somebody has answered to a question.
struct PromptAnswer {
  enum class Kind {
    kYes,
    kNo,
    kDuration,     // only where a duration is asked for
    kInterrupted,  // Ctrl-C
    kEnded,        // the end of the input
    kKilled,       // a signal that ends this program
  };
  Kind kind = Kind::kEnded;
  Duration duration{0};
};

// Reads TEXT, an answer to a question. An empty one means DEFAULT_YES. Returns nothing for another
// word than y, yes, n and no, or a duration, which counts only with TAKES_DURATION.
std::optional<PromptAnswer> ReadAnswer(std::string_view text, bool default_yes,
                                       bool takes_duration);

// Asks questions while the signals that would end this program are caught.
class Prompt {
 public:
  // SIGNALS must outlive this object.
  explicit Prompt(SignalQueue* signals) : signals_(signals) {}

  // Returns whether there is somebody who can answer: standard input and output are a terminal.
  static bool IsInteractive();

  // Prints QUESTION with the possible answers, and returns the answer. Asks again until the answer
  // is one of them.
  PromptAnswer Ask(const std::string& question, bool default_yes, bool takes_duration = false);

 private:
  // Reads one line. Returns nothing if KIND says why there is none.
  std::optional<std::string> ReadLine(PromptAnswer::Kind* kind);

  SignalQueue* const signals_;
  std::string rest_;  // what was read behind the last line
};

}  // namespace drover
