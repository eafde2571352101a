import type { Node } from "@rollcall/api"
import { type InitialHealth, initialHealth, pressures } from "@rollcall/machines"
import { plural, some } from "@rollcall/text"
import type { Silence } from "./silentNodes.ts"

const namesOf = (nodes: ReadonlyArray<readonly [string, InitialHealth]>, is: (health: InitialHealth) => boolean) =>
  nodes.filter(([, health]) => is(health)).map(([name]) => name)

/** How long a node keeps the health that it starts with, as the end of a message. */
const UNTIL_RESTARTED = "until a `do: boot` of the scenario, or the end of a crash"

/** Returns the warnings on how a rehearsal starts unhealthy nodes of a snapshot, one for each kind of problem. */
export const initialHealthWarnings = (nodes: ReadonlyArray<Node>, silence: Silence): ReadonlyArray<string> => {
  const fellSilent = nodes.flatMap(({ metadata: { name = "" } }) => (silence.names.has(name) ? [name] : []))
  const unhealthy = nodes.flatMap((node) => {
    const health = initialHealth(node)
    return health === undefined ? [] : [[node.metadata.name ?? "", health] as const]
  })
  const warningsFor = (
    is: (health: InitialHealth) => boolean,
    what: string,
    outcome: string
  ): ReadonlyArray<string> => {
    const names = namesOf(unhealthy, is)
    return names.length === 0
      ? []
      : [
          `${plural(names.length, "node")} of the snapshot ${names.length === 1 ? "was" : "were"} ${what} (${some(names)}): ${outcome}`
        ]
  }
  const silent = namesOf(unhealthy, ({ isSilent }) => isSilent)
  return [
    ...warningsFor(({ isSilent }) => isSilent, "not heard of", `switched off ${UNTIL_RESTARTED}`),
    ...(fellSilent.length === 0
      ? []
      : [
          `${plural(fellSilent.length, "node")} of the snapshot had fallen silent, though still Ready (${some(fellSilent)}): switched off ${UNTIL_RESTARTED}; their grace period begins anew with the start`
        ]),
    ...(silence.allForSeconds === undefined
      ? []
      : [
          `no node of the snapshot had sent a heartbeat for ${silence.allForSeconds}s when it was taken: either all had fallen silent, or the clock of the machine that took it was ahead; Ready nodes whose last heartbeat is within seconds of the latest one are assumed to be healthy`
        ]),
    ...warningsFor(({ isNotReady }) => isNotReady, "not ready", `their container runtime is down ${UNTIL_RESTARTED}`),
    ...warningsFor(
      ({ networkUnavailable }) => networkUnavailable,
      "without a network",
      `so they are ${UNTIL_RESTARTED}`
    ),
    ...pressures.flatMap((type) =>
      warningsFor(({ pressures: all }) => all.includes(type), `under ${type}`, `so they are ${UNTIL_RESTARTED}`)
    ),
    ...(silent.length === 0
      ? []
      : [
          "the toleration seconds of pods on nodes that were not heard of count from the start of the run, as with a kube-controller-manager that starts then; in the cluster they were evicted sooner"
        ])
  ]
}
