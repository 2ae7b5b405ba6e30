#!/usr/bin/env bash
# Installs the programs that tests need: browsers, shells, PgBouncer and pytest. Without one its tests
# fail, and say why.
set -uo pipefail

# install_package NAME: Debian's.
install_package() {
  local as_root=(env)
  [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
  "${as_root[@]}" apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "$1" ||
    echo "$1 cannot be installed"
}

# has_program NAME: in the path, or where Debian has it and no PATH of a user leads.
has_program() {
  command -v "$1" >/dev/null || [ -x "/usr/sbin/$1" ]
}

# Most tests run in the headless shell, which needs half of the time.
[ -n "${LECTERN_CHROMIUM:-}" ] || for each in chromium chromium-headless-shell; do
  has_program "$each" || install_package "$each"
done
[ -n "${LECTERN_FIREFOX:-}" ] || has_program firefox-esr || install_package firefox-esr
has_program zsh || install_package zsh
has_program fish || install_package fish
has_program pgbouncer || install_package pgbouncer
python3 -m pytest --version >/dev/null 2>&1 || install_package python3-pytest
