/**
 * Loads optional peer dependencies.
 *
 * @param user the feature that needs them
 * @param packages names of the packages to install
 * @throws {Error} that says which packages to install
 */
export function requirePeer<T>(user: string, packages: string, load: () => T) {
  try {
    return load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw cause;
    throw new Error(`${user} needs packages that are not installed; run: npm install ${packages}`, { cause });
  }
}
