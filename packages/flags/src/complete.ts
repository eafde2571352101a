import { type Command, type CommandNode, type Found, findCommand } from "./Command.ts"
import type { Flag, Flags } from "./Flag.ts"
import { helpFlag } from "./readFlags.ts"

/** A word that may stand where a shell asks for one, and what it means. */
export interface Candidate {
  readonly word: string
  readonly help: string
}

export interface Completion {
  readonly candidates: ReadonlyArray<Candidate>
  /** A file may stand there. */
  readonly files: boolean
}

const nothing: Completion = { candidates: [], files: false }
const anyFile: Completion = { candidates: [], files: true }

const beginning = (candidates: ReadonlyArray<Candidate>, word: string): Completion => ({
  candidates: candidates.filter((candidate) => candidate.word.startsWith(word)),
  files: false
})

const choicesOf = (choices: ReadonlyArray<string>, prefix = ""): ReadonlyArray<Candidate> =>
  choices.map((choice) => ({ word: `${prefix}${choice}`, help: "" }))

const flagsOf = (flags: Flags): ReadonlyArray<Candidate> =>
  Object.entries<Flag<unknown>>({ help: helpFlag, ...flags })
    .filter(([, { hidden, inert }]) => !hidden && !inert)
    .map(([name, { bare, help }]) => ({ word: `--${name}${bare === undefined ? "=" : ""}`, help }))

/** What a flag's value may be. */
const valueCandidates = ({ bare, choices, placeholder }: Flag<unknown>, word: string, prefix: string): Completion => {
  if (choices !== undefined) return beginning(choicesOf(choices, prefix), `${prefix}${word}`)
  if (placeholder === undefined && bare !== undefined)
    return beginning(choicesOf(["true", "false"], prefix), `${prefix}${word}`)
  return placeholder === "string" || placeholder === "strings" || placeholder === "stringArray" ? anyFile : nothing
}

/** The flag whose value the next word is. */
const awaiting = (flags: Flags, words: ReadonlyArray<string>): Flag<unknown> | undefined => {
  const last = words.at(-1) ?? ""
  if (words.includes("--") || !last.startsWith("-") || last.includes("=")) return undefined
  const found = Object.entries<Flag<unknown>>(flags).find(([name, { short }]) =>
    last.startsWith("--") ? last === `--${name}` : short !== undefined && last.endsWith(short)
  )
  return found?.[1].bare === undefined ? found?.[1] : undefined
}

const completeFlags = (flags: Flags, word: string): Completion => {
  const equals = word.indexOf("=")
  if (!word.startsWith("--") || equals < 0) return beginning(flagsOf(flags), word)
  const flag: Flag<unknown> | undefined = flags[word.slice(2, equals)]
  return flag === undefined ? nothing : valueCandidates(flag, word.slice(equals + 1), word.slice(0, equals + 1))
}

const completeCommand = ({ flags, operands }: Command, before: ReadonlyArray<string>, word: string): Completion => {
  const awaited = awaiting(flags, before)
  if (awaited !== undefined) return valueCandidates(awaited, word, "")
  if (word.startsWith("-") && !before.includes("--")) return completeFlags(flags, word)
  if (operands?.choices !== undefined) return beginning(choicesOf(operands.choices), word)
  return operands === undefined ? beginning(flagsOf(flags), word) : anyFile
}

const completeGroup = <Run>({ node, rest }: Found<Run>, word: string): Completion => {
  if (rest.length > 0) return nothing
  if (word.startsWith("-")) return completeFlags(node.flags ?? {}, word)
  const commands = (node.commands ?? []).filter(({ hidden }) => !hidden)
  return beginning(
    commands.map(({ name, summary }) => ({ word: name, help: summary })),
    word
  )
}

/** What may stand in place of the last of these words, of a command line behind the program's name. */
export const complete = async <Run>(root: CommandNode<Run>, words: ReadonlyArray<string>): Promise<Completion> => {
  const word = words.at(-1) ?? ""
  const before = words.slice(0, -1)
  const found = findCommand(root, before[0] === "help" ? before.slice(1) : before)
  if (found.node.load === undefined) return completeGroup(found, word)
  return before[0] === "help" ? nothing : completeCommand(await found.node.load(), found.rest, word)
}
