//! Native functions of `js/python/mount.js`: the folders that guest code was given. The data of a function is the
//! number of its folder.

use std::cell::RefCell;
use std::ptr::NonNull;
use std::rc::Rc;

use deno_core::v8;

use crate::python::natives::{Arguments, Returned, natives};
use crate::python::shell::Shell;
use ses_files::mount::{EINVAL, Errno, Mount, Stat};

natives! {
    pub fn functions:
    "stat" stat
    "list" list
    "open" open
    "close" close
    "statFile" stat_file
    "read" read
    "write" write
    "create" create
    "makeFolder" make_folder
    "removeFolder" remove_folder
    "remove" remove
    "rename" rename
    "readLink" read_link
    "setLength" set_length
    "setFileLength" set_file_length
    "setTimes" set_times
}

/// The mounted folders by number, stored in a slot of the isolate.
pub type Mounted = Rc<RefCell<Vec<Mount>>>;

/// Mounts a folder in the guest's file system. `None`: an exception is pending.
pub fn mount(scope: &mut v8::PinScope, shell: &Shell, folder: Mount, path: v8::Local<v8::Value>) -> Option<()> {
    let mounted = match scope.get_slot::<Mounted>() {
        Some(mounted) => mounted.clone(),
        None => {
            scope.set_slot(Mounted::default());
            scope.get_slot::<Mounted>()?.clone()
        }
    };
    let number = mounted.borrow().len();
    mounted.borrow_mut().push(folder);
    let files = functions(scope, u32::try_from(number).ok()?)?.into();
    let path = v8::Local::new(scope, path);
    shell.call(scope, "mount", &[files, path]).map(drop)
}

/// Calls `work` with the folder of the function that was called. An error is thrown as a number. `None`: an error was
/// thrown.
fn with<T>(scope: &mut v8::PinScope, args: &Arguments, work: impl FnOnce(&mut Mount) -> Result<T, Errno>) -> Option<T> {
    let mounted = scope.get_slot::<Mounted>()?.clone();
    let number = args.data().uint32_value(scope)? as usize;
    let done = work(mounted.borrow_mut().get_mut(number)?);
    done.map_err(|errno| {
        let errno = v8::Integer::new(scope, errno).into();
        scope.throw_exception(errno);
    })
    .ok()
}

fn path(scope: &mut v8::PinScope, args: &Arguments, index: i32) -> String {
    args.get(index).to_rust_string_lossy(scope)
}

/// Reads a size or a position from an argument.
fn size(scope: &mut v8::PinScope, args: &Arguments, index: i32) -> Result<u64, Errno> {
    let number = args.get(index).number_value(scope).unwrap_or(-1.0);
    // 2^53: the largest integer up to which numbers are exact.
    if (0.0..=9_007_199_254_740_992.0).contains(&number) { Ok(number as u64) } else { Err(EINVAL) }
}

fn give_stat(scope: &mut v8::PinScope, stat: Option<Stat>, returned: &mut Returned) {
    let Some(Stat { mode, size, accessed_ms, modified_ms, changed_ms }) = stat else { return };
    let fields = [f64::from(mode), size as f64, accessed_ms, modified_ms, changed_ms];
    let fields = fields.map(|field| v8::Number::new(scope, field).into());
    let fields = v8::Array::new_with_elements(scope, &fields);
    returned.set(v8::Local::new(scope, fields).into());
}

fn stat<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let path = path(scope, &args, 0);
    let stat = with(scope, &args, |mount| mount.stat(&path));
    give_stat(scope, stat, &mut returned);
}

fn stat_file<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let file = args.get(0).uint32_value(scope).unwrap_or_default();
    let stat = with(scope, &args, |mount| mount.stat_file(file));
    give_stat(scope, stat, &mut returned);
}

fn list<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let path = path(scope, &args, 0);
    let Some(names) = with(scope, &args, |mount| mount.list(&path)) else { return };
    let names = names.iter().map(|name| v8::String::new(scope, name).map(Into::into));
    if let Some(names) = names.collect::<Option<Vec<v8::Local<v8::Value>>>>() {
        returned.set(v8::Array::new_with_elements(scope, &names).into());
    }
}

fn open<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let path = path(scope, &args, 0);
    let flags = args.get(1).uint32_value(scope).unwrap_or_default();
    if let Some(file) = with(scope, &args, |mount| mount.open_file(&path, flags)) {
        returned.set_uint32(file);
    }
}

fn close<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let file = args.get(0).uint32_value(scope).unwrap_or_default();
    with(scope, &args, |mount| mount.close(file));
}

/// Calls `work` with the bytes of a view. Nothing else uses them during the call.
fn with_bytes<T>(args: &Arguments, index: i32, work: impl FnOnce(&mut [u8]) -> Result<T, Errno>) -> Result<T, Errno> {
    let view = v8::Local::<v8::Uint8Array>::try_from(args.get(index)).map_err(|_| EINVAL)?;
    match NonNull::new(view.data().cast::<u8>()) {
        // SAFETY: the bytes stay in place as long as nothing in the isolate runs, and `work` runs nothing there.
        Some(data) => work(unsafe { std::slice::from_raw_parts_mut(data.as_ptr(), view.byte_length()) }),
        None => work(&mut []),
    }
}

fn read<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let file = args.get(0).uint32_value(scope).unwrap_or_default();
    let position = size(scope, &args, 2);
    if let Some(count) = with(scope, &args, |mount| with_bytes(&args, 1, |bytes| mount.read(file, bytes, position?))) {
        returned.set_double(count as f64);
    }
}

fn write<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let file = args.get(0).uint32_value(scope).unwrap_or_default();
    let position = size(scope, &args, 2);
    if let Some(count) = with(scope, &args, |mount| with_bytes(&args, 1, |bytes| mount.write(file, bytes, position?))) {
        returned.set_double(count as f64);
    }
}

fn create<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let path = path(scope, &args, 0);
    with(scope, &args, |mount| mount.create(&path));
}

fn make_folder<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let path = path(scope, &args, 0);
    with(scope, &args, |mount| mount.make_folder(&path));
}

fn remove_folder<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let path = path(scope, &args, 0);
    with(scope, &args, |mount| mount.remove_folder(&path));
}

fn remove<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let path = path(scope, &args, 0);
    with(scope, &args, |mount| mount.remove(&path));
}

fn rename<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let (from, to) = (path(scope, &args, 0), path(scope, &args, 1));
    with(scope, &args, |mount| mount.rename(&from, &to));
}

fn read_link<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let path = path(scope, &args, 0);
    let target = with(scope, &args, |mount| mount.read_link(&path));
    if let Some(target) = target.and_then(|target| v8::String::new(scope, &target)) {
        returned.set(target.into());
    }
}

fn set_length<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let (path, length) = (path(scope, &args, 0), size(scope, &args, 1));
    with(scope, &args, |mount| mount.set_length(&path, length?));
}

fn set_file_length<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let file = args.get(0).uint32_value(scope).unwrap_or_default();
    let length = size(scope, &args, 1);
    with(scope, &args, |mount| mount.set_file_length(file, length?));
}

fn set_times<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let path = path(scope, &args, 0);
    let [accessed, modified] = [1, 2].map(|index| args.get(index).number_value(scope).unwrap_or_default());
    with(scope, &args, |mount| mount.set_times(&path, accessed, modified));
}
