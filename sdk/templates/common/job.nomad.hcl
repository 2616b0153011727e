job "@NAME@" {
  type = "batch"

  group "group" {
    task "task" {
      driver = "@NAME@"

      config {
        text    = "hello from @NAME@"
        seconds = 2
      }
    }
  }
}
