# An entry point, and arguments with values of the task.
job "arguments" {
  type = "batch"

  group "arguments" {
    task "print" {
      driver = "docker"

      config {
        image      = "drover-test:1"
        entrypoint = ["/bin/sh", "-c"]
        args       = ["echo ${NOMAD_TASK_NAME} of $0", "${NOMAD_JOB_NAME}"]
      }
    }
  }
}
