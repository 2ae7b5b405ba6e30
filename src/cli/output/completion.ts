/** The shells that completion is for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** How to have completion in each new shell. */
export const INSTALLATION: Readonly<Record<Shell, string>> = {
  bash: 'Add to ~/.bashrc: source <(lectern completion bash)',
  zsh: 'Add to ~/.zshrc, after compinit: source <(lectern completion zsh)',
  fish: 'Run once: lectern completion fish > ~/.config/fish/completions/lectern.fish',
};

/**
 * Each script asks lectern itself what can stand where the cursor is, a line each: the word, a tab,
 * and what it is. Where lectern knows nothing, the shell completes files.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# lectern completion for bash
_lectern() {
  local IFS=$'\\n' word last=0 whole shown words=('')
  # bash breaks --flag=value and name=column at the equals sign.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if (( last )) && { [[ $word == = ]] || [[ \${words[last]} == *= ]]; }; then
      words[last]+=$word
    else
      words[++last]=$word
    fi
  done
  whole=\${words[last]}
  # What is offered takes the place of what bash holds for the word.
  shown=\${COMP_WORDS[COMP_CWORD]}
  [[ $shown == = ]] && shown=
  COMPREPLY=()
  for word in $("$1" completion candidates -- "\${words[@]:1}" 2>/dev/null); do
    word=\${word%%$'\\t'*}
    COMPREPLY+=("$shown\${word#"$whole"}")
  done
}
complete -o default -F _lectern lectern
`,
  zsh: `#compdef lectern
# lectern completion for zsh
_lectern() {
  local line word summary
  local -a candidates
  for line in "\${(@f)$("$words[1]" completion candidates -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}"; do
    word=\${line%%$'\\t'*} summary=\${line#*$'\\t'}
    [[ -n $word ]] && candidates+=("\${word//:/\\\\:}\${summary:+:$summary}")
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
    set -l words (commandline -opc)
    set -l found ($words[1] completion candidates -- $words[2..] (commandline -ct) 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c lectern -f -a '(__lectern_candidates)'
`,
};
