# Two tasks that share a directory of their allocation.
job "shared" {
  type = "batch"

  group "shared" {
    task "write" {
      driver = "docker"

      lifecycle {
        hook = "prestart"
      }

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "echo from the first task >/alloc/data/note"]
      }
    }

    task "read" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "cat"
        args    = ["/alloc/data/note"]
      }
    }
  }
}
