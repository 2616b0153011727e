# A task that reads a variable of its job. Make the variable first:
#   drover var put nomad/jobs/variable greeting="good morning"
job "variable" {
  type = "batch"

  group "group" {
    task "greet" {
      driver = "raw_exec"

      # With this token the task may read the variables of its job, and none of other jobs.
      identity {
        env = true
      }

      # drover must be in the agent's PATH. It finds the token in NOMAD_TOKEN.
      config {
        command = "drover"
        args    = ["var", "get", "--address", "${NOMAD_UNIX_ADDR}", "--item", "greeting", "nomad/jobs/${NOMAD_JOB_ID}"]
      }
    }
  }
}
