import type { EventRecord } from "@rollcall/simulator"
import type { Difference } from "./Comparison.ts"
import type { Classes } from "./classes.ts"
import type { Recording, Run } from "./Recording.ts"

/** The number of compared values, and their differences. */
export interface PartialComparison {
  readonly compared: number
  readonly differences: ReadonlyArray<Difference>
}

/** Returns whether an Event is Kubernetes' own, and not specific to this build of the recorded server. */
const isKubernetesEvent = ({ component }: EventRecord): boolean => component !== "apiserver" && component !== "kubelet"

const countEvents = (run: Run, classes: Classes, from: number): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const event of run.events) {
    if (event.at < from || !isKubernetesEvent(event)) continue
    const kind = event.kind === "Pod" ? classes.ofPod(event.namespace, event.name) : classes.ofNode(event.name)
    const message = event.message.replaceAll(event.name, "<name>")
    const { component, objectHasUID, reason, storedIn, type } = event
    const key = [event.kind, reason, type, message, component, objectHasUID, storedIn, kind].join(" | ")
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

const sumBy = (counts: ReadonlyMap<string, number>, keyOf: (key: string) => string): Map<string, number> => {
  const sums = new Map<string, number>()
  for (const [key, count] of counts) sums.set(keyOf(key), (sums.get(keyOf(key)) ?? 0) + count)
  return sums
}

/** The least variation in the number of Events if the affected objects are random. */
const RANDOM_VARIATION = 2

/** Compares the number of Events of each kind on each class of objects. */
export const compareEvents = (
  recording: Recording,
  run: Run,
  theirClasses: Classes,
  ourClasses: Classes,
  theirStart: number,
  ourStart: number
): PartialComparison => {
  const { countsThatDiffer = [], eventsRun1 = {}, eventsRun2 = {} } = recording.spread ?? {}
  const isRandom = countsThatDiffer.length > 0
  // If the affected object is random, only the kind and reason can be compared.
  const keyOf = (key: string) => (isRandom ? key.split(" | ").slice(0, 7).join(" | ") : key)
  const allowance = (key: string) => {
    const name = key.split(" | ").slice(0, 2).join(" ")
    const differ = Math.abs((eventsRun1[name] ?? 0) - (eventsRun2[name] ?? 0))
    return isRandom ? Math.max(differ, RANDOM_VARIATION) : differ
  }
  const theirs = sumBy(countEvents(recording, theirClasses, theirStart), keyOf)
  const ours = sumBy(countEvents(run, ourClasses, ourStart), keyOf)
  const differences = [...new Set([...theirs.keys(), ...ours.keys()])].flatMap((key) => {
    const expected = theirs.get(key) ?? 0
    const actual = ours.get(key) ?? 0
    if (Math.abs(expected - actual) <= allowance(key)) return []
    return [{ check: "event" as const, message: `${key}: recorded ${expected}, here ${actual}` }]
  })
  return { compared: [...theirs.values()].reduce((sum, count) => sum + count, 0), differences }
}
