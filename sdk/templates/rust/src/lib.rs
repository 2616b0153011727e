// SPDX-License-Identifier: Apache-2.0

//! The task driver "@NAME@": each task prints its configuration and sleeps.
//!
//! ```hcl
//! task "greet" {
//!   driver = "@NAME@"
//!   config {
//!     text    = "hi"
//!     seconds = 60
//!   }
//! }
//! ```
use drover_driver::*;

/// An instance of the driver. Its tasks are processes of the host, which finds them by their run
/// ids. So the instance keeps nothing but the host.
struct TaskDriver {
    host: Host,
}

impl ProcessDriver for TaskDriver {
    const TASK_CONFIG_SCHEMA: &'static str = r#"{
        "type": "object", "additionalProperties": false,
        "properties": {"text": {"type": "string"},
                       "seconds": {"type": "integer", "minimum": 0, "default": 1}}}"#;

    fn create(host: Host, _config: Json) -> Result<Self> {
        Ok(TaskDriver { host })
    }
    fn host(&self) -> &Host {
        &self.host
    }

    fn plan(&self, task: &TaskConfig) -> Result<ProcessSpec> {
        let seconds = task.config.integer("seconds", 1);
        if seconds > 86400 {
            let text = format!("seconds: {} is more than a day", seconds);
            return Err(Error::new(Code::InvalidArgument, text));
        }
        let script = r#"echo "$1"; exec sleep "$2""#;
        Ok(ProcessSpec::of(
            task,
            [
                "/bin/sh",
                "-c",
                script,
                "@NAME@",
                &task.config_text,
                &seconds.to_string(),
            ],
        ))
    }
}

driver!(TaskDriver, "@NAME@", "0.1.0", "Apache-2.0");
