"""Adds wheels to a folder of packages. Runs in an interpreter that has the folder, so that it reaches nothing else."""

import base64
import csv
import hashlib
import importlib.util
import io
import json
import os
import py_compile
import re
import zipfile

LIST = "ses-executor-packages.json"
WASM = b"\0asm"
# Of these a list of files can have no digests.
UNLISTED = ("RECORD", "RECORD.jws", "RECORD.p7s")


def add_wheel(path, file_name, root, pyodide, python, platform):
    """Adds the wheel at `path`: checked against its own list of files, unpacked, compiled, and noted in the list of packages.

    `pyodide`: version; `python`: its tag, such as cp314; `platform`: its tag, such as pyemscripten_2026_0_wasm32. Gives name and
    version. Raises ValueError if it is not a wheel for this interpreter.
    """
    _check_tags(file_name, python, platform)
    with zipfile.ZipFile(path) as wheel:
        info = _info_of(wheel, file_name)
        files = {_place_of(name, info, file_name): name for name in wheel.namelist() if not name.endswith("/")}
        files.pop(None, None)
        _check_digests(wheel, info, file_name)
        name, version = _name_of(wheel, info)
        known = _list_of(root, pyodide)
        _remove(known, name, root)
        for place, member in files.items():
            content = wheel.read(member)
            _write(os.path.join(root, place), content)
            if content.startswith(WASM):
                known["libraries"][place] = hashlib.sha256(content).hexdigest()
    for place in files:
        if place.endswith(".py"):
            _compile(os.path.join(root, place))
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    known["packages"][name] = {"version": version, "wheel": file_name, "sha256": digest, "files": sorted(files)}
    _write(os.path.join(root, LIST), json.dumps(known, indent=1, sort_keys=True).encode())
    return [name, version]


def _check_tags(file_name, python, platform):
    parts = file_name.removesuffix(".whl").split("-")
    if not file_name.endswith(".whl") or len(parts) not in (5, 6):
        raise ValueError(f"{file_name} is not the name of a wheel")
    pythons, abis, platforms = (part.split(".") for part in parts[-3:])
    minor = int(python[3:])
    stable = [int(tag[3:]) for tag in pythons if re.fullmatch("cp3[0-9]+", tag)] if "abi3" in abis else []
    fits_python = "py3" in pythons or python in pythons or any(least <= minor for least in stable)
    fits_abi = not {"none", "abi3", python}.isdisjoint(abis)
    if not (fits_python and fits_abi and not {"any", platform}.isdisjoint(platforms)):
        raise ValueError(
            f"{file_name} is for {'-'.join(parts[-3:])}; here only py3-none-any and {python}-{python}-{platform} can be used"
        )


def _info_of(wheel, file_name):
    found = {name.split("/")[0] for name in wheel.namelist() if name.endswith(".dist-info/RECORD")}
    if len(found) != 1:
        raise ValueError(f"{file_name} is not a wheel: it has {len(found)} lists of its files")
    return found.pop()


def _place_of(name, info, file_name):
    """Where a file of a wheel is put, below the folder; `None`: nowhere."""
    parts = name.split("/")
    if any(part in ("", ".", "..") or "\\" in part or ":" in part for part in parts):
        raise ValueError(f"{file_name} is not a wheel: it has a file {name!r}")
    if parts[0] != info.removesuffix(".dist-info") + ".data":
        return name
    # Scripts, headers and data are for other places.
    return "/".join(parts[2:]) if parts[1] in ("purelib", "platlib") else None


def _check_digests(wheel, info, file_name):
    listed = csv.reader(io.StringIO(wheel.read(f"{info}/RECORD").decode()))
    digests = {row[0]: row[1] for row in listed if len(row) > 1}
    for name in wheel.namelist():
        if name.endswith("/") or name in (f"{info}/{unlisted}" for unlisted in UNLISTED):
            continue
        algorithm, _, expected = digests.get(name, "").partition("=")
        if algorithm not in ("sha256", "sha384", "sha512"):
            raise ValueError(f"{file_name} has no digest for its file {name}")
        digest = base64.urlsafe_b64encode(hashlib.new(algorithm, wheel.read(name)).digest()).rstrip(b"=").decode()
        if digest != expected:
            raise ValueError(f"{file_name} is broken: its file {name} does not have the recorded digest")


def _name_of(wheel, info):
    """Name, as packages are compared by, and version."""
    fields = dict(line.split(": ", 1) for line in _head_of(wheel.read(f"{info}/METADATA").decode()) if ": " in line)
    return re.sub("[-_.]+", "-", fields["Name"]).lower(), fields["Version"]


def _head_of(metadata):
    return metadata.split("\n\n", 1)[0].replace("\r", "").split("\n")


def _list_of(root, pyodide):
    try:
        with open(os.path.join(root, LIST)) as file:
            known = json.load(file)
    except FileNotFoundError:
        known = {"pyodide": pyodide, "packages": {}, "libraries": {}}
    if known["pyodide"] != pyodide:
        raise ValueError(f"the folder has packages for Pyodide {known['pyodide']}, not {pyodide}: use another folder")
    return known


def _remove(known, name, root):
    """Removes what was there of a package."""
    files = known["packages"].pop(name, {"files": []})["files"]
    for place in files:
        known["libraries"].pop(place, None)
        path = os.path.join(root, place)
        for each in (path, importlib.util.cache_from_source(path)) if place.endswith(".py") else (path,):
            if os.path.exists(each):
                os.remove(each)
    for folder in {os.path.dirname(place) for place in files}:
        _remove_empty(folder, root)


def _remove_empty(folder, root):
    """Removes a folder below the root and those above it, as far as they have nothing any more: Python would find packages in them."""
    while folder:
        for each in (os.path.join(root, folder, "__pycache__"), os.path.join(root, folder)):
            try:
                os.rmdir(each)
            except OSError:
                # Is not empty, or not there.
                pass
        folder = os.path.dirname(folder)


def _write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def _compile(path):
    try:
        # What is read only does not change, so that nothing has to be compared when it is imported.
        py_compile.compile(path, doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    except py_compile.PyCompileError:
        # Templates and tests of other versions: they fail when they are imported, if they are.
        pass
