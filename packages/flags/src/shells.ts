import type { Completion } from "./complete.ts"

/**
 * Scripts that make a shell complete a program's command lines. Each calls the program itself (`PROGRAM __complete WORDS`), so the
 * candidates always match the program's flags.
 */

/** The hidden command that scripts call. Its operands are the words of the command line, of which the last is to be completed. */
export const COMPLETE = "__complete"

const FILES = ":files"

/** Returns the output for a script: one candidate on each line, with its help after a tab, and `:files` last if file names complete the word too. */
export const completionLines = ({ candidates, files }: Completion): ReadonlyArray<string> => [
  ...candidates.map(({ help, word }) => (help === "" ? word : `${word}\t${help.replaceAll(/\s+/g, " ")}`)),
  ...(files ? [FILES] : [])
]

const bash = (
  program: string
): string => `# bash completion of ${program}: source it, or put it into /etc/bash_completion.d/${program}
_${program}() {
  local line="\${COMP_LINE:0:COMP_POINT}" tab=$'\\t' words=() current prefix="" candidate
  read -r -a words <<<"$line"
  if [[ "$line" == *[[:space:]] ]]; then words+=(""); fi
  current="\${words[\${#words[@]}-1]}"
  # bash takes = for the end of a word.
  if [[ "$current" == *=* && "$COMP_WORDBREAKS" == *=* ]]; then prefix="\${current%%=*}="; fi
  COMPREPLY=()
  while IFS= read -r candidate; do
    if [[ "$candidate" == "${FILES}" ]]; then
      while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "\${current#"$prefix"}")
      compopt -o filenames 2>/dev/null
    else
      candidate="\${candidate%%"$tab"*}"
      COMPREPLY+=("\${candidate#"$prefix"}")
      if [[ "$candidate" == *= ]]; then compopt -o nospace 2>/dev/null; fi
    fi
  done < <("\${words[0]}" ${COMPLETE} "\${words[@]:1}" 2>/dev/null)
}
complete -F _${program} ${program}
`

const zsh = (program: string): string => `#compdef ${program}
# zsh completion of ${program}: source it, or put it into a folder of $fpath as _${program}
_${program}() {
  local -a plain assigned
  local line files word
  while IFS= read -r line; do
    word="\${line%%$'\\t'*}"
    if [[ "$line" == "${FILES}" ]]; then
      files=1
    elif [[ "$word" == *= ]]; then
      assigned+=("\${\${line//:/\\\\:}/$'\\t'/:}")
    else
      plain+=("\${\${line//:/\\\\:}/$'\\t'/:}")
    fi
  done < <("\${words[1]}" ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#plain} )) && _describe '${program}' plain
  (( \${#assigned} )) && _describe '${program}' assigned -S ''
  if [[ -n "$files" ]]; then
    compset -P '--*='
    _files
  fi
}
if [[ "$funcstack[1]" == "_${program}" ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`

const fish = (
  program: string
): string => `# fish completion of ${program}: put it into ~/.config/fish/completions/${program}.fish
function __${program}_complete
    set -l current (commandline -ct)
    set -l words (commandline -opc)
    for line in ($words[1] ${COMPLETE} $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = "${FILES}"
            __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current")
        else
            echo $line
        end
    end
end
complete -c ${program} -f -a '(__${program}_complete)'
`

const scripts = { bash, zsh, fish } as const

export type Shell = keyof typeof scripts

export const shells: ReadonlyArray<Shell> = ["bash", "zsh", "fish"]

/** The script that makes a shell complete the command lines of a program. */
export const completionScript = (shell: Shell, program: string): string => scripts[shell](program)
