# As few rights as a container can have.
job "least" {
  type = "batch"

  group "least" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "echo few rights"]

        cap_drop        = ["all"]
        readonly_rootfs = true
        security_opt    = ["no-new-privileges"]
        pids_limit      = 20
      }
    }
  }
}
