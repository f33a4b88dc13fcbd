# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The common part of the scripts in this folder: the package list, the set-up and the build. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root

# Debian 12 packages with their purpose: first those for building and running the program.
# shellcheck disable=SC2034  # read by the scripts that source this
readonly packages=(
  g++               # the compiler
  cmake ninja-build # the build
  libsystemc-dev    # the simulation kernel
  libeigen3-dev     # tensor views and golden results
  libhwy-dev        # SIMD chosen at run time
  libjemalloc-dev pkgconf # large host pages
  libxxhash-dev     # checksums of packets
  libssl-dev        # SHA-256 of programs and configurations
  verilator zlib1g-dev # RTL co-simulation, and its waves
  libfmt-dev        # text
  libyaml-cpp-dev   # configuration files
  nlohmann-json3-dev libcli11-dev # reports and the command line
  libmuparser-dev   # expressions of sweeps
  libsqlite3-dev    # results of sweeps and statistics
  libjs-chart.js    # charts of the report pages
  libprotobuf-dev protobuf-compiler # timelines
)
# shellcheck disable=SC2034
readonly python_packages=(python3-dev pybind11-dev python3-numpy) # the Python package, which runs kernels in NKI
# shellcheck disable=SC2034
readonly test_packages=(
  ccache            # a second build in seconds
  catch2            # the test programs
  sqlite3 slurm-wlm # tests of sweeps read databases and start their own Slurm
  python3-matplotlib python3-yaml # scripts/plot, scripts/results, scripts/figures
  python3-optuna    # scripts/search
  python3-torch     # kernels compared with PyTorch
  clang-format-14 git python3 # tests about the repository itself
  python3-pytest "${python_packages[@]}" # kernels in NKI
  libopenmpi-dev openmpi-bin # runs in several processes
)
# shellcheck disable=SC2034
readonly bench_packages=(libbenchmark-dev)
# shellcheck disable=SC2034
readonly lint_packages=(clang-tidy-14 shellcheck)
# shellcheck disable=SC2034
readonly fuzz_packages=(clang-14 libclang-rt-14-dev) # libFuzzer and its sanitizers
# shellcheck disable=SC2034
readonly frame_packages=(python3-pandas python3-mypy) # tests of the Python package's frames and types
# shellcheck disable=SC2034
readonly browser_packages=(chromium chromium-driver python3-selenium) # tests of the report pages in a browser

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() {
  say "$@"
  exit 1
}

# missing_packages NAME...   those of NAME that are not installed, one a line
missing_packages() {
  command -v dpkg-query >/dev/null || die "no dpkg-query: this script supports Debian 12, whose packages are $*"
  local name
  for name in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || echo "$name"
  done
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif ! command -v sudo >/dev/null; then
    die "not root and no sudo; as root, run: $*"
  elif [[ -t 0 ]]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

# ensure_packages INSTALL NAME...   INSTALL is yes or no; prints what it installs, fails if a package stays missing
ensure_packages() {
  local install=$1
  shift
  local names
  names=$(missing_packages "$@")
  [[ -n $names ]] || return 0
  local -a missing
  mapfile -t missing <<<"$names"
  [[ $install == yes ]] || die "missing packages: ${missing[*]} (scripts/setup installs them)"
  say "installing ${missing[*]}"
  local -a apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3)
  as_root "${apt[@]}" update >&2 || say "apt-get update failed: trying with the package lists at hand"
  as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2
  names=$(missing_packages "${missing[@]}")
  [[ -z $names ]] || die "still missing after the installation: ${names//$'\n'/ }"
}

# Compilers of SystemC files need up to 1 GiB each, so free memory limits their number.
build_jobs() {
  local cores by_memory
  cores=$(nproc)
  by_memory=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
  ((by_memory >= 1)) || by_memory=1
  echo $((cores < by_memory ? cores : by_memory))
}

# build PRESET TARGET [-DNAME=VALUE...]   configures and builds; a build folder of another checkout is configured afresh.
# Settings of earlier calls are kept.
build() {
  local preset=$1 target=$2
  shift 2
  local folder=$root/build
  [[ $preset == release ]] || folder=$root/build-$preset
  local -a fresh=()
  if [[ -f $folder/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    say "$folder was configured for another checkout: configuring it afresh"
    fresh=(--fresh)
  fi
  (cd "$root" && cmake --preset "$preset" "${fresh[@]}" "$@") >&2
  cmake --build "$folder" -j "$(build_jobs)" --target "$target" >&2
}
