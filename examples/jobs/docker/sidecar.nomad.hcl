# A task with a sidecar, which runs as long as the main task does.
job "sidecar" {
  type = "batch"

  group "sidecar" {
    task "helper" {
      driver = "docker"

      lifecycle {
        hook    = "prestart"
        sidecar = true
      }

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "trap 'exit 0' TERM; while true; do touch /alloc/data/alive; sleep 0.1; done"]
      }
    }

    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "while [ ! -e /alloc/data/alive ]; do sleep 0.1; done; echo the helper is there"]
      }
    }
  }
}
