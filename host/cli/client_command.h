// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/cli/command.h"
#include "host/cli/output.h"
#include "host/client/api_client.h"

namespace drover {

// A command that asks an agent.
struct ClientWork {
  std::function<Status()> check;                                   // of the options; empty: none
  std::function<Result<int>(ApiClient* client, Output* out)> run;  // returns the exit code
  std::optional<int> error_code;  // for all errors; none: 2 for the command line, 1 for others
};

// Connects and does WORK. Prints an error as that of "drover NAME". Returns the exit code.
int RunClientCommand(const std::string& name, const ClientOptions& options, const AnswerForm& form,
                     const ClientWork& work);

// A group of commands that ask an agent, such as "drover job". The options that say how to reach
// the agent may stand behind the group or behind its commands.
class ClientGroup {
 public:
  // The group NAME in PARENT. WHAT is the first line of its help.
  ClientGroup(const CommandGroup& parent, const char* name, const char* what);
  // A group in a group, such as "job tag".
  ClientGroup(const ClientGroup& parent, const char* name, const char* what);

  // Adds the command NAME, with --json and --template. COMMAND is a struct whose members are its
  // other options. It has
  //   void Declare(CLI::App*), which adds them to the command line,
  //   Result<int> Run(ApiClient*, Output*) const, which returns the exit code, and, if needed,
  //   Status Check() const, which looks at the options before anything is done.
  // ERROR_CODE is the exit code of all errors.
  template <typename Command>
  void Add(const char* name, const char* what, std::optional<int> error_code = {}) const {
    const auto command = std::make_shared<Command>();
    ClientWork work;
    work.run = [command](ApiClient* client, Output* out) { return command->Run(client, out); };
    work.error_code = error_code;
    if constexpr (requires { command->Check(); }) {
      work.check = [command] { return command->Check(); };
    }
    command->Declare(AddApp(name, what, std::make_shared<AnswerForm>(), std::move(work)));
  }
  // Adds a command without --json and --template, with Result<int> Run(ApiClient*) const.
  template <typename Command>
  void AddPlain(const char* name, const char* what) const {
    const auto command = std::make_shared<Command>();
    ClientWork work;
    work.run = [command](ApiClient* client, Output*) { return command->Run(client); };
    command->Declare(AddApp(name, what, nullptr, std::move(work)));
  }

 private:
  CLI::App* AddApp(const char* name, const char* what, std::shared_ptr<AnswerForm> form,
                   ClientWork work) const;

  const CommandGroup group_;
  const std::shared_ptr<ClientOptions> client_;
};

// Adds a command that asks an agent to a group of commands of all kinds. COMMAND is as for
// ClientGroup::Add, but its Declare also adds its members ClientOptions client and AnswerForm form.
template <typename Command>
void AddClientCommand(const CommandGroup& group, const char* name, const char* what) {
  const auto command = std::make_shared<Command>();
  command->Declare(group.AddApp(name, what, [command](const std::string& whole_name) {
    ClientWork work;
    work.run = [command](ApiClient* client, Output* out) { return command->Run(client, out); };
    return RunClientCommand(whole_name, command->client, command->form, work);
  }));
}

// Adds the options that say how to reach an agent: --address, --token and those of TLS.
std::vector<CLI::Option*> AddConnectionOptions(CLI::App* command, ClientOptions* client);
// Adds these and --namespace.
void AddClientOptions(CLI::App* command, ClientOptions* client);
// Adds the argument ID.
void AddId(CLI::App* command, std::string* id, bool required = true);
// Adds --verbose.
void AddVerbose(CLI::App* command, bool* verbose);
// Adds TEXT above the note of the group below the help.
void AddNote(CLI::App* command, const std::string& text);

}  // namespace drover
