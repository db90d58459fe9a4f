//! How often calls are made, and which ones are made in every run.

use super::evaluator::Evaluator;
use super::graph::{Bound, Call, CallKind, Counter, Graph, NO_LOOP, PROGRAM, Passed, Tracked};
use super::ids::{FunctionId, LoopId};

/// A number of calls; `None` if there is no bound, or if it is larger than [`MAX_TIMES`].
pub(super) type Times = Option<u32>;

/// A larger bound says no more than none.
const MAX_TIMES: u32 = 1_000_000;

fn times(count: f64) -> Times {
    (count <= f64::from(MAX_TIMES)).then_some(count as u32)
}

pub(super) fn add(a: Times, b: Times) -> Times {
    times(f64::from(a?) + f64::from(b?))
}

fn multiply(a: Times, b: Times) -> Times {
    match (a, b) {
        (Some(0), _) | (_, Some(0)) => Some(0),
        (a, b) => times(f64::from(a?) * f64::from(b?)),
    }
}

/// How often a loop repeats its body.
#[derive(Clone, Copy)]
struct Repetition {
    most: Times,
    /// It does so at least once.
    is_certain: bool,
}

/// How often calls of a solved graph are made.
pub(super) struct Counts {
    /// By call.
    pub(super) times: Vec<Times>,
    /// By call: it is made in every run that neither fails nor ends early.
    pub(super) is_certain: Vec<bool>,
}

impl Counts {
    /// `is_run`: the program is executed. Otherwise only code that is not resolved calls its functions.
    pub(super) fn of(graph: &Graph, evaluator: &mut Evaluator, is_run: bool) -> Self {
        let loops = repetitions(graph, evaluator);
        let within = |call: &Call| multiply(loops[call.in_loop as usize].most, by_list(graph, call).most);
        let per_owner: Vec<Times> = graph.calls.iter().map(within).collect();
        let functions = executions(graph, &per_owner, is_run);
        let times = graph.calls.iter().zip(&per_owner);
        let times = times.map(|(call, &times)| multiply(functions[call.owner as usize], times)).collect();
        Self { times, is_certain: certain(graph, &loops) }
    }
}

/// How often a method of a list makes a call.
fn by_list(graph: &Graph, call: &Call) -> Repetition {
    match call.kind {
        CallKind::Callback { list, passed } => {
            let length = graph.list(list).map(<[_]>::len);
            let is_certain = length > Some(0) && passed != Passed::Fold;
            Repetition { most: length.and_then(|length| times(length as f64)), is_certain }
        }
        CallKind::Plain | CallKind::New | CallKind::Front { .. } => Repetition { most: Some(1), is_certain: true },
    }
}

fn repetitions(graph: &Graph, evaluator: &mut Evaluator) -> Vec<Repetition> {
    let mut all: Vec<Repetition> = Vec::with_capacity(graph.loops.len());
    for (id, one) in graph.loops.iter().enumerate() {
        let own = match &one.bound {
            Bound::Once => Repetition { most: Some(1), is_certain: true },
            Bound::Unbounded => Repetition { most: None, is_certain: false },
            Bound::AtLeastOnce => Repetition { most: None, is_certain: true },
            Bound::List(list) => {
                let length = graph.list(*list).map(<[_]>::len);
                Repetition { most: length.and_then(|length| times(length as f64)), is_certain: length > Some(0) }
            }
            Bound::Counter(counter) => of_counter(graph, counter, evaluator),
        };
        // Outer loops come first.
        let outer = if id as LoopId == NO_LOOP { own } else { all[one.outer as usize] };
        let (most, is_certain) = match id as LoopId {
            NO_LOOP => (own.most, own.is_certain),
            _ => (multiply(outer.most, own.most), outer.is_certain && own.is_certain),
        };
        all.push(Repetition { most, is_certain });
    }
    all
}

fn of_counter(graph: &Graph, counter: &Counter, evaluator: &mut Evaluator) -> Repetition {
    let Counter { binding, from, to, is_inclusive, step, is_test } = counter;
    // The update of the loop is the only assignment.
    let is_counter = graph.bindings[*binding as usize].writes == 1;
    let to = evaluator.number(to).filter(|to| is_counter && to.abs() <= 1e9);
    let Some(to) = to else { return Repetition { most: None, is_certain: *is_test } };
    let steps = (to - from) / step;
    let count = if *is_inclusive { steps.floor() + 1.0 } else { steps.ceil() }.max(0.0);
    let extra = if *is_test { 1.0 } else { 0.0 };
    Repetition { most: times(count + extra), is_certain: count + extra >= 1.0 }
}

/// How often each function is executed.
fn executions(graph: &Graph, per_owner: &[Times], is_run: bool) -> Vec<Times> {
    let components = components(graph);
    let mut component_of = vec![0; graph.functions.len()];
    for (number, component) in components.iter().enumerate() {
        component.iter().for_each(|&function| component_of[function as usize] = number);
    }
    let mut executions: Vec<Times> = vec![Some(0); graph.functions.len()];
    for (number, component) in components.iter().enumerate() {
        let mut total = Some(u32::from(is_run && component.contains(&PROGRAM)));
        let mut is_recursive = false;
        for &id in component {
            let function = &graph.functions[id as usize];
            for &call in &function.callers {
                let owner = graph.calls[call as usize].owner as usize;
                if component_of[owner] == number {
                    is_recursive = true;
                } else {
                    total = add(total, multiply(executions[owner], per_owner[call as usize]));
                }
            }
            // The rest of a generator, or of an async function, may be executed later.
            let goes_on = !is_run && (function.is_generator || function.is_async) && !function.callers.is_empty();
            if function.is_escaped || goes_on {
                total = None;
            }
        }
        if is_recursive && total != Some(0) {
            total = None;
        }
        component.iter().for_each(|&function| executions[function as usize] = total);
    }
    executions
}

/// The strongly connected components of the calls between functions, callers before the functions that they call.
fn components(graph: &Graph) -> Vec<Vec<FunctionId>> {
    let count = graph.functions.len();
    let callers = |function: usize| graph.functions[function].callers.iter();
    // Tarjan's algorithm on the edges from a function to its callers, without recursion.
    let (mut index, mut low) = (vec![u32::MAX; count], vec![0_u32; count]);
    let mut is_open = vec![false; count];
    let (mut next, mut open, mut found) = (0, Vec::new(), Vec::new());
    for start in 0..count {
        if index[start] != u32::MAX {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((function, at)) = path.pop() {
            if at == 0 {
                (index[function], low[function]) = (next, next);
                next += 1;
                open.push(function);
                is_open[function] = true;
            }
            let mut rest = callers(function).skip(at).enumerate();
            let descends = rest.find_map(|(more, &call)| {
                let owner = graph.calls[call as usize].owner as usize;
                if index[owner] == u32::MAX {
                    return Some((owner, at + more));
                }
                if is_open[owner] {
                    low[function] = low[function].min(index[owner]);
                }
                None
            });
            if let Some((owner, at)) = descends {
                path.push((function, at + 1));
                path.push((owner, 0));
                continue;
            }
            if low[function] == index[function] {
                let mut component = Vec::new();
                while let Some(member) = open.pop() {
                    is_open[member] = false;
                    component.push(member as FunctionId);
                    if member == function {
                        break;
                    }
                }
                found.push(component);
            }
            if let Some(&(outer, _)) = path.last() {
                low[outer] = low[outer].min(low[function]);
            }
        }
    }
    found
}

/// The calls that every run makes that neither fails nor ends early.
fn certain(graph: &Graph, loops: &[Repetition]) -> Vec<bool> {
    let mut by_owner: Vec<Vec<usize>> = vec![Vec::new(); graph.functions.len()];
    for (id, call) in graph.calls.iter().enumerate() {
        let is_made =
            !call.is_conditional && loops[call.in_loop as usize].is_certain && by_list(graph, call).is_certain;
        if is_made && !call.is_unknown && call.targets.len() == 1 {
            by_owner[call.owner as usize].push(id);
        }
    }
    let mut is_certain = vec![false; graph.calls.len()];
    let mut is_executed = vec![false; graph.functions.len()];
    let mut work = vec![PROGRAM];
    while let Some(owner) = work.pop() {
        if std::mem::replace(&mut is_executed[owner as usize], true) {
            continue;
        }
        for &id in &by_owner[owner as usize] {
            is_certain[id] = true;
            let call = &graph.calls[id];
            if let Tracked::Function(function) = call.targets[0]
                && executes(graph, call, function)
            {
                work.push(function);
            }
        }
    }
    is_certain
}

/// Whether a call executes the function to its end, unless the run fails.
fn executes(graph: &Graph, call: &Call, id: FunctionId) -> bool {
    let function = &graph.functions[id as usize];
    let is_called = match call.kind {
        CallKind::Plain => true,
        CallKind::Callback { .. } => true,
        // A class can be constructed, but not every function.
        CallKind::New => false,
        CallKind::Front { takes_any } => takes_any || (function.params.is_empty() && !function.has_rest),
    };
    // Errors of an async function that is not awaited do not fail the run.
    is_called && !function.is_generator && (!function.is_async || call.is_awaited)
}
