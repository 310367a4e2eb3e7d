/**
 * What a shell loads to complete `sessionctl`. Each only passes the words before the cursor on to `sessionctl __complete`
 * and shows what comes back, so commands and options never get out of step with the program.
 */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** Descriptions stand in lists alone, which bash shows on the second Tab (COMP_TYPE 63): what it inserts has none. */
const BASH = `# Completion of sessionctl for bash (3.2 and newer): source <(sessionctl completion bash)
_sessionctl() {
  local program=\${COMP_WORDS[0]/#\\~/$HOME} word=\${COMP_WORDS[COMP_CWORD]} line value about paths=
  local values=() abouts=() i
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) paths=\${line#:} ;;
      *) values+=("\${line%%$'\\t'*}") abouts+=("\${line#*$'\\t'}") ;;
    esac
  done < <("$program" __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ -n "$paths" ]; then
    [ "$word" = '=' ] && word=
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
      if [ "$paths" = dirs ]; then compgen -d -- "$word"; else compgen -f -- "$word"; fi
    )
    compopt -o filenames 2>/dev/null
    return
  fi
  # several that were found by their title: the word stays until one is left
  if [ "\${#values[@]}" -gt 1 ] && [ "$COMP_TYPE" != 63 ] && [ "$word" != '=' ] && [ "\${values[0]#"$word"}" = "\${values[0]}" ] && [ -n "$word" ]; then
    return
  fi
  for i in "\${!values[@]}"; do
    value=\${values[i]} about=\${abouts[i]}
    if [ "$COMP_TYPE" = 63 ] && [ "\${#values[@]}" -gt 1 ] && [ -n "$about" ]; then value="$value  ($about)"; fi
    COMPREPLY+=("$value")
  done
}
complete -F _sessionctl sessionctl
`;

const ZSH = `#compdef sessionctl
# Completion of sessionctl for zsh: source <(sessionctl completion zsh), after compinit; or as _sessionctl in $fpath
_sessionctl() {
  local -a lines values shown
  local line value about files
  lines=("\${(@f)$("\${(Q)\${~words[1]}}" __complete zsh "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    case $line in
      :*) files=\${line#:} ;;
      *)
        value=\${line%%$'\\t'*} about=\${line#*$'\\t'}
        values+=("$value")
        if [[ -n $about ]]; then shown+=("$value  -- $about"); else shown+=("$value"); fi
        ;;
    esac
  done
  case $files in
    dirs) _files -/ ;;
    files) _files ;;
    *) (( $#values )) && compadd -U -l -V sessionctl -d shown -a values ;;
  esac
}
if [[ $funcstack[1] == _sessionctl ]]; then _sessionctl "$@"; else compdef _sessionctl sessionctl; fi
`;

const FISH = `# Completion of sessionctl for fish: sessionctl completion fish > ~/.config/fish/completions/sessionctl.fish
function __sessionctl_complete
    set -l words (commandline -opc)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -l lines ($program __complete fish $words[2..-1] (commandline -ct) 2>/dev/null)
    switch "$lines[-1]"
        case ':files'
            __fish_complete_path (commandline -ct)
        case ':dirs'
            __fish_complete_directories (commandline -ct)
        case '*'
            printf '%s\\n' $lines
    end
end
complete -c sessionctl -f -k -a '(__sessionctl_complete)'
`;

/** An empty word gets lost on the way to a program in old versions, so the number of words is said too. */
const POWERSHELL = `# Completion of sessionctl for PowerShell: sessionctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName sessionctl -ScriptBlock {
  param($word, $ast, $cursor)
  $before = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { "$_" })
  $words = @($before | Select-Object -Skip 1)
  $lines = @(& $before[0] __complete powershell ($words.Count + 1) @words $word 2>$null)
  if ($lines[-1] -in ':files', ':dirs') {
    return [System.Management.Automation.CompletionCompleters]::CompleteFilename($word)
  }
  $lines | ForEach-Object {
    $value, $about = $_ -split [char]9, 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}
`;

export const SCRIPTS: Record<Shell, string> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };
