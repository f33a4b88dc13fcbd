# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The common part of the scripts in this folder: the package list, the set-up and the build. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() {
  say "$@"
  exit 1
}

# this_system   the code name of this system: bookworm. TAHOMA_SYSTEM says which system a derivative is like.
this_system() {
  # shellcheck source=/dev/null
  echo "${TAHOMA_SYSTEM:-$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-${PRETTY_NAME:-unknown}}")}"
}

# rows SET...   the rows of packages.txt for the sets (first column), below the one with the names of the columns
rows() {
  awk -F ' *[|] *' -v wanted="$*" '
    BEGIN { n = split(wanted, names, " "); for (i = 1; i <= n; i++) in_set[names[i]] = 1; in_set["for"] = 1 }
    /^#/ { next }
    { n = split($1, names, ","); for (i = 1; i <= n; i++) if (names[i] in in_set) { print; break } }' "$root/scripts/packages.txt"
}

# packages SYSTEM SET...   what the sets need on that system, one package a line; status 1 if the table does not have the system
packages() {
  local name=$1
  shift
  rows "$@" | awk -F ' *[|] *' -v name="$name" '
    NR == 1 { for (i = 3; i <= NF; i++) if ($i == name) column = i; if (!column) exit 1; next }
    { for (i = column; $i == "="; i--); gsub(" +", "\n", $i); if ($i != "-") print $i }'
}

# missing_packages NAME...   those of NAME that are not installed, one a line
missing_packages() {
  local installed name
  # shellcheck disable=SC2016  # names of dpkg
  installed=" $(dpkg-query -W -f='${db:Status-Status}=${Package} ' "$@" 2>/dev/null || true)"
  for name in "$@"; do [[ $installed == *" installed=$name "* ]] || echo "$name"; done
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

# ensure_packages INSTALL SET...   INSTALL is yes or no; prints what it installs, fails if a package stays missing
ensure_packages() {
  local install=$1 system names
  shift
  system=$(this_system)
  if ! names=$(packages "$system" "$@") || ! command -v dpkg-query >/dev/null; then
    say "'$system' is not a system of scripts/packages.txt. Install these, with Debian's names:"
    rows "$@" | awk -F ' *[|] *' 'NR > 1 { print "  " $2 ": " $3 }' >&2
    die "then: cmake --preset release && cmake --build build (or, if this is like a system of the table, TAHOMA_SYSTEM=trixie $0)"
  fi
  local -a wanted missing
  mapfile -t wanted <<<"$names"
  names=$(missing_packages "${wanted[@]}")
  [[ -n $names ]] || return 0
  mapfile -t missing <<<"$names"
  [[ $install == yes ]] || die "missing packages: ${missing[*]} (scripts/setup installs them)"
  say "installing ${missing[*]}"
  local -a apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3)
  as_root "${apt[@]}" update >&2 || say "apt-get update failed: trying with the package lists at hand"
  as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2 ||
    die "apt-get could not install ${missing[*]}: see above. It needs a network, and space on the disk; a second call continues"
  names=$(missing_packages "${missing[@]}")
  [[ -z $names ]] || die "still missing after the installation: ${names//$'\n'/ }"
}

# with_compiler INSTALL COMPILER COMMAND...   runs it with that C++ compiler, whose package may be missing; an empty name: the default
with_compiler() {
  local install=$1 compiler=$2 package=${2/clang++/clang}
  shift 2
  if [[ -z $compiler ]]; then
    "$@"
    return
  fi
  if [[ -n $(missing_packages "$package") ]]; then
    [[ $install == yes ]] || die "missing packages: $package"
    as_root apt-get -q install -y --no-install-recommends "$package" >&2 || die "apt-get could not install $package: see above"
  fi
  CXX=$compiler "$@"
}

# Compilers of SystemC files need up to 1 GiB each, so free memory limits their number.
build_jobs() {
  local cores by_memory
  cores=$(nproc)
  by_memory=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
  ((by_memory >= 1)) || by_memory=1
  echo $((cores < by_memory ? cores : by_memory))
}

# require_suites SUITE...   fails if one of them cannot be installed
require_suites() {
  local suite
  for suite in "$@"; do
    packages "$suite" build >/dev/null || die "unknown suite '$suite'; expected a system of scripts/packages.txt: bookworm or trixie"
  done
  ((EUID == 0)) || die "needs root, for chroot"
  command -v debootstrap >/dev/null || die "no debootstrap: apt-get install debootstrap"
}

# bare_root SUITE FOLDER   a Debian as debootstrap installs it. The folder TAHOMA_SUITES, if it is set, keeps an archive of it.
bare_root() {
  local suite=$1 folder=$2 archive=${TAHOMA_SUITES:+$TAHOMA_SUITES/$1.tar}
  mkdir -p "$folder"
  if [[ -n $archive && -f $archive ]]; then
    tar -C "$folder" -xf "$archive"
    return
  fi
  say "installing a bare $suite"
  debootstrap "$suite" "$folder" >"$folder.log" 2>&1 || { tail -n 20 "$folder.log" >&2; die "debootstrap failed"; }
  [[ -z $archive ]] || { mkdir -p "$TAHOMA_SUITES" && tar -C "$folder" -cf "$archive" .; }
}

# enter FOLDER   mounts what programs in that root need; for a process whose mounts are private
enter() {
  local mounted
  mountpoint -q "$1" || mount --bind "$1" "$1"  # programs there may mount file systems of their own only if it is one itself
  for mounted in proc dev sys; do
    mountpoint -q "$1/$mounted" || mount --rbind "/$mounted" "$1/$mounted"
  done
  cp --dereference /etc/resolv.conf "$1/etc/resolv.conf"
}

# in_root FOLDER COMMAND...   runs it in that root, with the environment of a new user
in_root() {
  env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 http_proxy="${http_proxy-}" chroot "$@"
}

readonly oldest_cmake=3.22 least_space=1000  # MB

# A cmake in front of the system's own may be too old, and then stops at --preset without saying so.
check_cmake() {
  local version
  version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version //p')
  printf '%s\n' "$oldest_cmake" "$version" | sort --version-sort --check=quiet ||
    die "$(type -P cmake || echo cmake) is version ${version:-unknown}; Tahoma needs CMake $oldest_cmake or later (apt-get install cmake," \
      "and put /usr/bin before others in PATH)"
}

# full_disks FOLDER   which folders that a build writes to have little space left, one a line
full_disks() {
  local folder there free caches=${XDG_CACHE_HOME:-~/.cache}
  for folder in "$1" "${TMPDIR:-/tmp}" "${CCACHE_DIR:-$caches/ccache}"; do
    there=$folder
    while [[ ! -d $there ]]; do there=$(dirname "$there"); done
    free=$(df --output=avail -BM "$there" | tr -dc '0-9')
    ((free >= least_space)) || echo "$folder ($free MB)"
  done
}

# build PRESET TARGET [-DNAME=VALUE...]   configures and builds; a build folder of another checkout is configured afresh.
# Settings of earlier calls are kept.
build() {
  local preset=$1 target=$2
  shift 2
  local folder=$root/build full
  [[ $preset == release ]] || folder=$root/build-$preset
  check_cmake
  local -a fresh=()
  if [[ -f $folder/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    say "$folder was configured for another checkout: configuring it afresh"
    fresh=(--fresh)
  fi
  (cd "$root" && cmake --preset "$preset" "${fresh[@]}" "$@") >&2 &&
    cmake --build "$folder" -j "$(build_jobs)" --target "$target" >&2 && return
  full=$(full_disks "$folder")
  [[ -z $full ]] || say "little space is left in ${full//$'\n'/, }: if that is why, free $least_space MB; a second call continues"
  die "the build failed: the error is above. A second call continues with what is left to build"
}
