import { root as commands } from "@rollcall/cli/tree"
import { upProgram } from "@rollcall/components/live"
import { type Command, type CommandNode, type Flag, type Flags, formatValue } from "@rollcall/flags"
import { removedFlags } from "@rollcall/kubelet"
import { settingHelp, settingKeys, variableOf } from "@rollcall/server/settings"
import { daemonCommand } from "@rollcall/server/usage"
import { escapeHtml } from "../content/escape.ts"
import { codeBlock } from "../content/highlight.ts"
import type { Group, Page } from "../Site.ts"
import { block, code, type Entry, entries, heading, inline, referenceGroup, referencePage } from "./html.ts"

type Node = CommandNode<unknown>

const KUBECTL = "Work with a cluster, like kubectl"

const defaultOf = (flag: Flag<unknown>): string => {
  const { initial, shown } = flag
  if (shown !== undefined) return shown
  if (initial === undefined || initial === "" || typeof initial === "object") return ""
  return formatValue(flag, initial).join(",")
}

const helpOf = ({ choices = [], help }: Flag<unknown>): string => {
  const isListed = choices.length < 2 || choices.every((choice) => help.includes(choice))
  return inline(help) + (isListed ? "" : `: ${choices.map(code).join(", ")}`)
}

const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  left < right ? -1 : 1

const flagEntry = (prefix: string, [name, flag]: readonly [string, Flag<unknown>]): Entry => ({
  anchor: `${prefix}${name}`,
  name: flag.short === undefined ? `--${name}` : `-${flag.short}, --${name}`,
  type: escapeHtml(flag.placeholder ?? "boolean"),
  initial: defaultOf(flag),
  required: flag.required,
  description: helpOf(flag)
})

const flagList = (prefix: string, flags: ReadonlyArray<readonly [string, Flag<unknown>]>): string =>
  flags.length === 0 ? "" : entries([...flags].sort(byName).map((flag) => flagEntry(prefix, flag)))

const listed = (flags: Flags): ReadonlyArray<readonly [string, Flag<unknown>]> =>
  Object.entries(flags).filter(([, { hidden, inert }]) => !hidden && !inert)

/** The names of flags that a command accepts and that have no effect. */
const withoutEffect = ({ flags, ignored = [] }: Command): string => {
  const inert = Object.entries(flags).flatMap(([name, flag]) => (flag.inert && !flag.hidden ? [name] : []))
  const names = [...new Set([...inert, ...ignored])].sort()
  if (names.length === 0) return ""
  return `${heading(3, "without-effect", "Accepted without effect")}<p>These flags of the genuine program are accepted, and a warning names them: ${names
    .map((name) => code(`--${name}`))
    .join(", ")}.</p>\n`
}

/** Returns the description of one command. `prefix` makes its anchors unique on a page with several commands. */
const commandBody = (command: Command, typed: string, prefix = ""): string => {
  const { about, examples = [], flags, global = [], operands } = command
  const [program = ""] = typed.split(" ")
  const usage = `${typed}${operands === undefined ? "" : ` ${operands.usage}`} [flags]`
  const shared = listed(flags).filter(([name]) => global.includes(name))
  const own = listed(flags).filter(([name]) => !global.includes(name))
  const lines = [usage, ...examples.map((example) => `${program} ${example}`)]
  return [
    block(about),
    codeBlock(lines.join("\n"), "bash"),
    operands?.help === undefined ? "" : `<p>${code(operands.usage)}: ${inline(operands.help)}</p>\n`,
    flagList(prefix, own),
    shared.length === 0 ? "" : heading(3, `${prefix}global-flags`, "Global flags") + flagList(prefix, shared),
    withoutEffect(command)
  ].join("")
}

const loaded = async (node: Node, typed: string, prefix?: string): Promise<string> =>
  node.load === undefined ? block(node.summary) : commandBody(await node.load(), typed, prefix)

/** Flags that only earlier releases of kubelet have, with what replaces them. */
const earlierFlags = (): string =>
  heading(2, "earlier-releases", "Flags of earlier releases") +
  "<p>With a release that has the flag it is accepted; with a later one it is an error that says what to do instead.</p>\n" +
  entries(
    removedFlags.map(({ advice, lastMinor, name }) => ({
      anchor: `removed-${name}`,
      name: `--${name}`,
      type: `until 1.${lastMinor}`,
      description: inline(advice)
    }))
  )

const commandPage = async (node: Node): Promise<Page> => {
  const typed = `rollcall ${node.name}`
  const parts = await Promise.all(
    (node.commands ?? []).map(async (below) => {
      const title = `${typed} ${below.name}`
      return heading(2, below.name, code(title)) + (await loaded(below, title, `${below.name}-`))
    })
  )
  const earlier = node.name === "kubelet" ? earlierFlags() : ""
  return referencePage(
    `programs/${node.name}`,
    typed,
    code(typed),
    (await loaded(node, typed)) + parts.join("") + earlier
  )
}

const kubectlPage = async (verbs: ReadonlyArray<Node>): Promise<Page> => {
  const parts = verbs.map(
    async (node) =>
      heading(2, node.name, code(`rollcall ${node.name}`)) +
      (await loaded(node, `rollcall ${node.name}`, `${node.name}-`))
  )
  const about =
    "<p>These commands print what kubectl prints, from any Kubernetes API. kubectl itself works as well.</p>\n"
  return referencePage(
    "programs/kubectl",
    "kubectl's commands",
    "kubectl's commands",
    about + (await Promise.all(parts)).join("")
  )
}

const daemonPage = (): Page => {
  const settings = settingKeys.map((key) => ({
    anchor: key,
    name: key,
    type: variableOf(key),
    description: inline(settingHelp(key, upProgram.flags))
  }))
  const body = `${commandBody(daemonCommand, "rollcalld")}${heading(2, "settings", "Settings")}
<p>Each setting is a key of the settings file or an environment variable. The environment variable overrides the file.</p>
${entries(settings)}`
  return referencePage("programs/rollcalld", "rollcalld", code("rollcalld"), body)
}

/** Makes a page for each command of `rollcall`, one for all commands of kubectl, and one for the daemon. */
export const programPages = async (): Promise<Group> => {
  const shown = (commands.commands ?? []).filter(({ hidden, name }) => !hidden && name !== "help")
  const own = await Promise.all(shown.filter(({ heading: part }) => part !== KUBECTL).map(commandPage))
  const verbs = await kubectlPage(shown.filter(({ heading: part }) => part === KUBECTL))
  return referenceGroup("Programs", [...own, verbs, daemonPage()])
}
