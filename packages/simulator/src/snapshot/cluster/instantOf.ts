import { type Node, type Pod, parseTime } from "@rollcall/api"

const timesOfNode = ({ metadata, status }: Node): ReadonlyArray<string | undefined> => [
  metadata.creationTimestamp,
  ...(status?.conditions ?? []).flatMap(({ lastHeartbeatTime, lastTransitionTime }) => [
    lastHeartbeatTime,
    lastTransitionTime
  ])
]

const timesOfPod = ({ metadata, status }: Pod): ReadonlyArray<string | undefined> => [
  metadata.creationTimestamp,
  status?.startTime,
  ...(status?.conditions ?? []).map(({ lastTransitionTime }) => lastTransitionTime)
]

/** A file does not say when it was written: it was after the last thing in it that happened. */
export const instantOf = (nodes: ReadonlyArray<Node>, pods: ReadonlyArray<Pod>): number => {
  let latest = 0
  for (const time of [...nodes.flatMap(timesOfNode), ...pods.flatMap(timesOfPod)]) {
    if (typeof time === "string") latest = Math.max(latest, parseTime(time))
  }
  return latest
}
