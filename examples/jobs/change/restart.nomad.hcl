# A task that fails at its first start, and is started again in the same allocation.
job "restart" {
  type = "batch"

  group "group" {
    restart {
      attempts = 1
      interval = "10s"
      delay    = "1s"
      mode     = "fail"
    }

    task "flaky" {
      driver = "raw_exec"

      config {
        command = "/bin/sh"
        args    = ["-c", "cd \"$NOMAD_TASK_DIR\"; test -e again && exec echo done; touch again; exit 1"]
      }
    }
  }
}
