import type { ConfigMap } from "@rollcall/api"
import type { ClusterShape } from "@rollcall/cluster"
import { invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type FleetFault, faultsName, fleetNamespace, readFaults } from "../fleet/FleetDocument.ts"
import { writeMap } from "./maps.ts"

/** The fault is in the list, but no fleet has started it. */
export class FleetTimeout extends Schema.TaggedError<FleetTimeout>()("FleetTimeout", { seconds: Schema.Int }) {
  override get message(): string {
    return `no fleet started the fault within ${this.seconds} s, so it was removed: is rollcall up, or rollcall kubelet --nodes, still running?`
  }
}

const PATIENCE_S = 15

/** Returns the fault with the fleet's answer; undefined: no answer yet. */
const answerIn = (map: ConfigMap, id: string): FleetFault | undefined => {
  const fault = readFaults(map).entries.get(id)
  return fault?.at === undefined && fault?.refused === undefined ? undefined : fault
}

/** Writes a fault to the list, and waits for the fleet's answer: when it began and on which nodes, or why it was refused. */
export const startFault = Effect.fnUntraced(function* (cluster: ClusterShape, id: string, fault: FleetFault) {
  const takeBack = writeMap(cluster, faultsName, { [id]: null })
  const { metadata } = yield* writeMap(cluster, faultsName, { [id]: JSON.stringify(fault) })
  // A short fault may be over before a poll would find it, so this watches.
  const answer = yield* cluster
    .watch("ConfigMap", {
      namespace: fleetNamespace,
      fieldSelector: `metadata.name=${faultsName}`,
      resourceVersion: metadata.resourceVersion ?? ""
    })
    .pipe(
      Stream.map(({ object, type }) => (type === "DELETED" ? undefined : answerIn(object as ConfigMap, id))),
      Stream.filter((noted) => noted !== undefined),
      Stream.runHead,
      Effect.timeoutOption(`${PATIENCE_S} seconds`),
      Effect.map(Option.flatten),
      Effect.onInterrupt(() => Effect.ignore(takeBack))
    )
  if (Option.isNone(answer)) {
    yield* takeBack
    return yield* new FleetTimeout({ seconds: PATIENCE_S })
  }
  const { refused } = answer.value
  if (refused === undefined) return answer.value
  yield* takeBack
  return yield* invalid("command line", "", `${fault.fault} was refused: ${refused}`)
})
