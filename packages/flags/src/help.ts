import type { Command, CommandNode, FoundCommand } from "./Command.ts"
import { type Flag, type Flags, formatValue } from "./Flag.ts"
import { helpFlag } from "./readFlags.ts"

type Row = readonly [left: string, right: string]

/** Aligns rows in two columns. Upstream: pflag's FlagUsages. */
const alignColumns = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const width = rows.reduce((widest, [left]) => Math.max(widest, left.length), 0) + 3
  return rows.map(([left, right]) => `${left.padEnd(width)}${right}`.trimEnd())
}

const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  left < right ? -1 : left > right ? 1 : 0

/** Returns the default in pflag's form; empty for zero values. */
const defaultText = (flag: Flag<unknown>): string => {
  const { initial, placeholder, shown } = flag
  if (shown !== undefined) return shown === "" ? "" : ` (default ${shown})`
  if (initial === undefined || initial === "" || initial === false || initial === 0) return ""
  const text = formatValue(flag, initial).join(",")
  if (typeof initial === "string") return ` (default ${placeholder === "string" ? JSON.stringify(text) : text})`
  return typeof initial === "object" ? "" : ` (default ${text})`
}

const bareText = ({ bare, placeholder }: Flag<unknown>): string => {
  if (bare === undefined || placeholder === undefined) return ""
  return placeholder === "string" ? `[=${JSON.stringify(bare)}]` : `[=${bare}]`
}

const choicesText = ({ choices, help }: Flag<unknown>): string =>
  choices === undefined || choices.length < 2 || choices.every((choice) => help.includes(choice))
    ? ""
    : `: ${choices.join(", ")}`

const flagRow = ([name, flag]: readonly [string, Flag<unknown>]): Row => [
  `${flag.short === undefined ? "      " : `  -${flag.short}, `}--${name}${flag.placeholder === undefined ? "" : ` ${flag.placeholder}`}${bareText(flag)}`,
  `${flag.help}${choicesText(flag)}${flag.required ? " (required)" : defaultText(flag)}`
]

const flagRows = (flags: Flags): ReadonlyArray<string> => {
  const shown = Object.entries<Flag<unknown>>(flags).filter(([, { hidden, inert }]) => !hidden && !inert)
  return alignColumns(shown.sort(byName).map(flagRow))
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", `${title}:`, ...lines]

/** Returns the help of a command in cobra's layout; `typed` is the command with its groups: `rollcall plan drain`. */
export const commandHelp = (command: Command, typed: string): string => {
  const { about, examples = [], flags, global = [], operands } = command
  const [program = ""] = typed.split(" ")
  const isGlobal = new Set(global)
  const all = Object.entries({ help: helpFlag, ...flags })
  const own = all.filter(([name]) => !isGlobal.has(name))
  const shared = all.filter(([name]) => isGlobal.has(name))
  const usage = `  ${typed}${operands === undefined ? "" : ` ${operands.usage}`} [flags]`
  const operandRows = operands?.help === undefined ? [] : alignColumns([[`  ${operands.usage}`, operands.help]])
  return `${[
    about,
    ...section("Usage", [usage]),
    ...section("Arguments", operandRows),
    ...section(
      "Examples",
      examples.map((line) => `  ${program} ${line}`)
    ),
    ...section("Flags", flagRows(Object.fromEntries(own))),
    ...section("Global Flags", flagRows(Object.fromEntries(shared)))
  ].join("\n")}\n`
}

const commandSections = <Run>(commands: ReadonlyArray<CommandNode<Run>>): ReadonlyArray<string> => {
  const shown = commands.filter(({ hidden }) => !hidden)
  const headings = [...new Set(shown.map(({ heading }) => heading ?? "Available Commands"))]
  const rows = alignColumns(shown.map(({ name, summary }) => [`  ${name}`, summary]))
  return headings.flatMap((title) =>
    section(
      title,
      rows.filter((_, index) => (shown[index]?.heading ?? "Available Commands") === title)
    )
  )
}

/** Returns the help of a group of commands in cobra's layout. */
export const groupHelp = <Run>({ node, typed }: Pick<FoundCommand<Run>, "node" | "typed">): string =>
  `${[
    node.summary,
    ...section("Usage", [`  ${typed} [command]`]),
    ...commandSections(node.commands ?? []),
    ...section("Flags", flagRows({ help: helpFlag, ...node.flags })),
    "",
    `Use "${typed} [command] --help" for more information about a command.`
  ].join("\n")}\n`
