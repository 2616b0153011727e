# A job that starts a container each hour.
job "docker-periodic" {
  type = "batch"

  periodic {
    crons            = ["0 * * * *"]
    prohibit_overlap = true
  }

  group "report" {
    task "report" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "echo"
        args    = ["a report"]
      }
    }
  }
}
