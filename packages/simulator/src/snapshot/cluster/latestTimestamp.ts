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

/** Returns the latest timestamp in the objects (ms since the epoch), as the time of a file that does not record when it was taken. */
export const latestTimestamp = (nodes: ReadonlyArray<Node>, pods: ReadonlyArray<Pod>): number => {
  let latest = 0
  for (const time of [...nodes.flatMap(timesOfNode), ...pods.flatMap(timesOfPod)]) {
    if (typeof time === "string") latest = Math.max(latest, parseTime(time))
  }
  return latest
}
