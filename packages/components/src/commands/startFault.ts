import type { ConfigMap } from "@rollcall/api"
import type { ClusterShape } from "@rollcall/cluster"
import { invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type FleetFault, faultsName, fleetNamespace, readFaults } from "../fleet/FleetDocument.ts"
import { writeMap } from "./maps.ts"

/** The error of a fault that no fleet has started in time. */
export class FleetTimeout extends Schema.TaggedError<FleetTimeout>()("FleetTimeout", { seconds: Schema.Int }) {
  override get message(): string {
    return `no fleet started the fault within ${this.seconds} s, so it was removed: is rollcall up, or rollcall kubelet --nodes, still running?`
  }
}

const TIMEOUT_SECONDS = 15

/**
 * Returns the fault with what the fleet recorded in it: when it began, or why it is refused. Undefined if nothing is
 * recorded yet.
 */
const fleetResponse = (map: ConfigMap, id: string): FleetFault | undefined => {
  const fault = readFaults(map).entries.get(id)
  return fault?.at === undefined && fault?.refused === undefined ? undefined : fault
}

/**
 * Writes a fault to the list, and waits for the fleet's answer: when it began and on which nodes, or why it was
 * refused.
 */
export const startFault = Effect.fnUntraced(function* (cluster: ClusterShape, id: string, fault: FleetFault) {
  const removeEntry = writeMap(cluster, faultsName, { [id]: null })
  const { metadata } = yield* writeMap(cluster, faultsName, { [id]: JSON.stringify(fault) })
  // A short fault may be over before a poll would find it, so this watches.
  const response = yield* cluster
    .watch("ConfigMap", {
      namespace: fleetNamespace,
      fieldSelector: `metadata.name=${faultsName}`,
      resourceVersion: metadata.resourceVersion ?? ""
    })
    .pipe(
      Stream.map(({ object, type }) => (type === "DELETED" ? undefined : fleetResponse(object as ConfigMap, id))),
      Stream.filter((noted) => noted !== undefined),
      Stream.runHead,
      Effect.timeoutOption(`${TIMEOUT_SECONDS} seconds`),
      Effect.map(Option.flatten),
      Effect.onInterrupt(() => Effect.ignore(removeEntry))
    )
  if (Option.isNone(response)) {
    yield* removeEntry
    return yield* new FleetTimeout({ seconds: TIMEOUT_SECONDS })
  }
  const { refused } = response.value
  if (refused === undefined) return response.value
  yield* removeEntry
  return yield* invalid("command line", "", `${fault.fault} was refused: ${refused}`)
})
