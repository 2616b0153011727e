# A task whose environment cannot change while it runs. Change GREETING and run the job again: a new
# allocation replaces the old one.
job "replace" {
  type = "service"

  update {
    max_parallel = 0
  }

  group "group" {
    task "greet" {
      driver = "raw_exec"

      env {
        GREETING = "hello"
      }

      config {
        command = "/bin/sh"
        args    = ["-c", "echo \"$GREETING\"; exec sleep 1000000"]
      }
    }
  }
}
