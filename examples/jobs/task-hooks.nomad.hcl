# A task with a secret that a plugin brings. The agent needs the plugins of examples/hooks:
# secrets_file with a command for "greeting", exit_notifier, and both in client.task_hooks.
job "task-hooks" {
  type = "batch"

  group "group" {
    task "greet" {
      driver = "raw_exec"

      # Before the start, the plugin secrets_file writes the file greeting.
      meta {
        secrets = "greeting"
      }

      # When this has ended, the plugin exit_notifier writes a line.
      config {
        command = "cat"
        args    = ["${NOMAD_SECRETS_DIR}/greeting"]
      }
    }
  }
}
