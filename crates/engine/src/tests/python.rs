//! Tests of Pyodide itself, as published on npm, in isolates of a context that has its commands from the start.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use ses_protocol::{Command, Event, FolderSpec, RunLimits, Seed, Success, ToolReply, ToolSpec, Value, Values};

use crate::python::boot::Booted;
use crate::python::distribution::Distribution;
use crate::python::guest::Guest;
use crate::python::image::Image;
use crate::python::spec::PythonSpec;
use crate::realm::boot::ISOLATE_STACK_BYTES;
use crate::tests::{Context, run};

fn spec(cache: Option<PathBuf>) -> PythonSpec {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fixtures = root.join("src/python/fixtures");
    PythonSpec {
        pyodide: root.join("../../node_modules/pyodide"),
        guest: fixtures.join("guest.js"),
        prelude: fixtures.join("prelude"),
        modules: vec!["json".to_owned(), "random".to_owned(), "statistics".to_owned()],
        cache,
        mount: None,
        packages: None,
    }
}

/// The reports of a session with these `commands`.
fn serve(spec: &PythonSpec, commands: Vec<Command>) -> Vec<String> {
    events(spec, commands).into_iter().filter_map(told).collect()
}

fn events(spec: &PythonSpec, commands: Vec<Command>) -> Vec<Event> {
    let spec = spec.clone();
    let isolate = move || {
        let mut context = Context::new(commands, 256 << 20);
        context.config.max_transfer_bytes = 64 << 20;
        let context = Rc::new(context);
        let booted = Booted::new(&spec, None, context.config.memory_limit_bytes, Rc::new(|_| {}));
        let booted = booted.unwrap_or_else(|failure| panic!("{} {:?}", failure.kind.message(), failure.details));
        let mut guest = Guest::new(booted, context.clone());
        guest.serve_session();
        drop(guest);
        context.events.take()
    };
    std::thread::Builder::new().stack_size(ISOLATE_STACK_BYTES).spawn(isolate).unwrap().join().unwrap()
}

fn told(event: Event) -> Option<String> {
    match event {
        Event::Log { entry, .. } => Some(format!("{}: {}", entry.level, entry.message)),
        Event::ToolCalls(calls) => {
            let [call] = calls.as_slice() else { panic!("Python waits for each") };
            Some(format!("calls {} with {:?}", call.tool, call.args))
        }
        Event::Settled { result, sound, .. } => {
            let outcome = match result {
                Ok(Success::Done) => "done".to_owned(),
                Ok(Success::Output { value, is_final_answer }) => {
                    let value = match value {
                        Value::Latin1(text) => String::from_utf8_lossy(&text).into_owned(),
                        Value::Number(number) => number.to_string(),
                        other => format!("{other:?}"),
                    };
                    if is_final_answer { format!("finally {value}") } else { value }
                }
                Err(failure) => failure.kind.message().lines().last().unwrap_or_default().to_owned(),
            };
            Some(if sound { outcome } else { format!("{outcome}, lost") })
        }
        _ => None,
    }
}

#[test]
fn what_booting_needs_is_gone_when_guest_code_runs() {
    let code = r#"
def refused(work):
    try: return str(work())
    except BaseException as error: return type(error).__name__ + ': ' + str(error).strip().splitlines()[-1]
memory, table = module.memory, module.wasmTable
function = realm.setTimeout.constructor
tries = {
    'globals': lambda: [name for name in ('WebAssembly', 'read', 'load', 'readbuffer', 'process', 'require', 'fetch', 'MessageChannel', 'crypto') if hasattr(realm, name)],
    'text': lambda: function.new('return 1'),
    'eval': lambda: realm.eval('1 + 1'),
    'memory': lambda: memory.constructor.name,
    'grow': lambda: memory.grow(60_000),
    'table': lambda: table.grow(2_000_000),
    'instance': lambda: table.constructor.name,
    'resizable': lambda: realm.ArrayBuffer.new(8, maxByteLength=2**40).resizable,
    'buffer': lambda: realm.ArrayBuffer.new(2**30),
}
chr(10).join(f'{name} {refused(work)}' for name, work in tries.items())
"#;
    let seen = serve(&spec(None), vec![run(1, code), run(2, "1 + 1")]);
    let lines: Vec<&str> = seen[0].lines().collect();
    assert_eq!(lines[0], "globals []");
    assert!(lines[1].contains("Code generation from strings disallowed"), "{lines:?}");
    assert!(lines[2].contains("Code generation from strings disallowed"), "{lines:?}");
    assert_eq!((lines[3], lines[6]), ("memory Object", "instance Object"));
    assert!(lines[4].contains("RangeError") && lines[5].contains("RangeError"), "{lines:?}");
    assert_eq!(lines[7], "resizable False");
    assert!(lines[8].contains("RangeError"), "{lines:?}");
    assert_eq!(seen[1], "2");
}

#[test]
fn another_version_boots_by_itself() {
    let folder = std::env::temp_dir().join(format!("ses-python-version-{}", std::process::id()));
    let (package, cache) = (folder.join("pyodide"), folder.join("cache"));
    std::fs::create_dir_all(&package).unwrap();
    let PythonSpec { pyodide, .. } = spec(None);
    for name in ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"] {
        std::fs::copy(pyodide.join(name), package.join(name)).unwrap();
    }
    std::fs::write(package.join("package.json"), r#"{ "version": "314.0.8" }"#).unwrap();
    let spec = PythonSpec { pyodide: package, ..spec(Some(cache.clone())) };
    let seen = serve(&spec, vec![run(1, "import sys\nkept = 41"), run(2, "f'{kept + 1} {sys.version_info[0]}'")]);
    let is_cached = cache.exists();
    std::fs::remove_dir_all(folder).unwrap();
    assert_eq!(seen, ["None", "42 3"]);
    // For this version, the parts of a snapshot outside the memory are unknown.
    assert!(!is_cached);
}

#[test]
fn what_was_optimised_is_kept_for_later_processes() {
    let cache = std::env::temp_dir().join(format!("ses-python-cache-{}", std::process::id()));
    let spec = spec(Some(cache.clone()));
    assert_eq!(serve(&spec, vec![run(1, "1")]), ["1"]);
    let path = std::fs::read_dir(&cache).unwrap().next().unwrap().unwrap().path();
    let image = Image::load(&path, &Distribution::of(&spec).unwrap().digest).unwrap();
    std::fs::remove_dir_all(&cache).unwrap();
    let has_code = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    assert_eq!(image.machine_code.len() > 100_000, has_code, "{} bytes", image.machine_code.len());
}

#[test]
fn memory_of_python_ends_at_its_limit_and_the_session_lives() {
    let seen = serve(
        &spec(None),
        vec![
            run(1, "kept = 7"),
            run(2, "x = []\nwhile True: x.append(bytearray(1 << 20))"),
            run(3, "x = None; len(bytearray(100 << 20)) + kept"),
        ],
    );
    assert_eq!(seen, ["None", "MemoryError", "104857607"]);
}

#[test]
fn a_folder_is_mounted_and_nothing_else() {
    let folder = std::env::temp_dir().join(format!("ses-python-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("inner")).unwrap();
    std::fs::write(folder.join("a.txt"), "from the host").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", folder.join("out")).unwrap();
    let spec = PythonSpec { mount: Some(FolderSpec { root: folder.clone(), ..FolderSpec::default() }), ..spec(None) };
    let code = r#"
import os
assert os.listdir('/mnt/inner') == [] and sorted(os.listdir('/mnt'))[:2] == ['a.txt', 'inner'], os.listdir('/mnt')
with open('/mnt/inner/b.txt', 'w') as file: file.write('x' * 100_000)
with open('/mnt/inner/b.txt', 'a') as file: file.write('end')
assert os.stat('/mnt/inner/b.txt').st_size == 100_003
os.rename('/mnt/inner/b.txt', '/mnt/c.txt')
with open('/mnt/c.txt') as file: assert file.read()[-4:] == 'xend'
def refused(work):
    try: work()
    except OSError as error: return type(error).__name__
    return 'done'
seen = [refused(lambda: open(path).read()) for path in ('/etc/passwd', '/mnt/../etc/passwd', '/mnt/out', '/mnt/d.txt')]
os.mkdir('/mnt/d'); os.rmdir('/mnt/d'); os.remove('/mnt/c.txt')
' '.join(seen) + ' ' + open('/mnt/a.txt').read()
"#;
    let commands = vec![run(1, "mount('/mnt')"), run(2, code), run(3, "mount('/mnt')")];
    let expected = [
        "None",
        "FileNotFoundError FileNotFoundError FileNotFoundError FileNotFoundError from the host",
        "Runtime exception: Error: the folder is mounted already",
    ];
    let seen = serve(&spec, commands);
    let left = std::fs::read_dir(&folder).unwrap().count();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!((seen[0].as_str(), seen[1].as_str()), (expected[0], expected[1]), "{seen:?}");
    assert!(seen[2].contains("mounted already"), "{seen:?}");
    assert_eq!(left, if cfg!(unix) { 3 } else { 2 });
}

#[test]
fn packages_compile_their_libraries_only_and_few_adapters() {
    let folder = std::env::temp_dir().join(format!("ses-python-packages-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // A module with one function, used as a library. With a byte less it is not in the list of libraries.
    let library = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x07\x05\x01\x01f\0\0\x0a\x04\x01\x02\0\x0b";
    let digest: String =
        <sha2::Sha256 as sha2::Digest>::digest(library).iter().map(|byte| format!("{byte:02x}")).collect();
    let list = format!(r#"{{ "pyodide": "314.0.7", "libraries": {{ "a.so": "{digest}" }} }}"#);
    std::fs::write(folder.join("list.json"), list).unwrap();
    std::fs::write(folder.join("own.py"), "value = 7").unwrap();
    let packages = FolderSpec { root: folder.clone(), list: Some("list.json".to_owned()), ..FolderSpec::default() };
    let spec = PythonSpec { packages: Some(packages), ..spec(None) };
    let code = r#"
import own
wasm = realm.WebAssembly
def made(body):
    try: return str(wasm.Instance.new(wasm.Module.new(realm.Uint8Array.new(body)), {}).exports.f())
    except Exception as error: return str(error).splitlines()[0]
head = [0, 97, 115, 109, 1, 0, 0, 0]
def adapter(count): return head + [1, count + 4, 1, 96, count] + [127] * count + [0]
library = head + [1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 4, 1, 2, 0, 11]
other = library[:-2] + [1, 11]
count = 0
try:
    while count < 200:
        wasm.Module.new(realm.Uint8Array.new(adapter(count % 100) + [2, 1, 0] * (count // 100)))
        count += 1
except Exception as error: last = str(error).splitlines()[0]
names = [name for name in ('Memory', 'Table', 'Tag', 'compile', 'instantiate', 'validate') if hasattr(wasm, name)]
chr(10).join([str(own.value), made(library), made(library), made(other), str(count), last, str(names)])
"#;
    let seen = serve(&spec, vec![run(1, code)]);
    std::fs::remove_dir_all(folder).unwrap();
    let refused = "Error: the module of WebAssembly is refused: ";
    let expected = [
        "7",
        "None",
        "None",
        &format!("{refused}it is not a library of the executor's packages"),
        "128",
        &format!("{refused}there are too many adapters"),
        "[]",
    ];
    assert_eq!(seen[0].lines().collect::<Vec<_>>(), expected);
}

#[test]
fn sessions_from_one_snapshot_have_random_numbers_of_their_own() {
    let numbers = || serve(&spec(None), vec![run(1, "import os\nf'{random.random()} {os.urandom(4).hex()}'")]);
    let (first, second) = (numbers(), numbers());
    let parts = |seen: &[String]| -> Vec<String> { seen[0].split(' ').map(str::to_owned).collect() };
    let (first, second) = (parts(&first), parts(&second));
    assert!(first.len() == 2 && first[0] != second[0] && first[1] != second[1], "{first:?} {second:?}");
}

#[test]
fn python_runs_with_tools_variables_and_logs() {
    let tool = ToolSpec { path: vec!["double".to_owned()], id: 3, is_async: true, length: 1, is_limited: false };
    let seen = serve(
        &spec(None),
        vec![
            Command::SetVariables {
                job: 1,
                names: vec!["x".to_owned()],
                values: Values::List(vec![Value::Number(20.0)]),
            },
            Command::SetTools { job: 2, tools: vec![tool] },
            run(3, "1 + 1"),
            run(4, "print('a'); import sys; print('b', file=sys.stderr); x + double(1)"),
            Command::ToolReplies { replies: vec![((1 << 32) + 1, ToolReply::Promise)], now_ms: None },
            Command::ToolReplies {
                replies: vec![((1 << 32) + 1, ToolReply::Value(Value::Number(22.0)))],
                now_ms: None,
            },
            run(5, "y = 5"),
            run(6, "y + 1"),
            run(7, "import asyncio\nawait asyncio.sleep(0.001)\n7"),
            run(8, "try:\n  final_answer('8')\n  raise BaseException\nexcept BaseException: pass\n9"),
            run(9, "def f(): return f()\nf()"),
            run(10, "1 / 0"),
            run(11, "final_answer('11')\ndouble(2)"),
            Command::ToolReplies { replies: vec![((1 << 32) + 2, ToolReply::Value(Value::Number(4.0)))], now_ms: None },
        ],
    );
    let expected = [
        "done",
        "done",
        "2",
        "0: a",
        "3: b",
        "calls 3 with List([Number(1.0)])",
        "42",
        "None",
        "6",
        "7",
        "finally 8",
        "RecursionError: maximum recursion depth exceeded",
        "ZeroDivisionError: division by zero",
        "calls 3 with List([Number(2.0)])",
        "finally 11",
    ];
    assert_eq!(seen, expected);
}

/// A run of a deterministic session.
fn seeded(job: u64, code: &str) -> Command {
    let Command::Run { job, code, limits } = run(job, code) else { unreachable!("it is a run") };
    Command::Run { job, code, limits: RunLimits { now_ms: Some(1.7e12), seed: Some(Seed([1, 2, 3, 4])), ..limits } }
}

/// What the command after `commands` has for a checkpoint.
fn checkpoint(commands: Vec<Command>) -> Result<Vec<u8>, String> {
    let all = commands.into_iter().chain([Command::Checkpoint { job: 99 }]).collect();
    match events(&spec(None), all).pop() {
        Some(Event::Settled {
            job: 99, result: Ok(Success::Output { value: Value::Bytes(state), .. }), sound, ..
        }) => {
            assert!(sound);
            Ok(state.to_vec())
        }
        Some(Event::Settled { job: 99, result: Err(failure), sound: true, .. }) => Err(failure.kind.message()),
        other => panic!("{other:?}"),
    }
}

const DEFINES: &str = r#"
import os, random
class Counter:
    def __init__(self): self.n = 0
    def add(self):
        self.n += 1
        return self.n
def numbers():
    i = 0
    while True:
        yield i
        i += 1
counter, made, shared = Counter(), numbers(), [1]
both = [shared, shared]
shared.append(both)
next(made); counter.add()
large = ['x' * 100 + str(i) for i in range(200_000)]
f'{random.random()} {os.urandom(3).hex()}'
"#;
const PROBES: &str = r#"
f'{counter.add()} {next(made)} {both[0] is both[1]} {shared[1] is both} {random.random()} {os.urandom(5).hex()} {id(counter)} {hash("text")} {len(large)}'
"#;

#[test]
fn a_restored_session_goes_on_as_the_one_that_it_was_taken_from() {
    let Err(reason) = checkpoint(vec![run(2, "1")]) else { panic!("it is not deterministic") };
    assert!(reason.contains("it has had no run"), "{reason}");
    let expected = serve(&spec(None), vec![seeded(2, DEFINES), run(3, PROBES)]);
    let state = checkpoint(vec![seeded(2, DEFINES)]).unwrap();
    let restored = vec![Command::Restore { job: 1, state: state.clone() }, run(3, PROBES)];
    let seen = serve(&spec(None), restored);
    assert_eq!(seen[0], "done");
    assert_eq!(seen[1..], expected[1..]);
    // A part of a state, and a changed one, are refused or lead to a session that fails.
    for length in [0, 7, 100, state.len() - 1] {
        let seen =
            serve(&spec(None), vec![Command::Restore { job: 1, state: state[..length].to_vec() }, run(2, "1 + 1")]);
        assert!(seen[0].contains("it has another form"), "{seen:?}");
        // Nobody uses the isolate afterwards.
        assert_eq!(seen.len(), 1);
    }
    let mut other = state;
    other[8] ^= 1;
    let seen = serve(&spec(None), vec![Command::Restore { job: 1, state: other }]);
    assert!(seen[0].contains("it was made by another build"), "{seen:?}");
}

#[test]
fn what_javascript_holds_for_python_keeps_a_checkpoint_from_being_made() {
    let cases = [
        ("kept = realm.Object", "objects of JavaScript were used"),
        ("realm.kept = print", "objects of JavaScript were used"),
        ("file = open('/dev/null')", "a file is open that is not one in memory"),
        ("import os\nfolder = os.scandir('/lib')\nnext(folder)", "a file is open that is not one in memory"),
        ("import tempfile\nfile = tempfile.TemporaryFile()", "a file is open that is not one in memory"),
        ("import os\nfor fd in os.pipe(): os.close(fd)", "a pipe, a socket or a file without a folder was made"),
        ("import os\nos.mkdir('/tmp/__proto__')", "a pipe, a socket or a file without a folder was made"),
        ("import os\nos.dup2(1, 2)", "a standard stream was replaced"),
        ("import os\nos.write(1, b'abc')", "a line of output is incomplete"),
        ("import socket\nsocket.gethostbyname('a.example')", "names of hosts were looked up"),
        ("import os\nopen('/tmp/a', 'wb').write(os.urandom(5 << 20))", "its files are too large"),
    ];
    for (code, expected) in cases {
        let Err(reason) = checkpoint(vec![seeded(1, code)]) else { panic!("{code} is kept") };
        assert!(reason.contains(expected), "{code}: {reason}");
    }
    let released = ["open('/dev/null').close()", "import os\nos.write(1, b'abc\\n')"];
    let runs = released.iter().zip(2..).map(|(code, job)| run(job, code));
    assert!(checkpoint([seeded(1, "1")].into_iter().chain(runs).collect()).is_ok());
}
