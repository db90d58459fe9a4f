// A host folder as a file system of Emscripten. Evaluates to a function that takes the native functions and Pyodide's
// `FS`. The native functions take only paths below that folder and throw error numbers of WASI.
(files, FS) => {
  "use strict";
  const { ErrnoError } = FS;
  const EEXIST = 20;
  const EINVAL = 28;
  const ENODEV = 43;
  const EPERM = 63;
  const EXCLUSIVE = 128;
  /** Other flags do not change how a file is opened, and only the system interprets them. */
  const KNOWN_FLAGS = 1 | 2 | 64 | EXCLUSIVE | 512 | 1024;
  const BLOCK_BYTES = 4096;

  const attempt = (work) => {
    try {
      return work();
    } catch (error) {
      throw typeof error === "number" ? new ErrnoError(error) : error;
    }
  };

  /** Relative to the folder. */
  const pathOf = (node) => {
    const parts = [];
    for (let at = node; at.parent !== at; at = at.parent) parts.push(at.name);
    return parts.length === 0 ? "." : parts.reverse().join("/");
  };
  const within = (parent, name) => (parent.parent === parent ? name : `${pathOf(parent)}/${name}`);

  const createNode = (parent, name, mode) => {
    const node = FS.createNode(parent, name, mode);
    node.node_ops = nodeOperations;
    node.stream_ops = streamOperations;
    return node;
  };

  // The host and other sessions may have replaced the entry that was found at a path, or created one where there was
  // none.
  const { lookupNode, open } = FS;
  FS.lookupNode = (parent, name) => {
    const node = lookupNode(parent, name);
    if (node.node_ops !== nodeOperations) return node;
    try {
      [node.mode] = attempt(() => files.stat(pathOf(node)));
      if (!FS.isDir(node.mode) && !FS.isFile(node.mode) && !FS.isLink(node.mode)) throw new ErrnoError(EINVAL);
      return node;
    } catch (error) {
      FS.destroyNode(node);
      throw error;
    }
  };

  FS.open = (path, flags, ...others) => {
    try {
      return open(path, flags, ...others);
    } catch (error) {
      if (error.errno !== EEXIST || flags & EXCLUSIVE) throw error;
      return open(path, flags, ...others);
    }
  };

  const attributes = ([mode, size, accessed, modified, changed], node) => ({
    dev: 1,
    ino: node.id,
    mode,
    nlink: 1,
    uid: 0,
    gid: 0,
    rdev: 0,
    size,
    atime: new Date(accessed),
    mtime: new Date(modified),
    ctime: new Date(changed),
    blksize: BLOCK_BYTES,
    blocks: Math.ceil(size / BLOCK_BYTES),
  });

  /** Permissions stay as they are. */
  const setTimes = (path, { atime, mtime }) => {
    if (atime === undefined && mtime === undefined) return;
    const [, , accessed, modified] = files.stat(path);
    files.setTimes(path, Number(atime ?? accessed), Number(mtime ?? modified));
  };

  const nodeOperations = {
    getattr: (node) =>
      attributes(
        attempt(() => files.stat(pathOf(node))),
        node,
      ),
    setattr(node, changes) {
      const path = pathOf(node);
      attempt(() => {
        if (changes.size !== undefined) files.setLength(path, changes.size);
        setTimes(path, changes);
      });
    },
    // `lookupNode` finds out what exists at the path.
    lookup: (parent, name) => createNode(parent, name, 0),
    mknod(parent, name, mode) {
      const path = within(parent, name);
      if (!FS.isDir(mode) && !FS.isFile(mode)) throw new ErrnoError(EINVAL);
      attempt(() => (FS.isDir(mode) ? files.makeFolder(path) : files.create(path)));
      return createNode(parent, name, mode);
    },
    rename(node, parent, name) {
      const from = pathOf(node);
      attempt(() => files.rename(from, within(parent, name)));
      node.name = name;
    },
    unlink: (parent, name) => attempt(() => files.remove(within(parent, name))),
    rmdir: (parent, name) => attempt(() => files.removeFolder(within(parent, name))),
    readdir: (node) => [".", "..", ...attempt(() => files.list(pathOf(node)))],
    symlink() {
      throw new ErrnoError(EPERM);
    },
    readlink: (node) => attempt(() => files.readLink(pathOf(node))),
  };

  const streamOperations = {
    getattr(stream) {
      // An open folder is identified by its path.
      if (stream.file === undefined) return nodeOperations.getattr(stream.node);
      return attributes(
        attempt(() => files.statFile(stream.file)),
        stream.node,
      );
    },
    setattr(stream, changes) {
      attempt(() => {
        if (changes.size !== undefined) files.setFileLength(stream.file, changes.size);
        setTimes(pathOf(stream.node), changes);
      });
    },
    open(stream) {
      if (!FS.isFile(stream.node.mode)) return;
      stream.file = attempt(() => files.open(pathOf(stream.node), stream.flags & KNOWN_FLAGS));
      stream.shared.refcount = 1;
    },
    close(stream) {
      if (stream.file !== undefined && --stream.shared.refcount === 0) attempt(() => files.close(stream.file));
    },
    dup(stream) {
      stream.shared.refcount++;
    },
    read: (stream, buffer, offset, length, position) =>
      attempt(() =>
        files.read(stream.file, new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length), position),
      ),
    write: (stream, buffer, offset, length, position) =>
      attempt(() =>
        files.write(stream.file, new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length), position),
      ),
    llseek(stream, offset, whence) {
      let position = offset;
      if (whence === 1) position += stream.position;
      else if (whence === 2 && FS.isFile(stream.node.mode)) position += attempt(() => files.statFile(stream.file))[1];
      if (position < 0) throw new ErrnoError(EINVAL);
      return position;
    },
    mmap() {
      throw new ErrnoError(ENODEV);
    },
  };

  return { mount: () => createNode(null, "/", files.stat(".")[0]) };
};
