# A terminal, whose output is one stream.
job "init" {
  type = "batch"

  group "init" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "test -t 1 && echo a terminal"]

        tty = true
      }
    }
  }
}
