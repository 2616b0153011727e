// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/client_command.h"

#include <csignal>

namespace drover {

std::vector<CLI::Option*> AddConnectionOptions(CLI::App* command, ClientOptions* client) {
  return {
      command->add_option("--address", client->address,
                          "The agent: http://HOST:PORT, https://HOST:PORT or unix:///PATH "
                          "($DROVER_ADDR, $NOMAD_ADDR, http://127.0.0.1:4646)"),
      command->add_option("--region", client->region,
                          "The region that the agent must be in ($DROVER_REGION, $NOMAD_REGION; "
                          "any)"),
      command->add_option("--token", client->token,
                          "The token to send ($DROVER_TOKEN, $NOMAD_TOKEN)"),
      command->add_option("--ca-cert", client->ca_cert,
                          "Certificates that vouch for the agent ($NOMAD_CACERT)"),
      command->add_option("--ca-path", client->ca_path, "A directory of those ($NOMAD_CAPATH)"),
      command->add_option("--client-cert", client->client_cert,
                          "The certificate to present ($NOMAD_CLIENT_CERT)"),
      command->add_option("--client-key", client->client_key,
                          "The key of that ($NOMAD_CLIENT_KEY)"),
      command->add_flag("--tls-skip-verify", client->tls_skip_verify,
                        "Takes any certificate of the agent ($NOMAD_SKIP_VERIFY)"),
  };
}

void AddClientOptions(CLI::App* command, ClientOptions* client) {
  AddConnectionOptions(command, client);
  command->add_option("--namespace", client->job_namespace,
                      "The namespace ($DROVER_NAMESPACE, $NOMAD_NAMESPACE; all of them)");
}

void AddId(CLI::App* command, std::string* id, bool required) {
  command->add_option("ID", *id, "Its id, or the beginning of it")->required(required);
}

void AddNamespaceName(CLI::App* command, std::string* name) {
  command->add_option("NAME", *name, "Its name, or the beginning of it")->required();
}

void AddEvalPriority(CLI::App* command, std::optional<int>* priority) {
  command
      ->add_option("--eval-priority", *priority, "The priority of the evaluation (that of the job)")
      ->check(CLI::Range(1, 100));
}

void AddVerbose(CLI::App* command, bool* verbose) {
  command->add_flag("--verbose", *verbose, "Prints ids in full");
}

void AddNote(CLI::App* command, const std::string& text) {
  command->footer(text + "\n\n" + command->get_footer());
}

int RunClientCommand(const std::string& name, const ClientOptions& options, const AnswerForm& form,
                     const ClientWork& work) {
  // A parent may have ignored SIGPIPE, as systemd does. A command that shows something live would
  // then go on for nobody when its reader has gone.
  std::signal(SIGPIPE, SIG_DFL);
  const Status checked = work.check ? work.check() : Status();
  if (!checked.ok()) return Fail(name, checked.error(), work.error_code.value_or(kExitUsage));
  Result<ApiClient> client = ApiClient::Create(options);
  if (!client.ok()) {
    const bool usage = client.code() == Code::kInvalidArgument;
    return Fail(name, client.error(), work.error_code.value_or(usage ? kExitUsage : kExitFailed));
  }
  Result<Output> out = Output::Create(form);
  if (!out.ok()) return Fail(name, out.error(), work.error_code.value_or(kExitUsage));
  const Result<int> code = work.run(&*client, &*out);
  return code.ok() ? *code : Fail(name, code.error(), work.error_code.value_or(kExitFailed));
}

ClientGroup::ClientGroup(const CommandGroup& parent, const char* name, const char* what,
                         Options options)
    : group_(parent, name, what), client_(std::make_shared<ClientOptions>()) {
  if (options == Options::kClient) {
    AddClientOptions(group_.app(), client_.get());
  } else {
    AddConnectionOptions(group_.app(), client_.get());
  }
  const std::string group = std::string("drover ") + name;
  group_.app()->footer("The options of " + group +
                       ", --address and the like, may also stand behind its commands: see " +
                       group + " --help.");
}

ClientGroup::ClientGroup(const ClientGroup& parent, const char* name, const char* what)
    : group_(parent.group_, name, what), client_(parent.client_) {
  // The commands of this group also accept the options of PARENT.
  group_.app()->fallthrough();
}

CLI::App* ClientGroup::AddApp(const char* name, const char* what, std::shared_ptr<AnswerForm> form,
                              ClientWork work) const {
  const auto run = [form, work = std::move(work), client = client_](const std::string& whole_name) {
    return RunClientCommand(whole_name, *client, form != nullptr ? *form : AnswerForm(), work);
  };
  CLI::App* const app = group_.AddApp(name, what, run);
  app->fallthrough();  // the command also accepts the options of its group
  if (form != nullptr) form->Declare(app);
  return app;
}

}  // namespace drover
