# A volume of the engine, which outlives the allocation.
job "named-volume" {
  type = "batch"

  group "named-volume" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "date >>/data/runs; echo kept"]

        mount {
          type   = "volume"
          source = "drover-example"
          target = "/data"
        }
      }
    }
  }
}
