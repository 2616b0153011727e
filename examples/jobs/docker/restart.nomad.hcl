# A task that fails once, and is started again in a new container.
job "restart" {
  type = "batch"

  group "restart" {
    restart {
      attempts = 1
      delay    = "0s"
      interval = "1m"
      mode     = "fail"
    }

    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "if [ -e /alloc/data/second ]; then echo done; exit 0; fi; touch /alloc/data/second; exit 1"]
      }
    }
  }
}
