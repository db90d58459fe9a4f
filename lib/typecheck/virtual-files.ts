import type { VirtualFiles } from './compiler';

/** Files of projects by their names, and texts of earlier runs, which all projects have. */
export class ProjectFiles implements VirtualFiles {
  #projects: Map<string, Map<string, string>> = new Map();
  #runs: Map<string, string> = new Map();

  addProject(folder: string, files: Iterable<readonly [name: string, text: string]>) {
    this.#projects.set(folder, new Map(files));
  }

  removeProject(folder: string) {
    this.#projects.delete(folder);
  }

  hasProject(folder: string) {
    return this.#projects.has(folder);
  }

  /** @returns whether the text differs from the one that the file had */
  write(folder: string, name: string, text: string): boolean {
    const files = this.#projects.get(folder);
    if (files === undefined || files.get(name) === text) return false;
    files.set(name, text);
    return true;
  }

  addRun(name: string, text: string) {
    this.#runs.set(name, text);
  }

  removeRun(name: string) {
    this.#runs.delete(name);
  }

  read(path: string) {
    const [, folder, name] = /^(\/[^/]+)\/([^/]+)$/.exec(path) ?? [];
    const files = folder === undefined ? undefined : this.#projects.get(folder);
    return files?.get(name) ?? (files === undefined ? undefined : this.#runs.get(name));
  }

  isFolder(path: string) {
    return path === '/' || this.#projects.has(path.replace(/\/$/, ''));
  }
}
