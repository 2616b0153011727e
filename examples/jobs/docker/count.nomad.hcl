# Three containers of one task.
job "count" {
  group "count" {
    count = 3

    task "server" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "trap 'exit 0' TERM; while true; do sleep 0.1; done"]
      }
    }
  }
}
