# A worker that hangs after two seconds. A script notices it, and the worker is restarted.
job "check-script" {
  type = "service"

  group "work" {
    # A restart because of a check counts here like one after a failure.
    restart {
      attempts = 2
      interval = "10m"
      delay    = "1s"
      mode     = "fail"
    }

    task "worker" {
      driver = "raw_exec"

      config {
        command = "/bin/sh"
        args = ["-c", <<-EOT
          echo "working"
          touch local/alive
          if [ ! -e local/again ]; then
            touch local/again
            sleep 2
            rm local/alive
            echo "hanging"
          fi
          exec sleep 1000000
          EOT
        ]
      }

      # A service of a task is there while the task runs.
      service {
        name     = "worker"
        provider = "nomad"

        # The script runs in the task. Exit code 0 is a success, 1 a warning, all others a failure.
        check {
          name     = "alive"
          type     = "script"
          command  = "/bin/sh"
          args     = ["-c", "test -e local/alive || { echo \"no sign of life\"; exit 2; }"]
          interval = "1s"
          timeout  = "5s"

          # Two failures in a row restart the task. Those of its first two seconds do not count.
          check_restart {
            limit = 2
            grace = "2s"
          }
        }
      }
    }
  }
}
