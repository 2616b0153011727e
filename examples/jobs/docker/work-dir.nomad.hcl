# Another working directory.
job "work-dir" {
  type = "batch"

  group "work-dir" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "readlink /proc/self/cwd"]

        work_dir = "/srv"
      }
    }
  }
}
