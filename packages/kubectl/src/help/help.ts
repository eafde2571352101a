import { commandFlags } from "../commands/all.ts"
import { commonFlags, type Flag } from "../flags.ts"
import { commandHelp } from "./commands.ts"
import { aboutFlag } from "./flags.ts"

/** Whether a command line asks for help: `--help` or `-h` before any `--`. */
export const asksForHelp = (argv: ReadonlyArray<string>): boolean => {
  const end = argv.indexOf("--")
  return (end < 0 ? argv : argv.slice(0, end)).some((argument) => argument === "--help" || argument === "-h")
}

const types: Readonly<Record<Flag["type"], string>> = {
  bool: "",
  string: " string",
  strings: " strings",
  int: " int",
  duration: " duration"
}

/** Flags that select the cluster: they are read before the verb's own flags. */
const clusterFlags: ReadonlyArray<readonly [flag: string, about: string]> = [
  ["    --kubeconfig file", "the cluster and the user (default: KUBECONFIG, then ~/.kube/config)"],
  ["    --context string", "the context of the kubeconfig"],
  ["-s, --server url", "the API server"],
  ["    --as string", "act as this user"],
  ["    --as-group strings", "and as a member of these groups"]
]

const flagRow = (verb: string, { name, short, type }: Flag): readonly [string, string] => [
  `${short === undefined || short === name ? "    " : `-${short}, `}--${name}${types[type]}`,
  aboutFlag(verb, name)
]

/** Returns the help of a verb; undefined if the verb does not exist. `program` is the command before the verb. */
export const kubectlHelp = (verb: string, program = "kubectl"): string | undefined => {
  const help = Object.hasOwn(commandHelp, verb) ? commandHelp[verb] : undefined
  const flags = commandFlags(verb)
  if (help === undefined || flags === undefined) return undefined
  const own = flags.toSorted((left, right) => (left.name < right.name ? -1 : 1)).map((flag) => flagRow(verb, flag))
  const common = [...commonFlags.map((flag) => flagRow(verb, flag)), ...clusterFlags]
  const width = [...own, ...common].reduce((widest, [flag]) => Math.max(widest, flag.length), 0) + 3
  const lines = (rows: ReadonlyArray<readonly [string, string]>) =>
    rows.map(([flag, about]) => `  ${flag.padEnd(width)}${about}`.trimEnd())
  return `${[
    help.about,
    "",
    "Usage:",
    `  ${program} ${help.usage} [flags]`,
    "",
    "Example:",
    `  ${program} ${help.example}`,
    "",
    "Flags:",
    ...lines(own),
    "",
    "Flags of every verb:",
    ...lines(common)
  ].join("\n")}\n`
}
