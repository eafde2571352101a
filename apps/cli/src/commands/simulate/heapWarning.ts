import type { Plan } from "@rollcall/simulator"

/** What a rehearsal takes of the heap for a node and its kubelet, and for a pod, with what the garbage collector needs beside it. */
const NODE_BYTES = 50 * 1024
const POD_BYTES = 2 * 1024
const MEBIBYTE = 1024 * 1024

/** What a warning says of a plan. */
export type PlanSize = Pick<Plan, "groups" | "snapshot">

/**
 * Returns a warning if the cluster of a plan needs more memory than Node.js takes by itself, which is at most 4 GiB on any machine: near
 * that limit a rehearsal hardly proceeds, because it collects garbage all the time.
 */
export const heapWarning = ({ groups, snapshot }: PlanSize, limitBytes: number): string | undefined => {
  const ofKind = (wanted: string) => snapshot.filter(({ kind }) => kind === wanted).length
  const nodes = groups.reduce((sum, { names }) => sum + names.length, 0) + ofKind("Node")
  const pods = ofKind("Pod")
  const neededBytes = nodes * NODE_BYTES + pods * POD_BYTES
  if (neededBytes <= limitBytes) return undefined
  const [needed, limit] = [neededBytes, limitBytes].map((bytes) => Math.ceil(bytes / MEBIBYTE))
  const count = (value: number) => value.toLocaleString("en-US")
  return `${count(nodes)} nodes with ${count(pods)} pods need about ${needed} MiB of memory, and Node.js takes ${limit} at most: set NODE_OPTIONS=--max-old-space-size=${needed}`
}
