# Two instances, which leave a node one after the other when it is drained. To move one at once:
# drover alloc stop ALLOC
job "migrate" {
  type = "service"

  update {
    max_parallel = 0
  }

  group "group" {
    count = 2

    migrate {
      max_parallel     = 1
      health_check     = "task_states"
      min_healthy_time = "1s"
      healthy_deadline = "1m"
    }

    task "wait" {
      driver = "raw_exec"

      config {
        command = "/bin/sleep"
        args    = ["1000000"]
      }
    }
  }
}
