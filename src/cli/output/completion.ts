export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
type Shell = (typeof SHELLS)[number];

/** How to enable completion in each new shell. */
export const INSTALLATION: Readonly<Record<Shell, string>> = {
  bash: 'Add to ~/.bashrc: eval "$(lectern completion bash)"',
  zsh: 'Add to ~/.zshrc, after compinit: source <(lectern completion zsh)',
  fish: 'Run once: lectern completion fish > ~/.config/fish/completions/lectern.fish',
  powershell:
    'Add to the file that $PROFILE names: lectern completion powershell | Out-String | Invoke-Expression',
};

/**
 * Each script asks lectern for the words at the cursor: a line for each, with a tab and a
 * description. If there are none, the shell completes files.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# lectern completion for bash
_lectern() {
  local IFS=$'\\n' line=\${COMP_LINE:0:COMP_POINT} words=() word= quote= begun= char at rest shown added
  # COMP_WORDS has words with their quotes, and breaks them at equals signs and colons.
  for (( at = 0; at < \${#line}; at++ )); do
    char=\${line:at:1}
    if [[ $char == \\\\ && $quote != "'" ]]; then
      (( ++at ))
      word+=\${line:at:1} begun=1
    elif [[ $char == "$quote" ]]; then
      quote=
    elif [[ -z $quote && $char == [\\'\\"] ]]; then
      quote=$char begun=1
    elif [[ -z $quote && $char == [[:space:]] ]]; then
      [[ $begun ]] && words+=("$word")
      word= begun=
    else
      [[ -z $begun && \${line:at:2} == '~/' ]] && char=$HOME
      word+=$char begun=1
    fi
  done
  # What is offered takes the place of $2, without a backslash at its end that quotes nothing yet.
  shown=$2
  (( at > \${#line} )) && shown=\${shown%\\\\}
  COMPREPLY=()
  while IFS=$'\\t' read -r rest _; do
    rest=\${rest#"$word"} added=
    for (( at = 0; at < \${#rest}; at++ )); do
      char=\${rest:at:1}
      case $quote in
        \\') [[ $char == \\' ]] && char="'\\\\''" ;;
        \\") [[ $char == '!' ]] && char="\\"'!'\\"" || [[ $char != ["\\\\\\"\\$\\\`"] ]] || char=\\\\$char ;;
        *) [[ $char == [[:punct:][:space:]] && $char != [_.,:=/@%+-] ]] && char=\\\\$char ;;
      esac
      added+=$char
    done
    COMPREPLY+=("$shown$added")
  done < <("$1" completion candidates -- "\${words[@]:1}" "$word" 2>/dev/null)
}
complete -o default -F _lectern lectern
`,
  zsh: `#compdef lectern
# lectern completion for zsh
_lectern() {
  setopt localoptions extendedglob
  local line word summary MATCH
  local -a candidates
  for line in "\${(@f)$("$words[1]" completion candidates -- "\${(@)\${(@Q)words[2,CURRENT-1]}/#\\~\\//$HOME/}" "\${(Q)PREFIX}" 2>/dev/null)}"; do
    word=\${line%%$'\\t'*} summary=\${line#*$'\\t'}
    [[ -n $word ]] && candidates+=("\${word//(#m)[\\\\:]/\\\\$MATCH}\${summary:+:$summary}")
  done
  if (( \${#candidates} )); then
    _describe lectern candidates
  else
    _files
  fi
}
if [[ $funcstack[1] == _lectern ]]; then
  _lectern "$@"
else
  compdef _lectern lectern
fi
`,
  fish: `# lectern completion for fish
function __lectern_candidates
    set -l words (commandline -opc | string replace -r '^~/' "$HOME/")
    # A quote may still be open.
    set -l word (commandline -ct | string replace -ra '[\\\\\\\\\\'"]' '')
    set -l found ($words[1] completion candidates -- $words[2..] "$word" 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c lectern -f -a '(__lectern_candidates)'
`,
  powershell: `# lectern completion for PowerShell
Register-ArgumentCompleter -Native -CommandName lectern -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @()
  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
    if ($element.Extent.EndOffset -ge $cursorPosition) { break }
    # Without its quotes.
    $isText = $element -is [System.Management.Automation.Language.StringConstantExpressionAst]
    $words += if ($isText) { $element.Value } else { $element.Extent.Text }
  }
  $word = $wordToComplete.Trim([char[]]@("'", '"'))
  # Before 7.3 an empty argument of a program is lost, unless it is written as two quotes.
  $isLegacy = $PSVersionTable.PSVersion -lt [version]'7.3' -or $PSNativeCommandArgumentPassing -eq 'Legacy'
  $last = if ($word -eq '' -and $isLegacy) { '""' } else { $word }
  foreach ($line in lectern completion candidates '--' @words $last 2>$null) {
    $found, $summary = $line -split [char]9, 2
    if (-not $summary) { $summary = $found }
    $text = $found
    # Curly quotes end a string too.
    if ($found -notmatch '^[\\w./:=+%-]+$') { $text = "'" + ($found -replace "(['\\u2018-\\u201b])", '$1$1') + "'" }
    [System.Management.Automation.CompletionResult]::new($text, $found, 'ParameterValue', $summary)
  }
}
`,
};
