//! The tools that a program can call, from its text alone.
//!
//! ```text
//! tree ─ lower: names, values, calls ─▶ graph ─ solve: which function is called where ─▶ counts, constants ─▶ plan
//! ```
//!
//! The plan names every tool that the program may call. Guests have no `eval`, intrinsics are frozen, and a tool is a
//! global that cannot be replaced. So a program reaches a tool only by its name, through the global object, through an
//! earlier program of the session, or through a module. The last three make every tool possible, unless the earlier
//! programs are known. Where a value is not followed, what is in it counts as called any number of times with any
//! arguments.
//!
//! Code that an earlier program has left running is no part of the plan.

mod counts;
mod earlier_programs;
mod evaluator;
mod graph;
mod ids;
mod lower;
mod reasons;
mod shapes;
#[cfg(test)]
mod tests;
mod tools;

use std::collections::HashSet;

use serde_json::{Map, Value as Json, json};
use swc_ecma_ast::Module;

use crate::analyze;
use crate::diagnostics::Report;
use crate::goal::Goal;
use crate::observed::Observed;
use crate::source_index::SourceIndex;
use crate::{PrepareOptions, as_written, parsed, rules};
use counts::{Counts, Times, add};
use evaluator::Evaluator;
use graph::{Graph, Tracked};
use lower::Lowering;
use reasons::{Place, Reason, Reasons};
use tools::{ToolNode, ToolTree};

/// The form of plans.
const VERSION: u32 = 1;
/// Calls of one tool that are listed. The others count together.
const MAX_CALLS: usize = 100;
/// Units of all arguments together: a value, or eight bytes of text.
const MAX_UNITS: usize = 1 << 16;

/// What a plan is made for.
#[derive(Debug, Default)]
pub struct PlanRequest {
    /// The tools that the program has: the keys from the global to each.
    pub tools: Vec<Vec<String>>,
    /// The programs that the session has run, in any order. `None`: unknown.
    pub earlier: Option<Vec<String>>,
    /// The name of a function that the host adds to the program: it calls its argument, if that is a function, and
    /// awaits the result.
    pub front: Option<String>,
}

/// The plan of a program as JSON. Takes any text, and time and memory that are linear in its length.
pub fn plan(code: &str, request: &PlanRequest, options: &PrepareOptions) -> String {
    let tools = ToolTree::new(&request.tools);
    let plan = read(code, options, |module, text| plan_of(module, text, request, &tools, options));
    plan.unwrap_or_else(|| finished(all_tools(&tools), &Reasons::of(Reason::NotReadable), None)).to_string()
}

/// Parses a program as a run does, and calls `work` with its tree and its text. `None` if a run would refuse it.
fn read<R>(code: &str, options: &PrepareOptions, work: impl FnOnce(&Module, &str) -> R) -> Option<R> {
    let (text, _) = rules::mistakes::unwrapped(code);
    let text = &*text;
    parsed(text, options, Goal::Program, &mut Report::new(Vec::new()), |source, report| {
        // Finds trees that are too deep for other passes.
        analyze::analyze(&source, text, options, &Observed::default(), Goal::Program, report)?;
        Some(work(&as_written(source, text), text))
    })
}

fn plan_of(module: &Module, text: &str, request: &PlanRequest, tools: &ToolTree, options: &PrepareOptions) -> Json {
    let mut lowering = Lowering::new(Graph::new(tools), request.front.as_deref());
    lowering.program(module);
    let reached = earlier_programs::reach(&mut lowering, request.earlier.as_deref(), options);
    let Lowering { mut graph, mut reasons, .. } = lowering;
    graph.solve();
    if graph.is_exhausted {
        reasons.add(Reason::TooComplex, None, Place(Default::default()));
    }
    let index = SourceIndex::new(text);
    let possible = Possible { is_all: !reasons.is_empty(), tools: &graph.escaped_tools() | &reached };
    let shown = if graph.is_exhausted { Vec::new() } else { tools_of(&graph, &possible, &index) };
    let shown = if graph.is_exhausted { all_tools(tools) } else { shown };
    finished(shown, &reasons, Some(&index))
}

/// Tools that the program may call in ways that its calls do not show.
struct Possible {
    is_all: bool,
    tools: HashSet<ToolNode>,
}

fn tools_of(graph: &Graph, possible: &Possible, index: &SourceIndex) -> Vec<Json> {
    let mut evaluator = Evaluator::new(graph);
    let counts = Counts::of(graph, &mut evaluator, true);
    let mut calls: Vec<Vec<usize>> = vec![Vec::new(); graph.tools.len()];
    for (id, call) in graph.calls.iter().enumerate() {
        if counts.times[id] == Some(0) || call.kind == graph::CallKind::New {
            continue;
        }
        for target in &call.targets {
            match target {
                Tracked::Tool(tool) if graph.tools.is_tool(*tool) => calls[*tool as usize].push(id),
                _ => {}
            }
        }
    }
    let mut units = MAX_UNITS;
    let mut shown = Vec::new();
    for &tool in graph.tools.all() {
        let calls = &calls[tool as usize];
        let is_certain = !possible.is_all && !possible.tools.contains(&tool);
        if calls.is_empty() && is_certain {
            continue;
        }
        let total = calls.iter().try_fold(0, |total, &id| add(Some(total), counts.times[id]));
        let is_conditional = !calls.iter().any(|&id| counts.is_certain[id]);
        let (listed, others) = calls.split_at(calls.len().min(MAX_CALLS));
        let mut places: Vec<_> =
            listed.iter().map(|&id| call_of(graph, &counts, id, &mut evaluator, &mut units, index)).collect();
        if let Some(&first) = others.first() {
            let rest = others.iter().try_fold(0, |total, &id| add(Some(total), counts.times[id]));
            let (line, column) = Place(graph.calls[first].at).location(index);
            places.push(json!({
                "line": line,
                "column": column,
                "times": times_of(rest),
                "conditional": true,
                "arguments": [{ "rest": true }],
            }));
        }
        shown.push(json!({
            "name": graph.tools.name(tool),
            "times": times_of(if is_certain { total } else { None }),
            "conditional": is_conditional,
            "certain": is_certain,
            "calls": places,
        }));
    }
    shown
}

fn call_of(
    graph: &Graph,
    counts: &Counts,
    id: usize,
    evaluator: &mut Evaluator,
    units: &mut usize,
    index: &SourceIndex,
) -> Json {
    let call = &graph.calls[id];
    let (line, column) = Place(call.at).location(index);
    let arguments = evaluator.arguments(call);
    let needed: usize = arguments.iter().map(|argument| argument.as_ref().map_or(1, |known| known.units())).sum();
    let arguments: Vec<_> = if needed <= *units {
        *units -= needed;
        arguments
            .iter()
            .map(|argument| argument.as_ref().map_or(json!({ "rest": true }), |known| known.json()))
            .collect()
    } else {
        vec![json!({ "rest": true })]
    };
    json!({
        "line": line,
        "column": column,
        "times": times_of(counts.times[id]),
        "conditional": !counts.is_certain[id],
        "arguments": arguments,
    })
}

fn times_of(times: Times) -> Json {
    match times {
        Some(0 | 1) => json!("once"),
        Some(most) => json!({ "atMost": most }),
        None => json!("repeatedly"),
    }
}

/// All tools of a program about which nothing is known.
fn all_tools(tools: &ToolTree) -> Vec<Json> {
    let all = tools.all().iter().map(|&tool| {
        json!({ "name": tools.name(tool), "times": "repeatedly", "conditional": true, "certain": false, "calls": [] })
    });
    all.collect()
}

fn finished(tools: Vec<Json>, reasons: &Reasons, index: Option<&SourceIndex>) -> Json {
    let is_complete = reasons.is_empty() && tools.iter().all(|tool| tool["certain"] == true);
    let mut plan = Map::new();
    plan.insert("version".to_owned(), json!(VERSION));
    plan.insert("complete".to_owned(), json!(is_complete));
    plan.insert("tools".to_owned(), Json::Array(tools));
    plan.insert("unresolved".to_owned(), reasons.json(index));
    Json::Object(plan)
}
