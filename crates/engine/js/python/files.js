// Python's files in memory as data. Evaluates to a function that takes Pyodide's `FS` and notes the files of the start.
(FS) => {
  "use strict";
  /** Of all files that are not as at the start. More does not fit into V8's heap a second time. */
  const MAX_BYTES = 4 << 20;
  const { root } = FS;
  const { node: nodeOperations, stream: streamOperations } = FS.filesystems.MEMFS.ops_table.file;
  /** Nodes of the start whose contents were changed in place. */
  const written = new Set();
  for (const name of ["write", "msync"]) {
    const operate = streamOperations[name];
    streamOperations[name] = (stream, ...args) => {
      if (start.has(stream.node.id)) written.add(stream.node);
      return operate(stream, ...args);
    };
  }

  /** All nodes. Parents come before their children, and children in the order of their folder. */
  const nodesOf = () => {
    const nodes = [root];
    for (const node of nodes) {
      if (FS.isDir(node.mode)) for (const name of Object.keys(node.contents)) nodes.push(node.contents[name]);
    }
    return nodes;
  };

  /** The number of nodes that are found by name. Some are in no folder: pipes, sockets, roots of other file systems. */
  const countNamed = () => {
    let count = 0;
    for (let node of FS.nameTable) for (; node; node = node.name_next) count++;
    return count;
  };

  const startNodes = nodesOf();
  const start = new Map(startNodes.map((node) => [node.id, { node, contents: node.contents, bytes: node.usedBytes }]));
  const startStreams = FS.streams.filter((stream) => stream);
  const unlisted = countNamed() - startNodes.length;
  let hasTimes = false;

  const placeOf = ({ id, parent, name, mode, rdev }) => [id, parent.id, name, mode, rdev];
  const isFile = ({ node_ops: operations }) => operations === nodeOperations;
  /** Whether the file is as at the start. */
  const isKept = (node) => {
    const { contents, bytes } = start.get(node.id) ?? {};
    return node.contents === contents && node.usedBytes === bytes && !written.has(node);
  };

  /** The target of a link, or the index in `contents` of the bytes of a file that is not as at the start. */
  const bodyOf = (node, contents) => {
    if (FS.isLink(node.mode)) return node.link;
    if (!isFile(node) || isKept(node)) return null;
    return contents.push(node.contents.subarray(0, node.usedBytes)) - 1;
  };

  /** Files that were opened since the start, or `undefined` if one of them is none of `nodes`. */
  const openFiles = (nodes) => {
    const known = new Set(nodes);
    const open = FS.streams.filter((stream) => stream && !startStreams.includes(stream));
    if (!open.every(({ node }) => known.has(node) && isFile(node))) return undefined;
    return open.map(({ fd, node, path, flags, position, shared }) => {
      const first = open.find((other) => other.shared === shared);
      return [fd, node.id, path, flags, position, first.fd];
    });
  };

  /** What is the same in isolates that have started in the same way. */
  const startText = () => {
    const nodes = startNodes.map((node) => [...placeOf(node), node.link, node.usedBytes]);
    return JSON.stringify([nodes, FS.nextInode, FS.cwd()]);
  };
  const sealed = startText();

  /** The state of the files without their contents, which `contents` gets; or why it cannot be told. */
  const tell = (contents) => {
    const nodes = nodesOf();
    if (countNamed() - nodes.length !== unlisted) return "a pipe, a socket or a file without a folder was made";
    if (!startStreams.every((stream) => FS.streams[stream.fd] === stream)) return "a standard stream was replaced";
    const open = openFiles(nodes);
    if (open === undefined) return "a file is open that is not one in memory";
    const changed = nodes.filter((node) => isFile(node) && !isKept(node));
    if (changed.reduce((bytes, node) => bytes + node.usedBytes, 0) > MAX_BYTES) return "its files are too large";
    const entries = nodes.map((node) => {
      const { atime, mtime, ctime } = node;
      return [...placeOf(node), atime, mtime, ctime, bodyOf(node, contents)];
    });
    return { entries, open, nextNode: FS.nextInode, folder: FS.cwd() };
  };

  /** Gives the files of the start this state. */
  const restore = ({ entries, open, nextNode, folder }, contents) => {
    const kept = new Map(entries.map((entry) => [entry[0], entry]));
    const isInPlace = (node) => {
      const [, parent, name] = kept.get(node.id) ?? [];
      return node.parent.id === parent && node.name === name;
    };
    const moved = new Set(startNodes.filter((node) => node !== root && !isInPlace(node)));
    moved.forEach((node) => FS.hashRemoveNode(node));
    for (const node of startNodes) if (FS.isDir(node.mode)) node.contents = {};
    const nodes = new Map();
    for (const [id, parentId, name, mode, rdev, , , , body] of entries) {
      const parent = nodes.get(parentId);
      const node = start.get(id)?.node ?? parent.node_ops.mknod(parent, name, mode, rdev);
      if (moved.has(node)) {
        Object.assign(node, { parent, name });
        FS.hashAddNode(node);
      }
      if (node !== root) parent.contents[name] = node;
      if (FS.isLink(mode)) node.link = body;
      else if (body !== null) Object.assign(node, { contents: contents[body], usedBytes: contents[body].length });
      node.id = id;
      nodes.set(id, node);
    }
    // The creation of a node changes the times of its folder.
    for (const [id, , , mode, , atime, mtime, ctime] of entries) {
      Object.assign(nodes.get(id), { mode, atime, mtime, ctime });
    }
    for (const [fd, id, path, flags, position, first] of open) {
      const node = nodes.get(id);
      const stream = { node, path, flags, position, seekable: true, ungotten: [], error: false };
      if (first === fd) FS.createStream({ ...stream, stream_ops: node.stream_ops }, fd);
      else FS.dupStream(FS.streams[first], fd);
    }
    FS.nextInode = nextNode;
    FS.currentPath = folder;
    hasTimes = true;
  };

  /** Gives the files of the start the time of the first run. At the start, a deterministic session has no clock. */
  const touch = () => {
    if (hasTimes) return;
    hasTimes = true;
    const now = Date.now();
    for (const { node } of start.values()) Object.assign(node, { atime: now, mtime: now, ctime: now });
  };

  return { start: sealed, tell, restore, touch };
};
