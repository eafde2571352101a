import type { ClusterFlags } from "../clients/remote.ts"

/** Which cluster, and as whom, of a command line of kubectl; and the line without that. */
export interface Split {
  readonly flags: ClusterFlags
  readonly as: string
  readonly asGroups: ReadonlyArray<string>
  readonly rest: ReadonlyArray<string>
}

const names: Readonly<Record<string, "kubeconfig" | "context" | "master" | "as" | "as-group">> = {
  "--kubeconfig": "kubeconfig",
  "--context": "context",
  "--server": "master",
  "-s": "master",
  "--as": "as",
  "--as-group": "as-group"
}

/** Takes the flags out that say where the cluster is, wherever they stand: those of kubectl's that are of every verb. */
export const splitClusterFlags = (args: ReadonlyArray<string>): Split => {
  const values = { kubeconfig: "", context: "", master: "", as: "" }
  const asGroups: Array<string> = []
  const rest: Array<string> = []
  for (let index = 0; index < args.length; index++) {
    const text = args[index] ?? ""
    if (text === "--") {
      rest.push(...args.slice(index))
      break
    }
    const equals = text.startsWith("--") ? text.indexOf("=") : -1
    const name = names[equals < 0 ? text : text.slice(0, equals)]
    if (name === undefined) {
      rest.push(text)
      continue
    }
    const value = equals < 0 ? (args[++index] ?? "") : text.slice(equals + 1)
    if (name === "as-group") asGroups.push(value)
    else values[name] = value
  }
  const { as, ...flags } = values
  return { flags, as, asGroups, rest }
}
