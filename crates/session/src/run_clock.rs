//! Decides which time counts against the deadline of a run. Time that the run waits for tools does not count.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use ses_protocol::{JobId, ToolCallId, ToolReply};

use crate::watchdog::Deadline;

/// Measures the time that counts against the deadline of one run.
///
/// The clock stops when the guest reports that it only waits. It starts again when an answer is on its way. The guest
/// is not asked when it goes on, because it need not be honest. The clock does not stop in two cases: the guest has not
/// taken all answers, or it waits for a call without a time limit.
pub struct RunClock {
    pub job: JobId,
    /// The deadline, if the clock goes on from now.
    due: Instant,
    /// The moment at which the clock was stopped. Absent: it goes on.
    still_since: Option<Instant>,
    /// The armed deadline has expired while the clock was stopped.
    has_expired: bool,
    /// Answers that were sent to the guest, whether or not they have arrived.
    answers: u64,
    /// The time that the report of a wait and an answer take on their way. The guest does not work meanwhile.
    latency: Duration,
    /// The number of answers that the last report of a wait has named. Each wait is prolonged by the latency once.
    reported: Option<u64>,
    /// All calls of the run have a time limit, whatever their tools are.
    limits_calls: bool,
    /// Calls that the host works on, and whether their time is limited.
    calls: HashMap<ToolCallId, bool>,
    /// Kept until the run is settled.
    pub deadline: Option<Deadline>,
}

/// What to do when the armed deadline has expired.
#[derive(Debug, PartialEq, Eq)]
pub enum Expired {
    /// The run has used up its time.
    Due,
    /// The deadline is later: arm it again.
    Later(Instant),
    /// The clock is stopped. [`RunClock::on_answers`] returns the deadline when it goes on.
    Still,
}

impl RunClock {
    pub fn new(job: JobId, due: Instant, limits_calls: bool) -> Self {
        let calls = HashMap::new();
        let latency = Duration::ZERO;
        Self {
            job,
            due,
            still_since: None,
            has_expired: false,
            answers: 0,
            latency,
            reported: None,
            limits_calls,
            calls,
            deadline: None,
        }
    }

    /// A clock for a guest from which each wait is reported late, and which receives answers late.
    pub fn with_latency(mut self, latency: Duration) -> Self {
        self.latency = latency;
        self
    }

    /// When the run is due, if the clock goes on from now. `None`: the clock is stopped.
    pub fn due(&self) -> Option<Instant> {
        self.still_since.is_none().then_some(self.due)
    }

    /// `is_limited`: whether the tool itself has a time limit.
    pub fn on_call(&mut self, call: ToolCallId, is_limited: bool) {
        self.calls.insert(call, is_limited || self.limits_calls);
    }

    /// The guest has taken this many answers and goes on only with the next one.
    pub fn on_idle(&mut self, answers: u64, now: Instant) {
        let are_limited = self.calls.values().all(|&is_limited| is_limited);
        // An answer may be on its way before the report of the wait arrives.
        if are_limited && answers <= self.answers && self.reported.is_none_or(|before| before < answers) {
            self.reported = Some(answers);
            self.due += self.latency;
        }
        let ends = !self.calls.is_empty() && are_limited;
        if ends && answers == self.answers && self.still_since.is_none() {
            self.still_since = Some(now);
        }
    }

    /// The guest is about to receive answers. Returns the deadline to arm if none is armed any more.
    pub fn on_answers(&mut self, replies: &[(ToolCallId, ToolReply)], now: Instant) -> Option<Instant> {
        self.answers += replies.len() as u64;
        for (call, _) in replies.iter().filter(|(_, reply)| !matches!(reply, ToolReply::Promise)) {
            self.calls.remove(call);
        }
        self.due += now.saturating_duration_since(self.still_since.take()?);
        std::mem::take(&mut self.has_expired).then_some(self.due)
    }

    pub fn on_expired(&mut self, now: Instant) -> Expired {
        if self.still_since.is_some() {
            self.has_expired = true;
            return Expired::Still;
        }
        if now < self.due { Expired::Later(self.due) } else { Expired::Due }
    }
}

#[cfg(test)]
mod tests {
    use ses_protocol::Value;

    use super::*;

    fn clock() -> (RunClock, impl Fn(u64) -> Instant) {
        let start = Instant::now();
        let at = move |ms| start + Duration::from_millis(ms);
        (RunClock::new(1, at(100), false), at)
    }

    fn answer(call: ToolCallId) -> [(ToolCallId, ToolReply); 1] {
        [(call, ToolReply::Value(Value::Null))]
    }

    #[test]
    fn time_that_is_only_waited_does_not_count() {
        let (mut clock, at) = clock();
        clock.on_call(7, true);
        clock.on_idle(0, at(10));
        assert_eq!(clock.on_answers(&answer(7), at(60)), None, "what was armed has not expired");
        assert_eq!(clock.on_expired(at(100)), Expired::Later(at(150)));
        assert_eq!(clock.on_expired(at(150)), Expired::Due);
    }

    #[test]
    fn a_deadline_that_passes_meanwhile_is_armed_when_the_answer_is_there() {
        let (mut clock, at) = clock();
        clock.on_call(7, true);
        clock.on_idle(0, at(10));
        assert_eq!(clock.on_expired(at(100)), Expired::Still);
        assert_eq!(clock.on_answers(&answer(7), at(1_000)), Some(at(1_090)));
    }

    #[test]
    fn each_wait_of_a_distant_guest_is_longer_by_its_latency() {
        let (clock, at) = clock();
        let mut clock = clock.with_latency(Duration::from_millis(40));
        clock.on_call(7, true);
        clock.on_idle(0, at(30));
        assert_eq!(clock.due(), None);
        clock.on_answers(&answer(7), at(50));
        assert_eq!(clock.due(), Some(at(160)));
        clock.on_idle(0, at(51));
        assert_eq!(clock.due(), Some(at(160)), "the same wait");
        // The answer is sent before the report arrives.
        clock.on_call(8, true);
        clock.on_answers(&answer(8), at(60));
        clock.on_idle(1, at(60));
        assert_eq!(clock.due(), Some(at(200)));
        clock.on_idle(7, at(60));
        assert_eq!(clock.due(), Some(at(200)), "the guest cannot have taken answers that were not sent");
    }

    #[test]
    fn a_promise_is_an_answer_but_the_call_goes_on() {
        let (mut clock, at) = clock();
        clock.on_call(7, true);
        clock.on_idle(0, at(10));
        clock.on_answers(&[(7, ToolReply::Promise)], at(20));
        clock.on_idle(1, at(30));
        clock.on_answers(&answer(7), at(50));
        assert_eq!(clock.on_expired(at(130)), Expired::Due, "30 ms of 100 were waited");
        assert_eq!(clock.on_expired(at(129)), Expired::Later(at(130)));
    }

    #[test]
    fn nothing_stands_still_without_calls_or_for_one_without_a_limit() {
        let (mut clock, at) = clock();
        clock.on_idle(0, at(10));
        assert_eq!(clock.on_expired(at(100)), Expired::Due);
        clock.on_call(7, true);
        clock.on_call(8, false);
        clock.on_idle(0, at(10));
        assert_eq!(clock.on_expired(at(100)), Expired::Due);
        clock.on_answers(&answer(8), at(20));
        clock.on_idle(1, at(30));
        assert_eq!(clock.on_expired(at(100)), Expired::Still);
    }

    #[test]
    fn a_guest_that_has_answers_to_take_goes_on() {
        let (mut clock, at) = clock();
        clock.on_call(7, true);
        clock.on_call(8, true);
        clock.on_answers(&answer(7), at(5));
        clock.on_idle(0, at(10));
        assert_eq!(clock.on_expired(at(100)), Expired::Due);
    }
}
