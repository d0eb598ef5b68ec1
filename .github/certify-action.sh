#!/usr/bin/env bash
# The step of the composite action: certify, annotate, summarise. Inputs are environment variables, never text in a script,
# and words of a command stand one a line, so that nothing is split or expanded.
set -uo pipefail

read -r -a runcert <<<"$RUNCERT_COMMAND"
words=()
lines() { # each non-empty line of $1 is a word
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    line="${line%$'\r'}"
    [ -n "$line" ] && words+=("$line")
  done <<<"$1"
}
option() { # --name value, where there is a value
  [ -n "$2" ] && words+=("$1" "$2")
}

# An output is a line: a folder with a line break in its name could write outputs of its own.
case "$RUNCERT_OUT" in
  *$'\n'*)
    echo '::error title=Runcert::The input "out" must be one line.'
    exit 64
    ;;
esac

[ -n "$RUNCERT_PARTY" ] && words+=("$RUNCERT_PARTY")
option --config "$RUNCERT_CONFIG"
option --baseline "$RUNCERT_BASELINE"
option --previous "$RUNCERT_PREVIOUS"
option --shard "$RUNCERT_SHARD"
option --out "$RUNCERT_OUT"
option --format "$RUNCERT_FORMAT"
lines "$RUNCERT_ARGUMENTS"
lines "$RUNCERT_TARGET"

# Whatever a target says while it runs, it gives no command to the workflow.
token="runcert-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
echo "::stop-commands::$token"
"${runcert[@]}" certify "${words[@]}"
code=$?
echo "::$token::"

# A run of both parties has a folder each.
for folder in "$RUNCERT_OUT" "$RUNCERT_OUT"/*/; do
  [ -f "$folder/annotations.txt" ] && cat "$folder/annotations.txt"
  [ -f "$folder/summary.md" ] && cat "$folder/summary.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
done

case $code in
  0) verdict=conformant ;;
  1) verdict=not-conformant ;;
  2) verdict=inconclusive ;;
  *) verdict=error ;;
esac
{
  echo "exit-code=$code"
  echo "verdict=$verdict"
  echo "report=$RUNCERT_OUT"
} >>"${GITHUB_OUTPUT:-/dev/null}"

# What a shard could not decide, the others may; `runcert merge` has the last word.
[ "$code" -eq 2 ] && [ -n "$RUNCERT_SHARD" ] && exit 0
exit "$code"
