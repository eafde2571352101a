import { type Command, type CommandNode, type FoundCommand, findCommand } from "./Command.ts"
import type { Flag, Flags } from "./Flag.ts"
import { helpFlag } from "./readFlags.ts"

/** A word that completes a command line, with its help. */
export interface Candidate {
  readonly word: string
  readonly help: string
}

export interface Completion {
  readonly candidates: ReadonlyArray<Candidate>
  /** Whether names of files complete the command line too. */
  readonly files: boolean
}

const noCompletion: Completion = { candidates: [], files: false }
const anyFile: Completion = { candidates: [], files: true }

const matchingCandidates = (candidates: ReadonlyArray<Candidate>, word: string): Completion => ({
  candidates: candidates.filter((candidate) => candidate.word.startsWith(word)),
  files: false
})

const choiceCandidates = (choices: ReadonlyArray<string>, prefix = ""): ReadonlyArray<Candidate> =>
  choices.map((choice) => ({ word: `${prefix}${choice}`, help: "" }))

const flagCandidates = (flags: Flags): ReadonlyArray<Candidate> =>
  Object.entries<Flag<unknown>>({ help: helpFlag, ...flags })
    .filter(([, { hidden, inert }]) => !hidden && !inert)
    .map(([name, { bare, help }]) => ({ word: `--${name}${bare === undefined ? "=" : ""}`, help }))

/** Completes the value of a flag. */
const completeValue = ({ bare, choices, placeholder }: Flag<unknown>, word: string, prefix: string): Completion => {
  if (choices !== undefined) return matchingCandidates(choiceCandidates(choices, prefix), `${prefix}${word}`)
  if (placeholder === undefined && bare !== undefined)
    return matchingCandidates(choiceCandidates(["true", "false"], prefix), `${prefix}${word}`)
  return placeholder === "string" || placeholder === "strings" || placeholder === "stringArray" ? anyFile : noCompletion
}

/** Returns the flag that takes the next word as its value. */
const flagBeforeValue = (flags: Flags, words: ReadonlyArray<string>): Flag<unknown> | undefined => {
  const last = words.at(-1) ?? ""
  if (words.includes("--") || !last.startsWith("-") || last.includes("=")) return undefined
  const found = Object.entries<Flag<unknown>>(flags).find(([name, { short }]) =>
    last.startsWith("--") ? last === `--${name}` : short !== undefined && last.endsWith(short)
  )
  return found?.[1].bare === undefined ? found?.[1] : undefined
}

const completeFlags = (flags: Flags, word: string): Completion => {
  const equals = word.indexOf("=")
  if (!word.startsWith("--") || equals < 0) return matchingCandidates(flagCandidates(flags), word)
  const flag: Flag<unknown> | undefined = flags[word.slice(2, equals)]
  return flag === undefined ? noCompletion : completeValue(flag, word.slice(equals + 1), word.slice(0, equals + 1))
}

const completeCommand = ({ flags, operands }: Command, before: ReadonlyArray<string>, word: string): Completion => {
  const flagAwaitingValue = flagBeforeValue(flags, before)
  if (flagAwaitingValue !== undefined) return completeValue(flagAwaitingValue, word, "")
  if (word.startsWith("-") && !before.includes("--")) return completeFlags(flags, word)
  if (operands?.choices !== undefined) return matchingCandidates(choiceCandidates(operands.choices), word)
  return operands === undefined ? matchingCandidates(flagCandidates(flags), word) : anyFile
}

const completeGroup = <Run>({ node, rest }: FoundCommand<Run>, word: string): Completion => {
  if (rest.length > 0) return noCompletion
  if (word.startsWith("-")) return completeFlags(node.flags ?? {}, word)
  const commands = (node.commands ?? []).filter(({ hidden }) => !hidden)
  return matchingCandidates(
    commands.map(({ name, summary }) => ({ word: name, help: summary })),
    word
  )
}

/** Completes the last of these words, which follow the program's name on a command line. */
export const complete = async <Run>(root: CommandNode<Run>, words: ReadonlyArray<string>): Promise<Completion> => {
  const word = words.at(-1) ?? ""
  const before = words.slice(0, -1)
  const found = findCommand(root, before[0] === "help" ? before.slice(1) : before)
  if (found.node.load === undefined) return completeGroup(found, word)
  return before[0] === "help" ? noCompletion : completeCommand(await found.node.load(), found.rest, word)
}
