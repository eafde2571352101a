/** What a client did with a register whose values are all different, and what it was told. */
export interface Operation {
  readonly beganMs: number
  /** Infinity if no answer came: it may have happened at any time since, or never. */
  readonly endedMs: number
  readonly did:
    | { readonly type: "read"; readonly value: string }
    /** `swapped`: the register had `from`, and has `to` now. `refused`: it had something else. */
    | {
        readonly type: "swap"
        readonly from: string
        readonly to: string
        readonly told: "swapped" | "refused" | "unknown"
      }
}

/** Returns the register's value after the operation, if it can happen at this value; undefined if it cannot. */
const after = ({ did }: Operation, value: string): string | undefined => {
  if (did.type === "read") return did.value === value ? value : undefined
  if (did.from === value) return did.told === "refused" ? undefined : did.to
  return did.told === "swapped" ? undefined : value
}

/** The operations that have happened: all before `first`, and those of `more`. The value is that after all of them. */
interface Step {
  readonly first: number
  readonly more: ReadonlySet<number>
  readonly value: string
}

const keyOf = ({ first, more, value }: Step): string => `${first} ${[...more].sort((a, b) => a - b).join(",")} ${value}`

const withOne = ({ first, more }: Step, index: number, value: string): Step => {
  const next = new Set(more).add(index)
  let start = first
  while (next.delete(start)) start++
  return { first: start, more: next, value }
}

/** Returns the operations that can happen next: none that has not happened ended before they began. */
const candidates = (history: ReadonlyArray<Operation>, { first, more }: Step): ReadonlyArray<number> => {
  const found: Array<number> = []
  let firstEndMs = Number.POSITIVE_INFINITY
  for (let index = first; index < history.length; index++) {
    const { beganMs, endedMs } = history[index] as Operation
    if (beganMs > firstEndMs) break
    if (more.has(index)) continue
    firstEndMs = Math.min(firstEndMs, endedMs)
    found.push(index)
  }
  return found
}

/**
 * Returns those of the next operations that are worth a try: one that changes nothing, if there is any, because nothing is
 * lost by its happening now; otherwise all swaps of this value, the one that began first last, so that it is tried first.
 */
const worthTrying = (
  history: ReadonlyArray<Operation>,
  next: ReadonlyArray<number>,
  value: string
): ReadonlyArray<number> => {
  const answered = (index: number) => (history[index] as Operation).endedMs !== Number.POSITIVE_INFINITY
  const idle = next.find((index) => answered(index) && after(history[index] as Operation, value) === value)
  if (idle !== undefined) return [idle]
  return next.filter((index) => ![undefined, value].includes(after(history[index] as Operation, value))).reverse()
}

/** Whether all that was answered has happened. */
const isComplete = (history: ReadonlyArray<Operation>, { first, more }: Step): boolean => {
  for (let index = first; index < history.length; index++) {
    if (!more.has(index) && (history[index] as Operation).endedMs !== Number.POSITIVE_INFINITY) return false
  }
  return true
}

/**
 * Looks for one order of the operations in which each happens between its beginning and its end, and has the answer that
 * it got: Wing and Gong's search, which keeps the states that it has visited. Returns undefined if there is one; otherwise the
 * operations that can come next after the longest order found, none of which can happen.
 */
export const linearizationFault = (
  operations: ReadonlyArray<Operation>,
  initial: string
): ReadonlyArray<Operation> | undefined => {
  const history = operations.toSorted((left, right) => left.beganMs - right.beganMs)
  const visited = new Set<string>()
  const steps: Array<Step> = [{ first: 0, more: new Set(), value: initial }]
  let longest = -1
  let stuck: ReadonlyArray<Operation> = []
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if (isComplete(history, step)) return undefined
    const next = candidates(history, step)
    const length = step.first + step.more.size
    if (length > longest) {
      longest = length
      stuck = next.map((index) => history[index] as Operation)
    }
    for (const index of worthTrying(history, next, step.value)) {
      const reached = withOne(step, index, after(history[index] as Operation, step.value) as string)
      const key = keyOf(reached)
      if (visited.has(key)) continue
      visited.add(key)
      steps.push(reached)
    }
  }
  return stuck
}
