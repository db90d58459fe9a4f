//! The tools of a program, as a tree of their names.

use std::collections::HashMap;

/// Index of a node in [`ToolTree`].
pub(super) type ToolNode = u32;

const ROOT: usize = 0;

/// A tool, or a namespace of tools.
#[derive(Default)]
struct Node {
    /// Its name with its namespaces; empty for the root.
    name: String,
    children: HashMap<String, ToolNode>,
    is_tool: bool,
}

/// Tools by their paths: `mail.send` is the child `send` of `mail`.
pub(super) struct ToolTree {
    nodes: Vec<Node>,
    /// The tools in the order of the caller.
    order: Vec<ToolNode>,
}

impl ToolTree {
    pub(super) fn new(paths: &[Vec<String>]) -> Self {
        let mut tree = Self { nodes: vec![Node::default()], order: Vec::new() };
        for path in paths {
            tree.add(path);
        }
        tree
    }

    fn add(&mut self, path: &[String]) {
        let mut at = ROOT;
        for key in path {
            at = match self.nodes[at].children.get(key) {
                Some(&child) => child as usize,
                None => {
                    let parent = &self.nodes[at].name;
                    let name = if at == ROOT { key.clone() } else { format!("{parent}.{key}") };
                    let child = self.nodes.len();
                    self.nodes.push(Node { name, ..Node::default() });
                    self.nodes[at].children.insert(key.clone(), child as ToolNode);
                    child
                }
            };
        }
        if at != ROOT && !self.nodes[at].is_tool {
            self.nodes[at].is_tool = true;
            self.order.push(at as ToolNode);
        }
    }

    /// The tool or namespace that is a global of this name.
    pub(super) fn global(&self, name: &str) -> Option<ToolNode> {
        self.nodes[ROOT].children.get(name).copied()
    }

    pub(super) fn member(&self, node: ToolNode, key: &str) -> Option<ToolNode> {
        self.nodes[node as usize].children.get(key).copied()
    }

    pub(super) fn is_tool(&self, node: ToolNode) -> bool {
        self.nodes[node as usize].is_tool
    }

    pub(super) fn name(&self, node: ToolNode) -> &str {
        &self.nodes[node as usize].name
    }

    /// All tools, in the order of the caller.
    pub(super) fn all(&self) -> &[ToolNode] {
        &self.order
    }

    /// The number of nodes, including the root.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Calls `found` with each tool at or below a node.
    pub(super) fn each_below(&self, node: ToolNode, mut found: impl FnMut(ToolNode)) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if self.is_tool(node) {
                found(node);
            }
            open.extend(self.nodes[node as usize].children.values());
        }
    }
}
