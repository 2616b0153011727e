# A task that always fails. Its allocation is replaced once, after five seconds:
# drover alloc status shows the reschedule.
job "reschedule" {
  type = "batch"

  group "group" {
    restart {
      attempts = 0
      mode     = "fail"
    }

    reschedule {
      attempts       = 1
      interval       = "1h"
      delay          = "5s"
      delay_function = "constant"
      unlimited      = false
    }

    task "broken" {
      driver = "raw_exec"

      config {
        command = "/bin/sh"
        args    = ["-c", "echo \"this is $NOMAD_ALLOC_ID\"; exit 1"]
      }
    }
  }
}
