// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
use crate::call::Call;
use crate::driver::{Driver, Named};
use crate::host::Host;
use crate::json::Json;
use crate::message::{Fingerprint, Stats};
use crate::operation;
use crate::process::{ExecRequest, ProcessSpec};
use crate::signals::signal_number;
use crate::stream::Stream;
use crate::types::*;
use crate::{Code, Error, Result, RunId};
use drover_sys::*;
use std::sync::Arc;
use std::time::Duration;

/// A driver whose task is one process of the host's process service. It describes the process, and
/// the verbs come by themselves: signals, statistics, exec and recovery. The driver keeps no tasks,
/// since the service finds the process by the run id.
pub trait ProcessDriver: Named + Send + Sync + Sized + 'static {
    /// The offers and needs of such a driver, for its `Info`.
    const OFFERS: u64 = DROVER_CAP_SIGNALS | DROVER_CAP_EXEC | DROVER_CAP_STATS;
    const NEEDS: u64 = DROVER_NEEDS_PROCESS_SERVICE;

    /// The JSON Schema of a task's configuration.
    const TASK_CONFIG_SCHEMA: &'static str;

    /// Describes the driver.
    fn describe() -> Info {
        Info {
            offers: Self::OFFERS,
            needs: Self::NEEDS,
            task_config_schema: Self::TASK_CONFIG_SCHEMA,
            ..Info::default()
        }
    }
    /// Makes an instance, which keeps HOST.
    fn create(host: Host, config: Json) -> Result<Self>;
    /// The host that `create` has got.
    fn host(&self) -> &Host;
    /// Describes the process of TASK, or refuses the task. Must not block.
    fn plan(&self, task: &TaskConfig) -> Result<ProcessSpec>;

    /// Takes a new configuration. After an error the instance keeps the old one.
    fn configure(&self, _config: Json) -> Result<()> {
        Err(Error::unimplemented(
            "this driver takes no new configuration while it is loaded",
        ))
    }
    /// Begins to report the health. By default the driver is healthy.
    fn fingerprint(self: Arc<Self>, stream: Stream<Fingerprint>) {
        stream.send(&Fingerprint::healthy(Self::NAME));
    }
    /// The number of the signal that stops a task. REQUESTED is its name; empty means SIGINT.
    fn stop_signal(&self, requested: &str) -> Result<i32> {
        if requested.is_empty() {
            return signal_number("SIGINT");
        }
        signal_number(requested)
    }
    /// The result of a task, made of that of its process.
    fn ended(&self, result: ExitResult) -> ExitResult {
        result
    }
}

impl<D: ProcessDriver> Driver for D {
    fn describe() -> Info {
        <D as ProcessDriver>::describe()
    }
    fn create(host: Host, config: Json) -> Result<Self> {
        <D as ProcessDriver>::create(host, config)
    }
    fn configure(&self, config: Json) -> Result<()> {
        ProcessDriver::configure(self, config)
    }
    fn fingerprint(self: Arc<Self>, stream: Stream<Fingerprint>) {
        ProcessDriver::fingerprint(self, stream)
    }

    fn start(self: Arc<Self>, task: TaskConfig, call: Call<Started>) {
        call.run(async move {
            let spec = self.plan(&task)?;
            self.host().process().start(task.run_id, &spec).await?;
            Ok(Started {
                handle: TaskHandle::empty(),
                network: None,
            })
        })
    }
    fn recover(self: Arc<Self>, task: TaskConfig, _: Option<TaskHandle>, call: Call<Recovered>) {
        call.run(async move {
            let found = self.host().process().attach(task.run_id).await?;
            Ok(Recovered {
                exited: match found.state {
                    TaskState::Exited => Some(self.ended(known(found.exit_result))),
                    _ => None,
                },
                handle: None,
            })
        })
    }
    fn wait(self: Arc<Self>, call: Call<ExitResult>) {
        let end = self.host().process().wait(call.run_id());
        call.wait_for(async move { Ok(self.ended(end.await?)) })
    }
    fn stop(self: Arc<Self>, request: StopRequest, call: Call<()>) {
        let number = match self.stop_signal(&request.signal) {
            Ok(number) => number,
            Err(error) => return call.fail(error),
        };
        let run = call.run_id();
        call.wait_for(async move {
            let process = self.host().process();
            process.stop(run, number, request.timeout).await
        })
    }
    fn signal(self: Arc<Self>, name: String, call: Call<()>) {
        let run = call.run_id();
        call.run(async move {
            let number = signal_number(&name)?;
            self.host().process().signal(run, number).await
        })
    }
    fn destroy(self: Arc<Self>, force: bool, call: Call<()>) {
        let run = call.run_id();
        call.run(async move {
            let process = self.host().process();
            if !force && process.attach(run).await?.state == TaskState::Running {
                let text = "cannot destroy running task";
                return Err(Error::new(Code::FailedPrecondition, text));
            }
            process.release(run).await
        })
    }
    fn inspect(self: Arc<Self>, call: Call<TaskStatus>) {
        let run = call.run_id();
        call.run(async move {
            let found = self.host().process().attach(run).await?;
            Ok(TaskStatus {
                state: found.state,
                started_at: found.started_at,
                completed_at: 0,
                exit_result: match found.state {
                    TaskState::Exited => Some(self.ended(known(found.exit_result))),
                    _ => None,
                },
                attributes: vec![("pid".to_owned(), found.pid.to_string())],
            })
        })
    }
    fn stats(
        self: Arc<Self>,
        run: RunId,
        request: StatsRequest,
        stream: Stream<Stats>,
    ) -> Result<()> {
        let interval = request.interval.max(Duration::from_millis(10));
        operation::spawn(async move {
            let host = self.host().clone();
            drop(self);
            loop {
                match host.process().usage(run, request.processes).await {
                    Ok(sample) if stream.send(&sample) => (),
                    Ok(_) => return,
                    Err(error) => return stream.fail(error),
                }
                if let Err(error) = host.sleep(interval).await {
                    return stream.fail(error);
                }
            }
        });
        Ok(())
    }
    fn exec(self: Arc<Self>, request: ExecRequest, call: Call<ExitResult>) {
        let session = call.id();
        let process = self.host().process();
        let end = process.exec(session, request);
        let ending = process.clone();
        call.on_cancel(move || ending.end(session));
        call.run(async move {
            let result = end.await;
            process.forget_session(session);
            result
        })
    }
    fn resize(&self, session: u64, width: i32, height: i32) -> Result<()> {
        self.host().process().resize(session, width, height)
    }
}

/// The result of a process that has ended.
fn known(result: Option<ExitResult>) -> ExitResult {
    result.unwrap_or_else(|| ExitResult {
        exit_code: -1,
        error: "the host does not know the result".to_owned(),
        ..ExitResult::default()
    })
}
