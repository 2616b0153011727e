// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/run_view.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

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
    terminal_.Line(Head(alloc, task, event.time) +
                   terminal_.Paint(EventColour(event), Printable(event.type)) + ": " +
                   Printable(message));
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
      terminal_.Status(line);
    } else if (!line.empty() && ++usages_ % 5 == 1) {
      terminal_.Line("stats: " + line);
    }
  }

  void AllocStatus(const Allocation& alloc, ClientStatus status,
                   const std::string& description) override {
    if (IsTerminal(status)) terminal_.Status("");
    terminal_.Line(Head(alloc, "") +
                   terminal_.Paint(StatusColour(status), ClientStatusName(status)) + ": " +
                   Printable(description));
  }

  void Note(const std::string& text) override {
    terminal_.Line(terminal_.Paint(Colour::kYellow, PrintableLines(text)));
  }

 private:
  std::string Head(const Allocation& alloc, const std::string& task, WallTime time = 0) {
    widest_ = std::min<std::size_t>(24, std::max(widest_, task.size()));
    return terminal_.Paint(Colour::kGrey, ClockTime(time == 0 ? WallNow() : time)) + " " +
           terminal_.Paint(Colour::kCyan, Printable(alloc.name)) + " " +
           Padded(Printable(task), widest_) + " ";
  }

  Terminal terminal_;
  std::size_t widest_ = 8;
  unsigned usages_ = 0;
};

}  // namespace

std::unique_ptr<RunView> NewTextRunView() { return std::make_unique<TextRunView>(); }

std::vector<TaskEvent> NewEvents(const TaskStateRecord* before, const TaskStateRecord& now) {
  auto first = now.events.begin();
  if (before != nullptr && !before->events.empty()) {
    const auto last = std::find(now.events.rbegin(), now.events.rend(), before->events.back());
    first = last.base();  // points behind the last known event
    if (last == now.events.rend()) first = now.events.begin();
  }
  return {first, now.events.end()};
}

void ShowChange(RunView* view, const Allocation& alloc, const std::string& task,
                const TaskStateRecord* before, const TaskStateRecord& now) {
  for (const TaskEvent& event : NewEvents(before, now)) view->Event(alloc, task, event);
  if (before == nullptr || before->state != now.state || before->failed != now.failed) {
    view->State(alloc, task, now);
  }
}

}  // namespace drover
