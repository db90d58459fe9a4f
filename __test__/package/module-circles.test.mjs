// The check of circles between the modules of a crate, on a crate that has some.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { circlesIn } from '../../scripts/module-circles.mjs';
import { withFolder } from '../helpers.mjs';

const circlesOf = (files) =>
  withFolder((folder) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return circlesIn(folder);
  });

test('uses, paths in code, and names that a module passes on are followed', async () => {
  expect(
    await circlesOf({
      'lib.rs': 'mod a;\nmod b;\nmod c;\nmod d;\npub use a::One;\npub fn root() {}',
      'a.rs': 'use crate::{b::{Two, other as renamed}, d::leaf};\npub struct One;',
      'b.rs': 'pub struct Two;\nfn f() { crate::c::run() }',
      'c/mod.rs': 'mod inner;\nmod rest;\npub use inner::run;\npub struct Shared;',
      'c/inner.rs': 'use super::Shared;\nuse crate::One;\npub fn run() {}',
      'c/rest.rs': 'pub fn nothing() { super::super::root() }',
      'd.rs': '// use crate::a::One;\npub fn leaf() {}',
    }),
  ).toEqual([['a', 'b', 'c::inner']]);
});

test('declarations, what is passed on, what contains a module, and tests are no arrows', async () => {
  expect(
    await circlesOf({
      'lib.rs': 'pub mod a;\n#[cfg(test)]\nmod tests;\npub use a::*;\npub struct Root;\nfn f() { a::g() }',
      'a.rs': 'use super::Root;\n#[cfg(all(test, unix))]\nmod tests {\n  use crate::tests::helper;\n}',
      'tests.rs': 'use crate::a::f;\npub fn helper() {}',
    }),
  ).toEqual([]);
});

test.each([
  ['by its crate', 'use crate::b;\nfn g() { b::c::f() }'],
  ['by its parent', 'use super::b;\nfn g() { b::c::f() }'],
  ['in a list', 'use crate::{b::{self}};\nfn g() { b::c::f() }'],
  ['by another name', 'use crate::b as other;\nfn g() { other::c::f() }'],
  ['by another name in a list', 'use crate::b::{self as other};\nfn g() { other::c::f() }'],
  ['in two steps', 'use crate::b;\nuse b::c;\nfn g() { c::f() }'],
  ['for others', 'pub use crate::b;\nfn g() { b::c::f() }'],
])('a path through a module that is brought in %s is followed', async (_, text) => {
  expect(
    await circlesOf({
      'lib.rs': 'mod a;\nmod b;',
      'a.rs': `${text}\npub struct A;`,
      'b/mod.rs': 'pub mod c;',
      'b/c.rs': 'use crate::a::A;\npub fn f() {}',
    }),
  ).toEqual([['a', 'b::c']]);
});
