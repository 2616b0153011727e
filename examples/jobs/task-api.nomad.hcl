# A task that asks the agent, with its own identity, on a socket of its own. It needs curl.
job "task-api" {
  type = "batch"

  group "group" {
    task "ask" {
      driver = "raw_exec"

      # The task's token is in NOMAD_TOKEN. curl reads it from standard input, because every user
      # of the machine can see the arguments of a program.
      identity {
        env = true
      }

      config {
        command = "/bin/sh"
        args = ["-c", <<-EOT
          ask() {
            echo "Authorization: Bearer $NOMAD_TOKEN" |
              curl --silent --unix-socket "$NOMAD_SECRETS_DIR/api.sock" --header @- "localhost$1"
            echo
          }
          ask "/v1/allocation/$NOMAD_ALLOC_ID" # the task may read its own allocation
          ask /v1/jobs                         # but no job, unless a policy allows it
          EOT
        ]
      }
    }
  }
}
