# A task that has a device of the machine for itself: here a loop device, which a plugin offers.
# Other tasks get other ones, or wait. The plugin is examples/devices/machine.
job "device" {
  type = "batch"

  group "group" {
    task "mount" {
      driver = "exec"

      config {
        command = "/bin/sh"
        args    = ["-c", "test -b $LOOP_DEVICES && echo has a block device"]
      }

      resources {
        device "linux/loop" {
          count = 1

          constraint {
            attribute = "${device.attr.shared}"
            value     = "false"
          }

          affinity {
            attribute = "${device.model}"
            value     = "loop"
            weight    = 50
          }
        }
      }
    }
  }
}
