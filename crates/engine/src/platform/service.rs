//! Threads that answer questions about sources of guests. A thread that takes too long is replaced and ends when it is
//! done. A thread that has panicked is replaced too.

use std::sync::mpsc::{self, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use ses_sync::{CpuClock, Receiver, Sender, channel};

/// Address space of a thread's stack. The parser runs on it, and on a separate stack only for a source that needs more.
const STACK_BYTES: usize = 64 << 20;
/// The most replaced threads that may still run. If there are more, no questions are asked.
const MAX_REPLACED: usize = 4;
/// A thread without questions for this time rests.
const IDLE: Duration = Duration::from_secs(1);

/// The work of a thread: it handles all its questions.
type Work<Q, A> = Arc<dyn Fn(&Questions<Q, A>) + Send + Sync>;

/// A kind of question and the thread for it, which starts with the first question.
pub struct Service<Q, A> {
    name: &'static str,
    work: Work<Q, A>,
    /// Asking threads hold the lock while they send and while they replace the thread.
    state: Mutex<State<Q, A>>,
}

struct State<Q, A> {
    thread: Option<Thread<Q, A>>,
    /// Threads whose answers are no longer awaited.
    replaced: Vec<Weak<()>>,
    /// Number of threads that were started.
    started: u64,
}

struct Thread<Q, A> {
    id: u64,
    sender: Sender<Message<Q, A>>,
    clock: Arc<OnceLock<Clock>>,
    /// Dropped when the thread has ended.
    life: Weak<()>,
}

enum Message<Q, A> {
    Question(Q, mpsc::Sender<A>),
    /// The thread has been replaced.
    End,
}

/// The processor time of a thread. Made when it takes its first question, so that its start-up does not count.
struct Clock {
    /// Absent if the system has no such clock.
    clock: Option<CpuClock>,
    start: Duration,
}

impl Clock {
    fn of_this_thread() -> Self {
        let clock = CpuClock::of_this_thread();
        Self { clock, start: clock.and_then(CpuClock::now).unwrap_or_default() }
    }

    fn now(&self) -> Option<Duration> {
        Some(self.clock?.now()?.saturating_sub(self.start))
    }
}

/// The questions for a thread.
pub struct Questions<Q, A> {
    inbox: Receiver<Message<Q, A>>,
    clock: Arc<OnceLock<Clock>>,
}

impl<Q, A> Questions<Q, A> {
    /// Waits for the next question. Returns it with the sender for its answer. `None`: there are no more.
    pub fn next(&self) -> Option<(Q, mpsc::Sender<A>)> {
        self.clock.get_or_init(Clock::of_this_thread);
        question(self.inbox.recv())
    }

    /// Like [`Self::next`], but calls `rest` if no question comes for a while.
    pub fn next_or_rest(&self, rest: impl FnOnce()) -> Option<(Q, mpsc::Sender<A>)> {
        self.clock.get_or_init(Clock::of_this_thread);
        match self.inbox.recv_until(Instant::now() + IDLE) {
            Some(message) => question(message),
            None => {
                rest();
                self.next()
            }
        }
    }
}

fn question<Q, A>(message: Message<Q, A>) -> Option<(Q, mpsc::Sender<A>)> {
    match message {
        Message::Question(question, reply) => Some((question, reply)),
        Message::End => None,
    }
}

/// Receives an answer, and identifies the thread that gives it.
pub struct Answer<A> {
    reply: mpsc::Receiver<A>,
    thread: u64,
    clock: Arc<OnceLock<Clock>>,
    asked: Instant,
    /// The processor time of the thread when it was asked.
    began: Duration,
}

/// How long the asking thread waits for all its answers.
pub struct Allowance {
    /// Processor time that the answering threads may still use.
    left: Duration,
    /// When it stops waiting, even if they did not get the processor.
    until: Option<Instant>,
}

impl Allowance {
    /// For answers that take `work` of processor time, and at most `time` on a busy machine.
    pub fn new(work: Duration, time: Duration) -> Self {
        Self { left: work, until: Instant::now().checked_add(time) }
    }

    /// Waits until the answers are available.
    pub fn endless() -> Self {
        Self { left: Duration::MAX, until: None }
    }

    fn step(&self) -> Duration {
        let time = self.until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
        self.left.min(time)
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAnswer {
    /// It took too long.
    Late,
    /// There is no thread, or it panicked on the question.
    Lost,
}

impl<A> Answer<A> {
    /// The processor time of the thread since it was asked.
    fn worked(&self) -> Duration {
        match self.clock.get() {
            None => Duration::ZERO,
            Some(clock) => clock.now().map_or_else(|| self.asked.elapsed(), |now| now.saturating_sub(self.began)),
        }
    }
}

impl<Q: Send + 'static, A: Send + 'static> Service<Q, A> {
    pub fn new(name: &'static str, work: impl Fn(&Questions<Q, A>) + Send + Sync + 'static) -> Self {
        Self { name, work: Arc::new(work), state: Mutex::new(State { thread: None, replaced: Vec::new(), started: 0 }) }
    }

    /// Asks a question without waiting.
    pub fn ask(&self, question: Q) -> Answer<A> {
        let (reply, answer) = mpsc::channel();
        let mut state = self.state();
        if state.thread.is_none() {
            state.thread = self.start(&mut state);
        }
        let (id, clock) = match &state.thread {
            Some(thread) => {
                thread.sender.send(Message::Question(question, reply));
                (thread.id, thread.clock.clone())
            }
            // The sender of the answer is dropped.
            None => (0, Arc::default()),
        };
        let began = clock.get().and_then(Clock::now).unwrap_or_default();
        Answer { reply: answer, thread: id, clock, asked: Instant::now(), began }
    }

    /// Waits for an answer.
    pub fn wait(&self, answer: &Answer<A>, allowance: &mut Allowance) -> Result<A, NoAnswer> {
        let left = allowance.left;
        loop {
            let received = answer.reply.recv_timeout(allowance.step());
            allowance.left = left.saturating_sub(answer.worked());
            match received {
                Ok(found) => return Ok(found),
                Err(RecvTimeoutError::Disconnected) => {
                    self.replace(answer.thread);
                    return Err(NoAnswer::Lost);
                }
                Err(RecvTimeoutError::Timeout) if allowance.step().is_zero() => {
                    self.replace(answer.thread);
                    return Err(NoAnswer::Late);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Drops an answer that is no longer needed. The next question does not wait for it.
    pub fn give_up(&self, answer: &Answer<A>) {
        if let Err(TryRecvError::Empty) = answer.reply.try_recv() {
            self.replace(answer.thread);
        }
    }

    /// Makes the next question go to a new thread instead of this one.
    fn replace(&self, id: u64) {
        let mut state = self.state();
        if let Some(thread) = state.thread.take_if(|thread| thread.id == id) {
            thread.sender.send(Message::End);
            state.replaced.push(thread.life);
        }
    }

    fn start(&self, state: &mut State<Q, A>) -> Option<Thread<Q, A>> {
        state.replaced.retain(|life| life.strong_count() > 0);
        if state.replaced.len() >= MAX_REPLACED {
            return None;
        }
        let (sender, inbox) = channel();
        let (life, clock) = (Arc::new(()), Arc::new(OnceLock::new()));
        let thread = Thread { id: state.started + 1, sender, clock: clock.clone(), life: Arc::downgrade(&life) };
        let work = self.work.clone();
        let builder = std::thread::Builder::new().name(self.name.to_owned()).stack_size(STACK_BYTES);
        let run = move || {
            // Held until the thread ends.
            let _life = life;
            work(&Questions { inbox, clock });
        };
        builder.spawn(run).ok()?;
        state.started = thread.id;
        Some(thread)
    }

    fn state(&self) -> MutexGuard<'_, State<Q, A>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Q, A> Drop for Service<Q, A> {
    /// The thread ends when it is done.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = state.thread.take() {
            thread.sender.send(Message::End);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    enum Question {
        Value(u32),
        Panic,
        /// Works until something is sent.
        Work(mpsc::Receiver<()>),
    }

    fn answer(questions: &Questions<Question, u32>) {
        while let Some((question, reply)) = questions.next() {
            match question {
                Question::Value(value) => drop(reply.send(value)),
                Question::Panic => std::panic::resume_unwind(Box::new(())),
                Question::Work(until) => while until.try_recv() == Err(mpsc::TryRecvError::Empty) {},
            }
        }
    }

    fn allowance() -> Allowance {
        Allowance::new(Duration::from_millis(20), Duration::from_secs(10))
    }

    #[test]
    fn a_question_is_answered() {
        let service: Service<Question, u32> = Service::new("test", answer);
        assert_eq!(service.wait(&service.ask(Question::Value(1)), &mut allowance()), Ok(1));
    }

    #[test]
    fn a_thread_that_is_asked_nothing_for_a_while_rests_and_answers_again() {
        let (rests, is_resting) = mpsc::channel();
        let rests = Mutex::new(rests);
        let service: Service<u32, u32> = Service::new("test", move |questions| {
            while let Some((value, reply)) = questions.next_or_rest(|| rests.lock().unwrap().send(()).unwrap()) {
                let _ = reply.send(value);
            }
        });
        assert_eq!(service.wait(&service.ask(1), &mut allowance()), Ok(1));
        is_resting.recv_timeout(Duration::from_secs(60)).expect("it rests");
        assert_eq!(service.wait(&service.ask(2), &mut allowance()), Ok(2));
    }

    #[test]
    fn its_thread_ends_with_a_service() {
        let service: Service<Question, u32> = Service::new("test", answer);
        let life = service.state().thread.as_ref().map(|thread| thread.life.clone());
        assert!(life.is_none());
        assert_eq!(service.wait(&service.ask(Question::Value(1)), &mut allowance()), Ok(1));
        let life = service.state().thread.as_ref().unwrap().life.clone();
        assert_eq!(life.strong_count(), 1);
        drop(service);
        let until = Instant::now() + Duration::from_secs(60);
        while life.strong_count() > 0 {
            assert!(Instant::now() < until, "the thread has not ended");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_thread_that_panicked_is_replaced() {
        let service: Service<Question, u32> = Service::new("test", answer);
        assert_eq!(service.wait(&service.ask(Question::Panic), &mut allowance()), Err(NoAnswer::Lost));
        assert_eq!(service.wait(&service.ask(Question::Value(2)), &mut allowance()), Ok(2));
    }

    #[test]
    fn an_answer_that_is_given_up_delays_no_other_one() {
        let service: Service<Question, u32> = Service::new("test", answer);
        let (_way, until) = mpsc::channel();
        service.give_up(&service.ask(Question::Work(until)));
        assert_eq!(service.wait(&service.ask(Question::Value(6)), &mut allowance()), Ok(6));
    }

    #[test]
    fn threads_that_hang_are_replaced_up_to_a_number() {
        let service: Service<Question, u32> = Service::new("test", answer);
        let ways: Vec<_> = (0..MAX_REPLACED)
            .map(|value| {
                let (way, until) = mpsc::channel();
                assert_eq!(service.wait(&service.ask(Question::Work(until)), &mut allowance()), Err(NoAnswer::Late));
                if value + 1 < MAX_REPLACED {
                    assert_eq!(service.wait(&service.ask(Question::Value(3)), &mut allowance()), Ok(3));
                }
                way
            })
            .collect();
        assert_eq!(service.wait(&service.ask(Question::Value(4)), &mut allowance()), Err(NoAnswer::Lost));
        drop(ways);
        let tries = AtomicUsize::new(0);
        while service.wait(&service.ask(Question::Value(5)), &mut allowance()) != Ok(5) {
            assert!(tries.fetch_add(1, Ordering::Relaxed) < 1_000_000, "the threads have not ended");
            std::thread::yield_now();
        }
    }
}
