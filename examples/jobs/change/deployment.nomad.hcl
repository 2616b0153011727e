# Two instances that a new version replaces one after the other, once its canary was promoted. Change
# GREETING, run the job again, then: drover job promote deployment
job "deployment" {
  type = "service"

  update {
    max_parallel      = 1
    canary            = 1
    health_check      = "task_states"
    min_healthy_time  = "1s"
    healthy_deadline  = "30s"
    progress_deadline = "1m"
    auto_revert       = true
  }

  group "group" {
    count = 2

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
