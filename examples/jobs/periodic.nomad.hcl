# A job that starts another one each minute, unless the last one still runs. To see one at once:
# drover job periodic force periodic
job "periodic" {
  type = "batch"

  periodic {
    crons            = ["* * * * *"]
    time_zone        = "UTC"
    prohibit_overlap = true
  }

  group "report" {
    task "write" {
      driver = "raw_exec"

      config {
        command = "/bin/sh"
        args    = ["-c", "echo \"$NOMAD_JOB_ID of $NOMAD_JOB_PARENT_ID\""]
      }
    }
  }
}
