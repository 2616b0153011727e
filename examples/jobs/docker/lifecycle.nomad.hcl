# Tasks before and after the main task.
job "lifecycle" {
  type = "batch"

  group "lifecycle" {
    task "prepare" {
      driver = "docker"

      lifecycle {
        hook = "prestart"
      }

      config {
        image   = "drover-test:1"
        command = "mkdir"
        args    = ["/alloc/data/work"]
      }
    }

    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "touch"
        args    = ["/alloc/data/work/result"]
      }
    }

    task "sweep" {
      driver = "docker"

      lifecycle {
        hook = "poststop"
      }

      config {
        image   = "drover-test:1"
        command = "ls"
        args    = ["/alloc/data/work"]
      }
    }
  }
}
