import type { KubeletRequest } from "./Life.ts"

type Fields = Readonly<Record<string, unknown>>

/** Patches of a status may be sent as one if each is followed by the next within this time. */
const TOGETHER_SECONDS = 2.2
const MAX_TOGETHER = 4

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const typeOf = (item: unknown): unknown => (isFields(item) ? item.type : undefined)

const isRemoved = (item: unknown): boolean => isFields(item) && item.$patch === "delete"

/** Merges lists of conditions by their type. One that is set and removed leaves nothing. */
const mergedList = (first: ReadonlyArray<unknown>, second: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const laterOf = (item: unknown) => second.find((other) => typeOf(other) === typeOf(item))
  const kept = first.filter((item) => !(isFields(item) && "status" in item && isRemoved(laterOf(item))))
  return [
    ...kept.map((item) => {
      const later = laterOf(item)
      return later === undefined ? item : merged(item, later)
    }),
    ...second.filter((item) => !first.some((other) => typeOf(other) === typeOf(item)))
  ]
}

const merged = (first: unknown, second: unknown): unknown => {
  if (!isFields(first) || !isFields(second)) return second
  const out: Record<string, unknown> = { ...first }
  for (const [name, value] of Object.entries(second)) {
    const before = out[name]
    const isConditions = name === "conditions" && Array.isArray(before) && Array.isArray(value)
    out[name] = isConditions ? mergedList(before, value) : name in out ? merged(before, value) : value
  }
  return out
}

/** Returns the `count` requests from an index on as one, or undefined if they may not be sent as one. */
const joined = (requests: Requests, from: number, count: number): KubeletRequest | undefined => {
  let out = requests[from]
  for (let index = from + 1; index < from + count; index++) {
    const next = requests[index]
    if (out === undefined || next === undefined) return undefined
    const arePatches = out.resource === "pods/status" && next.resource === "pods/status" && out.code === next.code
    if (!arePatches || next.at - out.at >= TOGETHER_SECONDS) return undefined
    out = { ...next, body: merged(out.body, next.body) }
  }
  return out
}

type Requests = ReadonlyArray<KubeletRequest>
type Same = (left: KubeletRequest, right: KubeletRequest) => boolean

interface Match {
  readonly left: KubeletRequest
  readonly right: KubeletRequest
  readonly leftCount: number
  readonly rightCount: number
}

/** Returns the fewest requests from two places on that are the same once they are joined. */
const matchAt = (left: Requests, i: number, right: Requests, j: number, same: Same): Match | undefined => {
  for (let total = 2; total <= 2 * MAX_TOGETHER; total++) {
    for (
      let leftCount = Math.max(1, total - MAX_TOGETHER);
      leftCount <= Math.min(MAX_TOGETHER, total - 1);
      leftCount++
    ) {
      const rightCount = total - leftCount
      const [one, other] = [joined(left, i, leftCount), joined(right, j, rightCount)]
      if (one !== undefined && other !== undefined && same(one, other)) {
        return { left: one, right: other, leftCount, rightCount }
      }
    }
  }
  return undefined
}

/** How many requests one side may have more before they are the same again. */
const MAX_SKIPPED = 3

/**
 * Joins patches of statuses where two kubelets have sent them differently: a status manager sends the latest status only,
 * so that it depends on the moment whether two changes are one patch or two.
 */
export const joinedAlike = (left: Requests, right: Requests, same: Same): readonly [Requests, Requests] => {
  const out: readonly [Array<KubeletRequest>, Array<KubeletRequest>] = [[], []]
  let i = 0
  let j = 0
  while (i < left.length || j < right.length) {
    let skipped: readonly [number, number] = [1, 1]
    for (const [di, dj] of skips) {
      const match = matchAt(left, i + di, right, j + dj, same)
      if (match === undefined) continue
      out[0].push(...left.slice(i, i + di), match.left)
      out[1].push(...right.slice(j, j + dj), match.right)
      i += di + match.leftCount
      j += dj + match.rightCount
      skipped = [0, 0]
      break
    }
    const [di, dj] = skipped
    out[0].push(...left.slice(i, i + di))
    out[1].push(...right.slice(j, j + dj))
    i += di
    j += dj
  }
  return out
}

const skips: ReadonlyArray<readonly [number, number]> = [
  [0, 0],
  ...Array.from(
    { length: MAX_SKIPPED },
    (_, index): ReadonlyArray<readonly [number, number]> => [
      [index + 1, 0],
      [0, index + 1]
    ]
  ).flat()
]

const keyOf = ({ body }: KubeletRequest): string => {
  const { involvedObject, reason } = (body ?? {}) as { readonly involvedObject?: Fields; readonly reason?: string }
  return reason === "Killing" ? `${reason} ${String(involvedObject?.fieldPath)}` : ""
}

/** Returns Events with those of containers that are killed together in a fixed order: each is killed on its own. */
export const orderedEvents = (events: ReadonlyArray<KubeletRequest>): ReadonlyArray<KubeletRequest> => {
  const out = [...events]
  for (let index = 1; index < out.length; index++) {
    for (let at = index; at > 0; at--) {
      const [before, after] = [out[at - 1], out[at]]
      if (before === undefined || after === undefined || keyOf(before) === "" || keyOf(after) >= keyOf(before)) break
      if (keyOf(after) === "" || after.at - before.at > TOGETHER_SECONDS) break
      out[at - 1] = after
      out[at] = before
    }
  }
  return out
}
