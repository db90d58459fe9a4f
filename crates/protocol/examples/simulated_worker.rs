//! A worker process without an isolate. It speaks the protocol and runs no code, so thousands of them fit on one
//! machine. `npm run simulate` starts it in place of the program of worker processes.
//!
//! A run calls the first tool of the session and returns its answer. Without tools it returns `undefined`.

use std::io::{self, Write};
use std::process::ExitCode;

use ses_protocol::frames::{Control, Frames, Hello, Message, Status, ToWorker, VERSION};
use ses_protocol::{Command, Event, Figures, JobId, Success, ToolCall, ToolCallId, ToolReply, Value, Values};

/// Bytes of the longest body of a command. 64 MiB.
const MAX_BODY_BYTES: usize = 64 << 20;

/// What the process knows about its session.
#[derive(Default)]
struct Session {
    number: u32,
    tool: Option<u32>,
    /// The run under way.
    running: JobId,
    /// The number of the last tool call.
    call: ToolCallId,
}

fn main() -> ExitCode {
    // An error means that the host is gone.
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Serves until the host closes its end.
fn serve() -> io::Result<()> {
    let mut session = Session::default();
    let mut commands = Frames::new(io::stdin().lock());
    session.write(&Status::Hello(Hello { version: VERSION, landlock: false, seccomp: false }))?;
    while let Some((head, body)) = commands.next(MAX_BODY_BYTES)? {
        let message = ToWorker::read(head.kind, body).map_err(|_| io::ErrorKind::InvalidData)?;
        session.number = head.session;
        match message {
            ToWorker::Control(Control::Open(_)) => session.write(&Event::Initialized(Ok(())))?,
            ToWorker::Control(_) => {}
            ToWorker::Command(command) => session.on_command(command)?,
        }
    }
    Ok(())
}

impl Session {
    fn on_command(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::SetVariables { job, .. } => self.settle(job, Success::Done),
            Command::SetTools { job, tools } => {
                self.tool = tools.first().map(|tool| tool.id);
                self.settle(job, Success::Done)
            }
            Command::Run { job, .. } => self.run(job),
            // Hosts do not send these to sessions of a fleet.
            Command::Checkpoint { job } | Command::Restore { job, .. } => self.settle(job, Success::Done),
            Command::ToolReplies { replies, .. } => replies.into_iter().try_for_each(|(_, reply)| match reply {
                ToolReply::Value(value) => self.settle(self.running, output(value)),
                ToolReply::Error(_) => self.settle(self.running, output(Value::Undefined)),
                // The answer follows.
                ToolReply::Promise => Ok(()),
            }),
        }
    }

    fn run(&mut self, job: JobId) -> io::Result<()> {
        let Some(tool) = self.tool else { return self.settle(job, output(Value::Undefined)) };
        self.running = job;
        self.call += 1;
        let args = Values::List(Vec::new());
        self.write(&Event::ToolCalls(vec![ToolCall { id: self.call, tool, is_async: true, args, made: 1 }]))
    }

    fn settle(&self, job: JobId, success: Success) -> io::Result<()> {
        self.write(&Event::Settled { job, result: Ok(success), figures: Figures::default(), sound: true })
    }

    fn write(&self, message: &impl Message) -> io::Result<()> {
        let mut frame = Vec::new();
        message.write(self.number, &mut frame).map_err(|_| io::ErrorKind::InvalidData)?;
        // Without the buffer of `Stdout`, because each frame is sent at once.
        let mut events = io::stdout().lock();
        events.write_all(&frame)?;
        events.flush()
    }
}

fn output(value: Value) -> Success {
    Success::Output { value, is_final_answer: false }
}
