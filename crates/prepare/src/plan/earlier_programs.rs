//! What a program can reach through the programs that its session ran before.

use std::collections::{HashMap, HashSet};

use swc_atoms::Atom;

use super::counts::Counts;
use super::evaluator::Evaluator;
use super::graph::{Graph, Tracked};
use super::lower::{Lowering, SessionNames};
use super::read;
use super::reasons::{Place, Reason};
use super::tools::ToolNode;
use crate::PrepareOptions;

/// Names of the program that are reasons on their own. The others follow from them.
const MAX_NAMES: usize = 3;

/// An earlier program.
struct Program {
    session_names: SessionNames,
    /// The tools that it has left: those that its functions call, and those in its variables.
    tools: HashSet<ToolNode>,
    /// It may define any name and call any tool.
    is_open: bool,
}

/// Marks what earlier programs can reach of the program. Returns the tools that it can reach through them. `earlier`:
/// their texts, if they are known.
pub(super) fn reach(
    lowering: &mut Lowering,
    earlier: Option<&[String]>,
    options: &PrepareOptions,
) -> HashSet<ToolNode> {
    let names = shared_names(&lowering.session_names);
    let Some(earlier) = earlier else {
        open(lowering, &names);
        return HashSet::new();
    };
    let programs: Vec<_> = earlier.iter().map(|code| program(code, lowering, options)).collect();
    if programs.iter().any(|program| program.is_open) {
        open(lowering, &names);
        return HashSet::new();
    }
    let mut reached = HashSet::new();
    let (mut seen, mut work) = (HashSet::new(), names);
    let by_name = using(&programs, &lowering.session_names);
    let mut visible = HashSet::new();
    while let Some(name) = work.pop() {
        for &index in by_name.get(&name).into_iter().flatten() {
            if !seen.insert(index) {
                continue;
            }
            let Program { session_names: SessionNames { free, globals, .. }, tools, .. } = &programs[index];
            reached.extend(tools);
            visible.extend(free.keys().chain(globals.keys()).cloned());
            work.extend(free.keys().chain(globals.keys()).cloned());
        }
    }
    // Functions of earlier programs see the variables of this one.
    let open: Vec<_> = lowering.session_names.globals.iter().filter(|(name, _)| visible.contains(*name)).collect();
    let open: Vec<_> = open.into_iter().map(|(_, &(binding, _))| binding).collect();
    open.into_iter().for_each(|binding| lowering.graph.open_binding(binding));
    reached
}

/// The names whose values may come from an earlier program.
fn shared_names(session_names: &SessionNames) -> Vec<Atom> {
    let mut free: Vec<_> = session_names.free.iter().collect();
    free.sort_by_key(|&(_, at)| *at);
    let vars = session_names.globals.iter().filter(|(_, (_, is_var))| *is_var);
    free.into_iter().map(|(name, _)| name.clone()).chain(vars.map(|(name, _)| name.clone())).collect()
}

/// Everything is possible if the program uses a name of an earlier one.
fn open(lowering: &mut Lowering, names: &[Atom]) {
    for name in names.iter().take(MAX_NAMES) {
        let at = lowering.session_names.free.get(name).copied().unwrap_or_default();
        lowering.reasons.add(Reason::EarlierProgram, Some(name), Place(at));
    }
}

fn program(code: &str, lowering: &Lowering, options: &PrepareOptions) -> Program {
    let tools = lowering.graph.tools;
    let found = read(code, options, |module, _| {
        let mut earlier = Lowering::new(Graph::new(tools), None);
        earlier.program(module);
        let Lowering { mut graph, reasons, session_names, .. } = earlier;
        session_names.globals.values().for_each(|&(binding, _)| graph.open_binding(binding));
        graph.solve();
        let is_open = !reasons.is_empty() || graph.is_exhausted;
        Program { tools: if is_open { HashSet::new() } else { left_by(&graph) }, session_names, is_open }
    });
    // It did not run either, unless it ran with other options.
    found.unwrap_or_else(|| Program { session_names: SessionNames::default(), tools: HashSet::new(), is_open: true })
}

/// The tools that code of a program can call after the program has ended.
fn left_by(graph: &Graph) -> HashSet<ToolNode> {
    let mut tools = graph.escaped_tools();
    let counts = Counts::of(graph, &mut Evaluator::new(graph), false);
    for (call, times) in graph.calls.iter().zip(counts.times) {
        if times != Some(0) {
            tools.extend(call.targets.iter().filter_map(|target| match target {
                Tracked::Tool(tool) if graph.tools.is_tool(*tool) => Some(*tool),
                _ => None,
            }));
        }
    }
    tools
}

/// The programs that use a name, for the names that are variables: others are built in, or constant values of the host.
fn using(programs: &[Program], own: &SessionNames) -> HashMap<Atom, Vec<usize>> {
    let all = programs.iter().map(|program| &program.session_names);
    let defined = all.clone().flat_map(|one| one.globals.keys().chain(&one.assigned)).chain(own.globals.keys());
    let defined: HashSet<_> = defined.collect();
    let mut by_name: HashMap<Atom, Vec<usize>> = HashMap::new();
    for (index, one) in all.enumerate() {
        for name in one.globals.keys().chain(one.free.keys()).filter(|name| defined.contains(name)) {
            by_name.entry(name.clone()).or_default().push(index);
        }
    }
    by_name
}
