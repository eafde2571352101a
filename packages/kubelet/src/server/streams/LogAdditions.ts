import type { Pod } from "@rollcall/api"
import type { TimersShape } from "@rollcall/time"

/** What the output of one run of a container may take, and that of all of a process. */
const MAX_EACH = 1024 * 1024
const MAX_TOGETHER = 16 * 1024 * 1024
/** What a part takes in memory besides its characters. */
const PART_BYTES = 100

/** What a command has written at one time. */
export interface WrittenPart {
  readonly atMs: number
  readonly text: string
}

const NONE: ReadonlyArray<WrittenPart> = []

interface RunOutput {
  readonly parts: Array<WrittenPart>
  /** How many parts before them are dropped. */
  dropped: number
  bytes: number
}

/** Names a run of a container, as `runNameOf` does in its pod. */
export const additionsKey = ({ metadata }: Pod, run: string): string => `${metadata.uid}/${run}`

/**
 * What stands in the logs of containers and cannot be computed from their commands: what these have written for clients that
 * were attached, and what other commands have written to their output. The oldest is dropped first.
 */
export class LogAdditions {
  private readonly runs = new Map<string, RunOutput>()
  private readonly listeners = new Map<string, Set<() => void>>()
  private readonly most: { readonly each: number; readonly together: number }
  private bytes = 0

  constructor(most = { each: MAX_EACH, together: MAX_TOGETHER }) {
    this.most = most
  }

  get heldBytes(): number {
    return this.bytes
  }

  /** Adds what a run of a container has written, and tells its listeners. */
  write(key: string, part: WrittenPart): void {
    const run = this.runs.get(key) ?? { parts: [], dropped: 0, bytes: 0 }
    // The run that has written last is the last one to be dropped.
    this.runs.delete(key)
    this.runs.set(key, run)
    run.parts.push(part)
    this.count(run, part.text.length + PART_BYTES)
    while (run.bytes > this.most.each && this.dropFirst(run)) {}
    while (this.bytes > this.most.together) {
      const [oldest] = this.runs
      if (oldest === undefined || this.dropFirst(oldest[1])) continue
      this.runs.delete(oldest[0])
    }
    for (const listener of this.listeners.get(key) ?? []) listener()
  }

  /** Returns the parts of a run from the one with a number on, and the number of the first of them. */
  from(key: string, number: number): { readonly parts: ReadonlyArray<WrittenPart>; readonly first: number } {
    const run = this.runs.get(key)
    if (run === undefined) return { parts: NONE, first: number }
    const first = Math.max(number, run.dropped)
    return { parts: run.parts.slice(first - run.dropped), first }
  }

  /** Calls `listener` after each part of a run. Returns what ends that. */
  listen(key: string, listener: () => void): () => void {
    const known = this.listeners.get(key) ?? new Set()
    this.listeners.set(key, known)
    known.add(listener)
    return () => {
      known.delete(listener)
      if (known.size === 0) this.listeners.delete(key)
    }
  }

  private count(run: RunOutput, bytes: number): void {
    run.bytes += bytes
    this.bytes += bytes
  }

  /** Returns whether there was a part to drop. */
  private dropFirst(run: RunOutput): boolean {
    const first = run.parts.shift()
    if (first === undefined) return false
    run.dropped++
    this.count(run, -first.text.length - PART_BYTES)
    return true
  }
}

/** By the timers of the process, which all its kubelets share. */
const outputs = new WeakMap<TimersShape, LogAdditions>()

export const logAdditionsOf = (timers: TimersShape): LogAdditions => {
  const known = outputs.get(timers) ?? new LogAdditions()
  outputs.set(timers, known)
  return known
}
