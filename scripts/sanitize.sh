#!/bin/bash
# The tests of what shares memory between threads and gives it away, under AddressSanitizer (with leaks) and ThreadSanitizer.
# Linux x64. The sanitizers come with Rust, but only an unstable flag turns them on. No workflow runs it: it is for changes of these crates.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=x86_64-unknown-linux-gnu
crates=(-p ses-protocol -p ses-sync -p ses-session -p ses-transfer)

run() {
  echo "=== $1"
  RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=$1 ${2:-}" \
    cargo test --locked --target "$target" --target-dir "target/sanitize-$1" "${crates[@]}"
}

run address
# The standard library is not compiled with the sanitizer: of its channels, which the test harness uses too, it sees the
# accesses but not what orders them.
suppressions=$(mktemp)
trap 'rm -f "$suppressions"' EXIT
printf 'race:test::\nrace:std::sync::mpmc\n' > "$suppressions"
TSAN_OPTIONS="suppressions=$suppressions" run thread -Cunsafe-allow-abi-mismatch=sanitizer
