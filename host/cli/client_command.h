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

// The work of a command that sends requests to an agent.
struct ClientWork {
  // Checks the options. May be empty.
  std::function<Status()> check;
  // Returns the exit code.
  std::function<Result<int>(ApiClient* client, Output* out)> run;
  // The exit code of every error. If this member has no value, the exit code is 2 for a wrong
  // command line and 1 for any other error.
  std::optional<int> error_code;
};

// Connects to the agent and does WORK. Prints an error with the prefix "drover NAME". Returns the
// exit code.
int RunClientCommand(const std::string& name, const ClientOptions& options, const AnswerForm& form,
                     const ClientWork& work);

// A group of commands that send requests to an agent, such as "drover job". The options that select
// the agent may follow the name of the group or the name of a command.
class ClientGroup {
 public:
  // The options of a group: those of AddConnectionOptions or of AddClientOptions.
  enum class Options { kConnection, kClient };

  // Adds the group NAME to PARENT. WHAT is the first line of its help.
  ClientGroup(const CommandGroup& parent, const char* name, const char* what,
              Options options = Options::kClient);
  // Adds the group NAME to PARENT, which is a ClientGroup itself. For example, adds "job tag" to
  // "job".
  ClientGroup(const ClientGroup& parent, const char* name, const char* what);

  // Adds the command NAME with the options --json and --template. COMMAND is a struct whose
  // members are its other options. It has these functions:
  //   void Declare(CLI::App*) adds the options to the command line.
  //   Result<int> Run(ApiClient*, Output*) const returns the exit code.
  //   Status Check() const is optional, and checks the options before Run.
  // If ERROR_CODE has a value, it is the exit code of every error.
  template <typename Command>
  void Add(const char* name, const char* what, std::optional<int> error_code = {}) const {
    const auto command = std::make_shared<Command>();
    ClientWork work;
    work.run = [command](ApiClient* client, Output* out) { return command->Run(client, out); };
    work.error_code = error_code;
    SetCheck(command, &work);
    command->Declare(AddApp(name, what, std::make_shared<AnswerForm>(), std::move(work)));
  }
  // Adds a command without --json and --template. Its Run is Result<int> Run(ApiClient*) const. It
  // may also have Check.
  template <typename Command>
  void AddPlain(const char* name, const char* what) const {
    const auto command = std::make_shared<Command>();
    ClientWork work;
    work.run = [command](ApiClient* client, Output*) { return command->Run(client); };
    SetCheck(command, &work);
    command->Declare(AddApp(name, what, nullptr, std::move(work)));
  }

  // For commands of the group that send no requests.
  const CommandGroup& group() const { return group_; }

 private:
  template <typename Command>
  static void SetCheck(const std::shared_ptr<Command>& command, ClientWork* work) {
    if constexpr (requires { command->Check(); }) {
      work->check = [command] { return command->Check(); };
    }
  }
  CLI::App* AddApp(const char* name, const char* what, std::shared_ptr<AnswerForm> form,
                   ClientWork work) const;

  const CommandGroup group_;
  const std::shared_ptr<ClientOptions> client_;
};

// Adds a command that sends requests to an agent to GROUP, which may also have commands that send
// no requests. COMMAND is as for ClientGroup::Add. In addition, COMMAND must have the members
// ClientOptions client and AnswerForm form. Its Declare must also add the options of these two
// members.
template <typename Command>
void AddClientCommand(const CommandGroup& group, const char* name, const char* what) {
  const auto command = std::make_shared<Command>();
  command->Declare(group.AddApp(name, what, [command](const std::string& whole_name) {
    ClientWork work;
    work.run = [command](ApiClient* client, Output* out) { return command->Run(client, out); };
    return RunClientCommand(whole_name, command->client, command->form, work);
  }));
}

// Adds the options that select the agent: --address, --region, --token and the options of TLS.
std::vector<CLI::Option*> AddConnectionOptions(CLI::App* command, ClientOptions* client);
// Adds the options of AddConnectionOptions and --namespace.
void AddClientOptions(CLI::App* command, ClientOptions* client);
// Adds the positional argument ID.
void AddId(CLI::App* command, std::string* id, bool required = true);
// Adds the positional argument NAME, which is a namespace.
void AddNamespaceName(CLI::App* command, std::string* name);
// Adds --verbose.
void AddVerbose(CLI::App* command, bool* verbose);
// Adds --eval-priority.
void AddEvalPriority(CLI::App* command, std::optional<int>* priority);
// Adds TEXT to the end of the help, above the note that all commands of the group share.
void AddNote(CLI::App* command, const std::string& text);

}  // namespace drover
