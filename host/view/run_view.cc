// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/run_view.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <utility>

#include "host/base/printable.h"
#include "host/view/terminal.h"

namespace drover {
namespace {

using Colour = Terminal::Colour;

std::string ClockTime(WallTime time) {
  const std::time_t seconds = static_cast<std::time_t>(time / 1'000'000'000);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", &parts);
  return text;
}

std::string Padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string Mebibytes(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

Colour EventColour(const TaskEvent& event) {
  if (event.fails_task()) return Colour::kRed;
  if (event.type == event_type::kStarted) return Colour::kGreen;
  if (event.type == event_type::kRestarting || event.type == event_type::kKilling) {
    return Colour::kYellow;
  }
  return Colour::kBlue;
}

Colour StatusColour(ClientStatus status) {
  switch (status) {
    case ClientStatus::kComplete:
    case ClientStatus::kRunning:
      return Colour::kGreen;
    case ClientStatus::kFailed:
    case ClientStatus::kLost:
      return Colour::kRed;
    default:
      return Colour::kGrey;
  }
}

class TextRunView : public RunView {
 public:
  void Placed(const Allocation& alloc) override {
    std::string line = Head(alloc, "") + "placed as " + Printable(alloc.id);
    for (const AllocatedPort& port : alloc.ports) {
      line += ", " + Printable(port.label) + " " + Printable(port.host_ip) + ":" +
              std::to_string(port.value);
    }
    terminal_.Line(line);
  }

  void Event(const Allocation& alloc, const std::string& task, const TaskEvent& event) override {
    const std::string message =
        event.display_message.empty() ? DisplayMessage(event) : event.display_message;
    std::string line = Head(alloc, task, event.time) +
                       terminal_.Paint(EventColour(event), Printable(event.type)) + ": " +
                       Printable(message);
    if (IsProgress(event)) {
      ShowProgress({alloc.id, task}, std::string(event.Detail(event_key::kProgressPhase)),
                   std::move(line));
    } else {
      EndProgress({alloc.id, task});
      terminal_.Line(line);
    }
  }

  void State(const Allocation&, const std::string&, const TaskStateRecord&) override {}

  void Log(const Allocation& alloc, const std::string& task, const std::string& stream,
           const std::string& line) override {
    const std::string bar = stream == "stderr" ? terminal_.Paint(Colour::kYellow, "! ")
                                               : terminal_.Paint(Colour::kGrey, "| ");
    terminal_.Line(Head(alloc, task) + bar + Printable(line));
  }

  void Usage(const std::vector<TaskLine>& tasks) override {
    std::string line;
    for (const TaskLine& task : tasks) {
      if (task.state != RunnerState::kRunning || !task.has_usage) continue;
      char cpu[32];
      std::snprintf(cpu, sizeof cpu, "%.0f %%", task.cpu_percent);
      line += (line.empty() ? "" : "   ") + Printable(task.task) + " " + Mebibytes(task.rss) + " " +
              cpu;
    }
    // A terminal redraws its status line. Other output, such as a file, keeps all lines, so it gets
    // only every fifth line.
    if (terminal_.is_terminal()) {
      usage_ = std::move(line);
      Redraw();
    } else if (!line.empty() && ++usages_ % 5 == 1) {
      terminal_.Line("stats: " + line);
    }
  }

  void AllocStatus(const Allocation& alloc, ClientStatus status,
                   const std::string& description) override {
    if (IsTerminal(status)) {
      while (true) {
        const auto open = progress_.lower_bound({alloc.id, ""});
        if (open == progress_.end() || open->first.first != alloc.id) break;
        EndProgress(open->first);
      }
      usage_.clear();
      Redraw();
    }
    terminal_.Line(Head(alloc, "") +
                   terminal_.Paint(StatusColour(status), ClientStatusName(status)) + ": " +
                   Printable(description));
  }

  void Note(const std::string& text) override {
    terminal_.Line(terminal_.Paint(Colour::kYellow, PrintableLines(text)));
  }

 private:
  using TaskKey = std::pair<std::string, std::string>;  // the allocation's id, the task's name
  // The newest report of a task that has a phase with progress.
  struct Progress {
    std::string phase;
    std::string line;
    bool printed = false;  // LINE was written as a line of its own
  };

  // Shows a report of progress in a line at the bottom, which the next report replaces. Other
  // output than a terminal keeps all lines, so it gets only the first and the last report of a
  // phase.
  void ShowProgress(const TaskKey& task, std::string phase, std::string line) {
    const auto known = progress_.find(task);
    const bool begins = known == progress_.end() || known->second.phase != phase;
    if (begins) EndProgress(task);
    Progress& shown = progress_[task];
    shown = Progress{std::move(phase), std::move(line)};
    if (terminal_.is_terminal()) return Redraw();
    if (!begins) return;
    terminal_.Line(shown.line);
    shown.printed = true;
  }

  // Writes the last report of the task's phase, if it has one, as a line that stays.
  void EndProgress(TaskKey task) {
    const auto ended = progress_.extract(task);
    if (ended.empty()) return;
    Redraw();
    if (!ended.mapped().printed) terminal_.Line(ended.mapped().line);
  }

  void Redraw() {
    std::vector<std::string> lines;
    for (const auto& [task, progress] : progress_) lines.push_back(progress.line);
    if (!usage_.empty()) lines.push_back(usage_);
    terminal_.Block(std::move(lines));
  }

  std::string Head(const Allocation& alloc, const std::string& task, WallTime time = 0) {
    widest_ = std::min<std::size_t>(24, std::max(widest_, task.size()));
    return terminal_.Paint(Colour::kGrey, ClockTime(time == 0 ? WallNow() : time)) + " " +
           terminal_.Paint(Colour::kCyan, Printable(alloc.name)) + " " +
           Padded(Printable(task), widest_) + " ";
  }

  Terminal terminal_;
  std::size_t widest_ = 8;
  unsigned usages_ = 0;
  std::string usage_;  // the line with the usage of the tasks; may be empty
  std::map<TaskKey, Progress> progress_;
};

}  // namespace

std::unique_ptr<RunView> NewTextRunView() { return std::make_unique<TextRunView>(); }

std::vector<TaskEvent> NewEvents(const TaskStateRecord* before, const TaskStateRecord& now) {
  const std::size_t first = before == nullptr ? 0 : FirstNewEvent(*before, now);
  return {now.events.begin() + static_cast<std::ptrdiff_t>(first), now.events.end()};
}

void ShowChange(RunView* view, const Allocation& alloc, const std::string& task,
                const TaskStateRecord* before, const TaskStateRecord& now) {
  for (const TaskEvent& event : NewEvents(before, now)) view->Event(alloc, task, event);
  if (before == nullptr || before->state != now.state || before->failed != now.failed) {
    view->State(alloc, task, now);
  }
}

}  // namespace drover
