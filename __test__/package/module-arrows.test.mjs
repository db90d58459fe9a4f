// The checks of arrows between the modules of a crate, on crates that have wrong ones.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { namesOfEngine } from '../../scripts/engine-names.mjs';
import { circlesIn, upwardIn } from '../../scripts/module-arrows.mjs';
import { withFolder } from '../helpers.mjs';

const inCrate = (files, check) =>
  withFolder((folder) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return check(folder);
  });
const circlesOf = (files) => inCrate(files, circlesIn);

test('uses, paths in code and re-exports count as arrows', async () => {
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
  ).toStrictEqual([['a', 'b', 'c::inner']]);
});

test('declarations, re-exports of children, parents and tests do not count as arrows', async () => {
  expect(
    await circlesOf({
      'lib.rs': 'pub mod a;\n#[cfg(test)]\nmod tests;\npub use a::*;\npub struct Root;\nfn f() { a::g() }',
      'a.rs': 'use super::Root;\n#[cfg(all(test, unix))]\nmod tests {\n  use crate::tests::helper;\n}',
      'tests.rs': 'use crate::a::f;\npub fn helper() {}',
    }),
  ).toStrictEqual([]);
});

test.each([
  ['by its crate', 'use crate::b;\nfn g() { b::c::f() }'],
  ['by its parent', 'use super::b;\nfn g() { b::c::f() }'],
  ['in a list', 'use crate::{b::{self}};\nfn g() { b::c::f() }'],
  ['under another name', 'use crate::b as other;\nfn g() { other::c::f() }'],
  ['under another name in a list', 'use crate::b::{self as other};\nfn g() { other::c::f() }'],
  ['in two steps', 'use crate::b;\nuse b::c;\nfn g() { c::f() }'],
  ['for others', 'pub use crate::b;\nfn g() { b::c::f() }'],
])('a path through a module imported %s counts as an arrow', async (_, text) => {
  expect(
    await circlesOf({
      'lib.rs': 'mod a;\nmod b;',
      'a.rs': `${text}\npub struct A;`,
      'b/mod.rs': 'pub mod c;',
      'b/c.rs': 'use crate::a::A;\npub fn f() {}',
    }),
  ).toStrictEqual([['a', 'b::c']]);
});

describe('the order of folders', () => {
  const LIB = { 'lib.rs': 'mod low;\nmod high;\nmod top;', 'top.rs': 'use crate::high::a;\npub fn f() {}' };
  const upwardOf = (files) => inCrate({ ...LIB, ...files }, (folder) => upwardIn(folder, ['low', 'high']));

  test('allows a module to name lower folders and modules of its own folder', async () => {
    const files = {
      'low/mod.rs': 'pub mod a;\npub mod b;',
      'low/a.rs': 'use crate::low::b::g;',
      'low/b.rs': 'pub fn g() {}',
      'high/mod.rs': 'pub mod a;',
      'high/a.rs': 'use crate::low::a;',
    };
    expect(await upwardOf(files)).toStrictEqual([]);
  });

  test('forbids a module to name a higher folder, or a file next to the folders', async () => {
    const files = {
      'low/mod.rs': 'pub mod a;\npub mod b;',
      'low/a.rs': 'fn f() { crate::high::a::g() }',
      'low/b.rs': '#[cfg(test)]\nmod tests {\n  use crate::top::f;\n}',
      'high/mod.rs': 'pub mod a;',
      'high/a.rs': 'pub fn g() {}',
    };
    expect(await upwardOf(files)).toStrictEqual([
      'low::a names high::a, which is above it',
      'low::b names top, which is above it',
    ]);
  });

  test('requires a place for each folder', async () => {
    const files = { 'low/mod.rs': '', 'high/mod.rs': '', 'other/mod.rs': '' };
    expect(await upwardOf(files)).toStrictEqual(['the folder other has no place in the order']);
  });

  test('requires no place for folders without modules', async () => {
    const files = { 'low/mod.rs': '', 'high/mod.rs': '', 'fixtures/loops.js': '', 'tests/mod.rs': '' };
    expect(await upwardOf(files)).toStrictEqual([]);
  });

  test('forbids modules of one level to name each other, files with a place among them', async () => {
    const files = {
      'lib.rs': 'mod base;\nmod left;\nmod right;',
      'base.rs': 'use crate::left::a;',
      'left/mod.rs': 'pub mod a;',
      'left/a.rs': 'use crate::base::f;\nuse crate::right::b;',
      'right/mod.rs': 'pub mod b;',
      'right/b.rs': 'use crate::base::f;',
    };
    const order = ['base', ['left', 'right']];
    expect(await inCrate(files, (folder) => upwardIn(folder, order))).toStrictEqual([
      'base names left::a, which is above it',
      'left::a names right::b, which is beside it',
    ]);
  });
});

test('an engine may be named only in its folder and in exempt files, comments included', async () => {
  const files = {
    'crates/engine/src/ruby/boot.rs': 'use crate::ruby::spec::RubySpec;',
    'crates/engine/src/engines.rs': '"ruby" => Ok(Box::new(Ruby)),',
    'crates/engine/src/rubygems.rs': '// RUBY',
    'crates/thread/src/lib.rs': 'mod serve;\n\nuse ses_engine::MrubyState;',
    'crates/thread/README.md': 'Ruby',
    'crates/hints/src/lib.rs': 'const RUBY: &str = "puts";',
  };
  const rule = { words: /ruby/i, exempt: ['crates/engine/src/engines.rs', 'crates/hints'] };
  const engine = 'crates/engine/src/ruby';
  expect(await inCrate(files, (root) => namesOfEngine(root, 'crates', engine, rule))).toStrictEqual([
    `crates/engine/src/rubygems.rs:1 names the engine ${engine}`,
    `crates/thread/src/lib.rs:3 names the engine ${engine}`,
  ]);
});
